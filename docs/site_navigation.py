"""The site's navigation, read from the landing page: its headings, and the links below each.

So there is one list of pages, for readers of the site and of the repository. A page that the list
lacks is shown below the heading that has others of its folder, and the build fails without one.
"""

import posixpath
import re

from sphinx.application import Sphinx

Sections = dict[str, list[str]]


def sections(text: str, folder: str) -> Sections:
    """The pages linked below each heading, by their names in the repository."""
    found: Sections = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif heading:
            for target in re.findall(r"\]\(([^)#\s]+)\.(?:md|ipynb)\)", line):
                page = posixpath.normpath(posixpath.join(folder, target))
                found.setdefault(heading, []).append(page)
    return found


def adopt(found: Sections, pages: set[str]) -> None:
    """Add each page that is not linked to the first section with another of its folder."""
    linked = {page for listed in found.values() for page in listed}
    for page in sorted(pages - linked):
        folder = posixpath.dirname(page)
        for listed in found.values():
            if any(posixpath.dirname(other) == folder for other in listed):
                listed.append(page)
                break


def contents(heading: str, pages: list[str]) -> str:
    """A hidden table of contents below a caption."""
    listed = "\n".join(f"/{page}" for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{listed}\n```\n"


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Add the navigation to the landing page, as Sphinx reads it."""
    root = app.config.root_doc
    if name == root:
        found = sections(source[0], posixpath.dirname(root))
        adopt(found, app.env.found_docs - {root})
        source[0] += "".join(contents(heading, pages) for heading, pages in found.items())


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}

"""Links from pages to code: the file is shown on the site, in colour and with numbered lines."""

from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

FOLDER = "source"
Page = tuple[str, dict[str, Any], str]


def page_of(path: PurePosixPath) -> str:
    """The name of the page that shows a file or a folder of the repository."""
    return f"{FOLDER}/{path}"


def target_of(app: Sphinx, node: nodes.Element, document: str) -> PurePosixPath | None:
    """The file or folder of the repository that a link leads to, unless it is a page."""
    file = isinstance(node, addnodes.download_reference)
    folder = isinstance(node, addnodes.pending_xref) and node.get("reftype") == "myst"
    if not file and not (folder and node.get("refdomain") is None):
        return None
    _, absolute = app.env.relfn2path(node["reftarget"].partition("#")[0], document)
    path = Path(absolute).resolve()
    if not (path.is_file() if file else path.is_dir()):
        return None
    return PurePosixPath(path.relative_to(app.srcdir.resolve()).as_posix())


def link(app: Sphinx, doctree: nodes.document) -> None:
    """Lead links to files and folders to their pages, and remember which ones are needed."""
    document = app.env.docname
    needed = set()
    for node in list(doctree.findall(nodes.Element)):
        if path := target_of(app, node, document):
            needed.add(str(path))
            uri = f"{relative_uri(app.builder.get_target_uri(document), page_of(path))}.html"
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=uri))
    app.env.metadata[document]["sources"] = sorted(needed)  # type: ignore[assignment]


def coloured(path: Path) -> str:
    """A file as HTML."""
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    formatter = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True)
    return highlight(path.read_text(encoding="utf-8"), lexer, formatter)


def listed(path: Path, here: PurePosixPath) -> str:
    """What is in a folder, as links."""
    names = sorted(each.name for each in path.glob("*.py"))
    items = (
        f'<li><a href="{escape(f"{here.name}/{name}")}.html">{name}</a></li>' for name in names
    )
    return f"<ul>{''.join(items)}</ul>"


def pages(app: Sphinx) -> Iterator[Page]:
    """Every file and folder that some page leads to."""
    wanted = {
        PurePosixPath(path)
        for page in app.env.metadata.values()
        for path in page.get("sources", ())
    }
    for folder in [path for path in wanted if (app.srcdir / path).is_dir()]:
        wanted |= {folder / each.name for each in (app.srcdir / folder).glob("*.py")}
    for path in sorted(wanted):
        file = app.srcdir / path
        shown = listed(file, path) if file.is_dir() else coloured(file)
        body = f'<h1 class="file">{path}</h1><div class="highlight">{shown}</div>'
        yield page_of(path), {"title": str(path), "body": body}, "page.html"


def without_navigation(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Leave the list of all pages to pages: here it would take most of the build's time."""
    if page.startswith(f"{FOLDER}/"):
        context["toctree"] = lambda **_options: ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx, and be asked before it collects downloads."""
    app.connect("doctree-read", link, priority=100)
    app.connect("html-collect-pages", pages)
    app.connect("html-page-context", without_navigation, priority=100)
    return {"parallel_read_safe": True}

"""The site that `make docs` builds, as a reader's browser sees it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[2]
LOADING = {"src", "srcset", "poster", "data", "action"}  # of any element; href of <link> alone


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build it into a folder, with warnings as errors."""
    return subprocess.run(
        [
            sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going",
            "--fresh-env", "--conf-dir", "docs", "--doctree-dir", str(folder / ".doctrees"),
            ".", str(folder),
        ],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": "src"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@dataclass
class Page:
    """What a page loads, where it leads, and which places in it can be led to."""

    loads: list[str] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)


class Reader(HTMLParser):
    """Collects a page from its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.page.places.add(value or "")
            elif name in LOADING or (tag, name) == ("link", "href"):
                self.page.loads.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.page.leads.append(value or "")
            elif name == "style":
                self.page.loads += styled(value or "")


def styled(text: str) -> list[str]:
    """What a style sheet, or a part of it, loads."""
    return re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""", text)


def read(text: str) -> Page:
    """A page from its HTML."""
    reader = Reader()
    reader.feed(text)
    return reader.page


def elsewhere(address: str) -> bool:
    """Whether loading it needs another place than the site."""
    found = urlsplit(address)
    return found.scheme not in ("", "data") or bool(found.netloc)


def broken(pages: dict[Path, Page]) -> list[tuple[str, str]]:
    """Links within the site that lead to no page, or to no place of theirs."""
    found = []
    for path, page in pages.items():
        for link in page.leads:
            if elsewhere(link):
                continue
            target = urlsplit(link)
            led = (path.parent / unquote(target.path)).resolve() if target.path else path
            there = led in pages or led.is_file()
            if not there or (target.fragment and unquote(target.fragment) not in pages[led].places):
                found.append((path.name, link))
    return found


def inventory(file: Path) -> set[str]:
    """All names of Python that the site describes."""
    *_, packed = file.read_bytes().split(b"\n", 4)
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split(" ")[0] for line in lines if line.split(" ")[1].startswith("py:")}

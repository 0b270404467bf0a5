"""The site: it builds without a warning, leads nowhere that is not there, and needs no network."""

from __future__ import annotations

import json
import pkgutil
import runpy
from pathlib import Path
from typing import Any

import pytest

import peekproof
import peekproof.derive
import peekproof.testing
from docs.built_site import ROOT, broken, build, elsewhere, inventory, read, styled

pytest.importorskip("sphinx")
pytest.importorskip("furo")
pytest.importorskip("myst_parser")


def extension(name: str) -> dict[str, Any]:
    """What a file of docs that takes part in the build defines."""
    return runpy.run_path(str(ROOT / f"docs/site_{name}.py"))


def test_the_site_is_whole_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    """One test, because building takes half a minute. If it fails: make docs."""
    built = build(tmp_path)
    assert (built.returncode, built.stderr) == (0, "")

    pages = {path: read(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    sheets = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.css")]
    loaded = [each for page in pages.values() for each in page.loads]
    assert len(loaded) > len(pages) > 100
    assert [each for each in loaded if elsewhere(each)] == []
    assert [each for sheet in sheets for each in styled(sheet) if elsewhere(each)] == []
    assert broken(pages) == []

    names = [*map(str, (ROOT / "docs").rglob("*.md")), *map(str, (ROOT / "docs").rglob("*.ipynb"))]
    written = [Path(name).relative_to(ROOT).with_suffix(".html") for name in names]
    assert [name for name in written if not (tmp_path / name).is_file()] == []
    assert (tmp_path / "index.html").is_file()
    assert "witness" in (tmp_path / "searchindex.js").read_text(encoding="utf-8")

    described = inventory(tmp_path / "objects.inv")
    public = {f"peekproof.{name}" for name in peekproof.__all__}
    public |= {f"peekproof.derive.{name}" for name in peekproof.derive.__all__}
    tools = pkgutil.iter_modules(peekproof.testing.__path__, "peekproof.testing.")
    assert (public | {tool.name for tool in tools}) - described == set()
    assert {"peekproof.Session.ask", "peekproof.audit.coverage.coverage"} <= described


@pytest.mark.parametrize(
    ("html", "away"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', True),
        ('<p style="background: url(http://example/x.png)"></p>', True),
        ('<a href="https://example.org">a link loads nothing</a>', False),
        ('<img src="data:image/png;base64,AAAA"><script src="a.js"></script>', False),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_seen(html: str, away: bool) -> None:
    assert any(map(elsewhere, read(html).loads)) is away


def test_links_that_lead_nowhere_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    text = '<h1 id="here"></h1><a href="#here"></a><a href="#there"></a><a href="b.html"></a>'

    assert broken({page: read(text)}) == [("a.html", "#there"), ("a.html", "b.html")]


def test_navigation_is_the_list_of_the_landing_page_and_adopts_what_it_lacks() -> None:
    navigation = extension("navigation")
    text = "[no](x.md)\n## First\n- [a](how/a.md), [b](../README.md)\n## Second\n- [n](n.ipynb)\n"
    found = navigation["sections"](text, "docs")
    assert found == {"First": ["docs/how/a", "README"], "Second": ["docs/n"]}

    navigation["adopt"](found, {"docs/how/a", "docs/how/new", "docs/other", "far/away"})
    assert found == {
        "First": ["docs/how/a", "README", "docs/how/new"],
        "Second": ["docs/n", "docs/other"],
    }


def test_docstrings_keep_their_formulas_and_their_signs() -> None:
    lines = [
        "The `n·k` of |x| and y_", "which is `a", "b`.", "", "    t ≤ |x|*2", "",
        "name   what it", "       means", "other  more", "", "- one", "  two", "- three",
    ]  # fmt: skip

    assert list(extension("docstrings")["restructured"](lines)) == [
        r"The ``n·k`` of \|x\| and y\_ which is ``a b``.", "", "::", "", "    t ≤ |x|*2", "",
        "``name``", "    what it means", "``other``", "    more", "", "- one two", "- three",
    ]  # fmt: skip


def test_notebooks_are_shown_as_they_were_saved() -> None:
    html = {"output_type": "execute_result", "data": {"text/html": ["<b>1</b>"], "text/plain": "1"}}
    plain = {"output_type": "execute_result", "data": {"text/plain": "42"}}
    drawn = {"output_type": "display_data", "data": {"image/png": "AA\nBB\n"}}
    failed = {"output_type": "error", "ename": "Refusal", "evalue": "no more"}
    printed = {"output_type": "stream", "text": ["a\n", "b\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "f()", "outputs": [printed, html, plain, drawn, failed]},
        {"cell_type": "code", "source": " ", "outputs": []},
    ]
    notebook = json.loads(json.dumps({"cells": cells}))

    assert extension("notebooks")["markdown"](notebook) == (
        "# Title\ntext\n\n````python\nf()\n````\n\n````text\na\nb\n````\n\n"
        '````{raw} html\n<div class="output"><b>1</b></div>\n````\n\n````text\n42\n````\n\n'
        "![What the cell above draws](data:image/png;base64,AABB)\n\n"
        "````text\nRefusal: no more\n````\n"
    )


def test_code_is_shown_in_colour_and_anything_else_as_it_is(tmp_path: Path) -> None:
    sources = extension("sources")
    (tmp_path / "a.py").write_text("x = '<b>'\n")
    (tmp_path / "LICENCE").write_text("<b> & more\n")

    assert 'class="n">x</span>' in sources["coloured"](tmp_path / "a.py")
    assert "&lt;b&gt; &amp; more" in sources["coloured"](tmp_path / "LICENCE")

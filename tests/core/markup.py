"""Reads what notebooks are shown, as strictly as no browser does."""

from __future__ import annotations

from html.parser import HTMLParser

ALLOWED = {
    "b", "br", "code", "details", "div", "li", "path", "rect", "small", "span", "summary", "svg",
    "table", "td", "th", "tr", "ul",
}  # fmt: skip
EMPTY = {"br", "path", "rect"}
ATTRIBUTES = {
    "aria-hidden", "d", "fill", "fill-opacity", "height", "rx", "stroke", "stroke-linecap",
    "stroke-opacity", "stroke-width", "style", "width", "x", "y",
}  # fmt: skip


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.styles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert name in ATTRIBUTES, name
            assert "url" not in (value or "")
            self.styles.append(value or "")
        self.tags.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop() == tag
        if tag in ("td", "th", "li"):
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def read(shown: str) -> _Reader:
    """Its tags, its text and its styles: one closed <div> of harmless tags, and nothing else."""
    reader = _Reader()
    reader.feed(shown)
    reader.close()
    assert reader.open == []
    assert shown.startswith("<div>")
    assert shown.endswith("</div>")
    assert reader.tags.count("div") == 1
    return reader

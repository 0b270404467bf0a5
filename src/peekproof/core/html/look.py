"""The one look of everything that notebooks show.

Colours are those of the page, or show on light and on dark ones. Whatever is not `Html` is
escaped on its way in, and type checkers see to it that nothing goes around that.
"""

from collections.abc import Iterable, Sequence
from html import escape as _escape
from typing import NewType

from peekproof.core.shown import visible_lines

# Text that is safe to show.
Html = NewType("Html", str)

_LONGEST = 300  # a question may list thousands of candidates
_CELL = "text-align:left;vertical-align:middle;padding:2px 14px 2px 0"
_RULE = "border-bottom:1px solid rgba(128,128,128,.25)"


def escape(said: str) -> str:
    """What HTML shows as this text; codes that would turn or hide parts of it are spelled out."""
    return _escape(visible_lines(said))


def text(said: str) -> Html:
    return Html(escape(said))


def code(said: str) -> Html:
    """A question, a name or a place, as it was written; a very long one is cut."""
    shown = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    return Html(f'<code style="background:none;color:inherit">{escape(shown)}</code>')


def bold(said: str) -> Html:
    return Html(f"<b>{escape(said)}</b>")


def number(said: str) -> Html:
    """What is not to be broken into two lines."""
    return Html(f'<span style="white-space:nowrap">{escape(said)}</span>')


def faint(*parts: Html) -> Html:
    return Html(f'<small style="opacity:.75">{"".join(parts)}</small>')


def joined(parts: Iterable[Html], between: str = "") -> Html:
    return Html(escape(between).join(parts))


def indented(part: Html) -> Html:
    return Html(f'<span style="padding-left:1.5em">{part}</span>')


def lines(*parts: Html) -> Html:
    """One below the other; what is empty takes no line."""
    return Html("<br>".join(part for part in parts if part))


def box(*parts: Html) -> Html:
    """The whole of what one object shows."""
    return Html(f"<div>{''.join(parts)}</div>")


def table(head: Sequence[str], rows: Iterable[Sequence[Html]]) -> Html:
    """Columns with names, some of which may be empty."""
    names = "".join(
        f'<th style="{_CELL};{_RULE};font-weight:normal;opacity:.75">{escape(name)}</th>'
        for name in head
    )
    body = "".join(
        "<tr style='background:none'>"
        + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    first = f"<tr style='background:none'>{names}</tr>" if any(head) else ""
    look = "border-collapse:collapse;border:none;margin:4px 0;color:inherit;font-size:inherit"
    return Html(f'<table style="{look}">{first}{body}</table>')


def listed(items: Iterable[str]) -> Html:
    found = "".join(f"<li>{escape(item)}</li>" for item in items)
    look = "margin:2px 0;padding-left:1.5em;font-size:smaller;opacity:.75"
    return Html(f'<ul style="{look}">{found}</ul>')


def folded(title: str, inside: Html) -> Html:
    """What is there for whoever wants to see it."""
    summary = f'<summary style="cursor:pointer">{escape(title)}</summary>'
    return Html(f'<details style="margin-top:4px">{summary}{inside}</details>')

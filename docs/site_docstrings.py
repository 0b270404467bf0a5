"""Docstrings for the site: ours are Markdown with indented formulas, and autodoc reads RST."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

MARKUP = re.compile(r"[\\*_|<>]")
ARGUMENT = re.compile(r"\w+(?:, \w+)* {2,}\S")
ITEM = re.compile(r"- ")


def prose(line: str) -> str:
    """A line of text in which only code in backticks is marked."""
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        return MARKUP.sub(r"\\\g<0>", line.replace("`", "'"))
    escaped = [
        f"``{part}``" if place % 2 and part else MARKUP.sub(r"\\\g<0>", part)
        for place, part in enumerate(parts)
    ]
    return "".join(escaped)


def joined(block: list[str]) -> str:
    """Lines as one, so that code may begin on one of them and end on the next."""
    return prose(" ".join(line.strip() for line in block))


def entries(block: list[str], first: re.Pattern[str]) -> list[list[str]]:
    """The lines of a list, those of each entry together."""
    found: list[list[str]] = []
    for line in block:
        if first.match(line) or not found:
            found.append([])
        found[-1].append(line)
    return found


def arguments(block: list[str]) -> Iterator[str]:
    """Names of arguments and what they mean, in two columns, as definitions."""
    for entry in entries(block, ARGUMENT):
        name, meaning = entry[0].split("  ", 1)
        yield from (f"``{name}``", f"    {joined([meaning, *entry[1:]])}")


def restructured(lines: list[str]) -> Iterator[str]:
    """The same docstring: what is indented stays as it is, and all else is prose or a list."""
    for empty, found in groupby(lines, key=lambda line: not line.strip()):
        block = list(found)
        if empty:
            yield ""
        elif all(line.startswith(" ") for line in block):
            yield from ("::", "", *block)
        elif ARGUMENT.match(block[0]):
            yield from arguments(block)
        elif ITEM.match(block[0]):
            yield from (joined(entry) for entry in entries(block, ITEM))
        else:
            yield joined(block)


def rewrite(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: Any, lines: list[str]
) -> None:
    """Replace the lines of a docstring, as autodoc asks for them."""
    lines[:] = restructured(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True}

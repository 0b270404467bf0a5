"""Theorems in full, from the docstrings of their functions: equations, conditions, proofs."""

import re
from inspect import cleandoc
from itertools import groupby
from pkgutil import resolve_name

from theorem_subjects import Subject

from peekproof.core.theorem import Theorem

HEAD = """# {title}: statements and proofs

{about} Generated from docstrings by `docs/generate_theorems.py`;
[the list](../theorems.md#{anchor}) has sources, code and tests.
"""


def anchor(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")


def in_full(theorem: Theorem) -> str:
    """The whole docstring of the function."""
    return cleandoc(resolve_name(theorem.function).__doc__)


def proof_of(theorem: Theorem) -> str:
    """The proof in the docstring; empty if it is published, or on the page of the certificate."""
    before, _, _ = in_full(theorem).partition("Holds when:")
    found = re.search(r"^Proof\b[^.:]*[.:](.*)", before, re.M | re.S)
    return found[1].strip() if found else ""


def escaped(text: str) -> str:
    """Text in which Markdown sees code in backticks, and no signs of its own besides."""
    parts = text.split("`")
    return "`".join(
        part if place % 2 else re.sub(r"[*<]|\](?=\()", r"\\\g<0>", part)
        for place, part in enumerate(parts)
    )


def linked(text: str, keys: frozenset[str]) -> str:
    """Text with a link for each theorem that it names."""

    def link(found: re.Match[str]) -> str:
        key = found[0]
        return f"[{key}](../theorems.md#{key.lower()})" if key in keys else key

    return re.sub(r"\bT-[a-z0-9]+(?:-[a-z0-9]+)*", link, text)


def markdown(docstring: str, keys: frozenset[str]) -> str:
    """A docstring as Markdown: what is indented are equations, all else is prose."""
    blocks: list[str] = []
    for empty, found in groupby(docstring.splitlines(), key=lambda line: not line.strip()):
        lines = list(found)
        if empty:
            continue
        if all(line.startswith("    ") for line in lines):
            blocks.append("\n".join(lines))
            continue
        prose = linked(escaped("\n".join(line.strip() for line in lines)), keys)
        for word in ("Proof", "Holds when", "Rounds"):
            prose = re.sub(rf"^{word}([.:])", rf"**{word}\1**", prose, flags=re.M)
        blocks.append(re.sub(r"\n(?=\*\*(?:Holds|Rounds))", "\n\n", prose))
    return "\n\n".join(blocks)


def proofs(subject: Subject, theorems: list[Theorem], keys: frozenset[str]) -> str:
    """The page of a subject."""
    head = HEAD.format(title=subject.title, about=subject.about, anchor=anchor(subject.title))
    return "\n".join(
        [head, *(f"## {each.key}\n\n{markdown(in_full(each), keys)}\n" for each in theorems)]
    )

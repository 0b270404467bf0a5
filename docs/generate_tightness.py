"""Writes the tables of docs/explanation/how-tight.md: python docs/generate_tightness.py

They are taken from bench/results/tightness.json, which `make bench-tightness` measures. What stands
between two marks of the page is replaced; the rest is written by hand.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from lab.figures.tightness import Record
from lab.tightness import Finding

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/how-tight.md"
RECORD = ROOT / "bench/results/tightness.json"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *map(list, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _ratios(record: Record, *, ours: bool) -> str:
    """A row for each route, a column for each size; a dash where a radius says nothing."""
    at = {(each.route, each.rows, each.questions): each for each in record.findings}
    sizes = record.sizes

    def cell(name: str, size: tuple[int, int]) -> str:
        found = at.get((name, *size))
        return f"{found.ratio:.2f}" if found else "–"

    head = ["route", *(f"{rows:,}, {questions:,}" for rows, questions in sizes)]
    names = record.names(ours=ours)
    return _table(head, ([name, *(cell(name, size) for size in sizes)] for name in names))


def _details(record: Record) -> str:
    """At the largest size: what is promised, what is forced and how."""

    def row(found: Finding) -> list[str]:
        most = f"{found.ratio:.2f} (at most {found.ratio_at_most:.2f})"
        numbers = [f"±{found.radius:.4f}", f"{found.forced:.4f}", most]
        return [found.route, *numbers, found.attack, f"{found.repetitions:,}"]

    last = record.sizes[-1]
    by_name = {each.route: each for each in record.findings if (each.rows, each.questions) == last}
    head = ["route", "radius", "forced", "ratio", "attack", "conversations"]
    return _table(head, (row(by_name[name]) for name in record.names(ours=True) if name in by_name))


def page(text: str, record: Record) -> str:
    """The page with tables of this record."""
    tables = {
        "certified": _ratios(record, ours=True),
        "published": _ratios(record, ours=False),
        "details": _details(record),
    }
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        between = re.escape(begin) + ".*?" + re.escape(end)
        text = re.sub(between, lambda _, whole=begin + table + end: whole, text, flags=re.S)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), Record.read(RECORD)), encoding="utf-8")

"""The page of all comparisons, in Markdown, from their results alone.

Run: python bench/page.py [FOLDER]
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from charts import draw, number, picture_of
from measure import RESULTS
from result import Cell, Result, Sheet

# In this order; the first are what most people want to know.
COMPARISONS = (
    "latency",
    "growth",
    "coverage",
    "radius",
    "holdout_width",
    "accounting",
    "ledger",
    "ledger_postgres",
    "gateway",
    "footprint",
    "sql",
    "noise",
    "weights",
    "median",
)
APART = ("large_file", "spark")  # they need a disk with room, or a cluster
ORDER = (*COMPARISONS, *APART)


def results(folder: Path) -> list[Result]:
    """Those that are there, in order."""
    paths = (folder / f"{name}.json" for name in ORDER)
    return [Result.read(path) for path in paths if path.exists()]


def page(found: Sequence[Result], *, failed: Mapping[str, str]) -> str:
    """The whole page; `failed` tells what did not run, and why."""
    return "\n".join(_page(found, failed)).rstrip() + "\n"


def details(result: Result) -> str:
    """The page of the tables that would make the first one too long."""
    lines = [
        f"# {result.title}: every answer",
        "",
        f"[All comparisons](README.md#{_anchor(result)})",
        "",
    ]
    for sheet in result.details:
        lines += [f"## {sheet.caption}", "", *_table(sheet)]
    return "\n".join(lines).rstrip() + "\n"


def write(folder: Path, *, failed: Mapping[str, str] | None = None) -> Path:
    """The page and its pictures beside the results that they are made from."""
    found = results(folder)
    for result in found:
        draw(result, folder)
        if result.details:
            (folder / f"{result.name}.md").write_text(details(result))
    path = folder / "README.md"
    path.write_text(page(found, failed=failed or {}))
    return path


def _page(found: Sequence[Result], failed: Mapping[str, str]) -> Iterator[str]:
    quick = any(result.quick for result in found)
    yield from ("# Peekproof beside the field", "")
    yield (
        "Made by `make bench`, which sets up the peers in environments of their own, runs every "
        "comparison and writes this page from the results. All numbers are ratios of what was "
        "measured side by side in one run, or do not depend on the machine at all."
    )
    if quick:
        yield from (
            "",
            "**A quick run:** small sizes, few rounds. It shows that things work, not how well.",
        )
    yield ""
    yield from _machines(found)
    yield from (f"- [{result.title}](#{_anchor(result)})" for result in found)
    yield ""
    for result in found:
        yield from _section(result)
    if failed:
        yield from ("## What did not run", "")
        yield from (f"- `{name}`: {why}" for name, why in failed.items())


def _machines(found: Sequence[Result]) -> Iterator[str]:
    """What measured; if there were several, which one measured what."""
    machines: dict[str, list[str]] = {}
    for result in found:
        said = ", ".join(f"{name} {value}" for name, value in result.machine.items())
        machines.setdefault(said, []).append(result.title)
    for said, titles in machines.items():
        which = f" ({', '.join(titles)})" if len(machines) > 1 else ""
        yield from (f"Measured on: {said}{which}.", "")


def _section(result: Result) -> Iterator[str]:
    yield from (f"## {result.title}", "", result.about, "")
    for chart in result.charts:
        yield from (f"![{chart.title}]({picture_of(result, chart)})", "")
    for sheet in result.sheets:
        yield from (f"{sheet.caption}:", "", *_table(sheet))
    if result.details:
        yield from (f"[Every answer]({result.name}.md)", "")
    yield from (f"- {name} takes no part: {why}" for name, why in result.missing.items())
    if result.missing:
        yield ""
    if result.versions:
        said = ", ".join(f"{name} {version}" for name, version in result.versions.items())
        yield from (f"With {said}.", "")


def _table(sheet: Sheet) -> Iterator[str]:
    numeric = [
        any(isinstance(row[place], float | int) for row in sheet.rows)
        for place in range(len(sheet.columns))
    ]
    yield "| " + " | ".join(sheet.columns) + " |"
    yield "|" + "|".join("---:" if each else "---" for each in numeric) + "|"
    yield from ("| " + " | ".join(map(_cell, row)) + " |" for row in sheet.rows)
    yield ""


def _cell(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell.replace("|", "/").replace("\n", " ")
    return number(cell)


def _anchor(result: Result) -> str:
    kept: Iterable[str] = (each for each in result.title.lower() if each.isalnum() or each in " -")
    return "".join(kept).replace(" ", "-")


if __name__ == "__main__":
    print(write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS))

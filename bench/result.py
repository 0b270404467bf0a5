"""What a comparison found: tables of ratios, and how to draw them.

A result is one JSON file. The page and its pictures are made from these files alone, so that they
can be made again without measuring again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, final

# A word, a number, or nothing where there is no value.
Cell = str | float | None


@final
@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: the first column says what a row is."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, caption: str, rows: Mapping[str, Mapping[str, Cell]], *, corner: str = "") -> Self:
        """The table of rows by name; a cell that a row does not have is empty."""
        columns = list(dict.fromkeys(name for cells in rows.values() for name in cells))
        lines = ((name, *map(cells.get, columns)) for name, cells in rows.items())
        return cls(caption, (corner, *columns), tuple(lines))


@final
@dataclass(frozen=True, slots=True)
class Chart:
    """How a sheet is drawn.

    Bars: one for each row, as long as its number in `column`, with a mark at that in `mark`.
    Lines: one for each row, through its numbers in the columns whose heads are numbers.
    """

    kind: Literal["bars", "lines"]
    title: str
    axis: str
    sheet: int = 0
    column: str = ""
    mark: str = ""
    across: str = ""
    ours: tuple[str, ...] = ("Peekproof",)  # what the names of our own rows begin with


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One comparison, and on what it was made."""

    name: str
    title: str
    about: str
    sheets: tuple[Sheet, ...]
    charts: tuple[Chart, ...] = ()
    details: tuple[Sheet, ...] = ()  # on a page of their own
    missing: dict[str, str] = field(default_factory=dict)  # who takes no part, and why
    versions: dict[str, str] = field(default_factory=dict)
    quick: bool = False
    machine: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        found: dict[str, Any] = json.loads(path.read_text())
        found["sheets"] = tuple(map(_sheet, found["sheets"]))
        found["details"] = tuple(map(_sheet, found["details"]))
        found["charts"] = tuple(
            Chart(**{**chart, "ours": tuple(chart["ours"])}) for chart in found["charts"]
        )
        return cls(**found)


def _sheet(found: Mapping[str, Any]) -> Sheet:
    return Sheet(found["caption"], tuple(found["columns"]), tuple(map(tuple, found["rows"])))

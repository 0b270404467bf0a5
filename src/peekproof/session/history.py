"""All answers so far, and how they are shown as text and in a notebook. Free of ledgers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, final, overload

from peekproof.core.certificate import Certificate, Span
from peekproof.core.finding import Chosen, Finding, Level, Numbers
from peekproof.core.frames import frame
from peekproof.core.html import (
    MOST_ROWS,
    Axis,
    Html,
    bold,
    box,
    code,
    faint,
    indented,
    left_out,
    lines,
    number,
    table,
    text,
)
from peekproof.core.numerics import decimal_down, decimal_up, digits_up, level_down
from peekproof.core.shown import visible

if TYPE_CHECKING:
    from pandas import DataFrame


_MOST_LINES = 20  # of plain text
_NOTHING = Html("")
_LONGEST = 100  # of what is asked or found, in plain text


@final
@dataclass(frozen=True, slots=True)
class _Row:
    """What is shown of one number; only some have a cell, and only some a bar."""

    of: "Recorded"
    value: str
    certain: str
    cell: str = ""
    bar: Html = _NOTHING
    first: bool = True  # of its answer


def history_text(recorded: Sequence["Recorded"]) -> str:
    """One line a number, as many as a screen holds."""
    shown = [_line(row) for row in islice(_rows(recorded), _MOST_LINES)]
    more = _size(recorded) - len(shown)
    return "\n".join([_counted(recorded), *shown, *([f"  … {more:,} more"] if more else [])])


def _line(row: _Row) -> str:
    asked = f"{row.of.question} [{row.cell}]" if row.cell else row.of.question
    who = f"  ({row.of.analyst})" if row.of.analyst else ""
    said = f"{_cut(row.value)}  {row.certain}  {_cut(asked)}{who}"
    return f"  {row.of.number:,}  {visible(said)}"


def history_html(recorded: Sequence["Recorded"]) -> str:
    """One row a number, the bars below one another."""
    if not recorded:
        return box(text(f"{_counted(recorded)} so far"))
    shown = list(islice(_rows(recorded), MOST_ROWS))
    axis = _axis(each.found.span for each in recorded if isinstance(each.found, Numbers))
    analyst = "analyst" if any(each.analyst for each in recorded) else ""
    level = level_down(recorded[0].certificate.target.confidence)
    return box(
        text(f"{_counted(recorded)} so far"),
        table(
            ("", "question", "value", "interval", axis, analyst),
            [cells for row in shown for cells in _cells(row)],
        ),
        lines(
            left_out(len(shown), _size(recorded)),
            faint(text(f"with confidence {level} for all answers together")),
        ),
    )


def _cells(row: _Row) -> Iterator[tuple[Html, ...]]:
    """A line of the table; the cells of an answer come below its question."""
    place, question = faint(text(f"{row.of.number:,}")), code(row.of.question)
    none, who = _NOTHING, text(row.of.analyst)
    found = (bold(row.value), number(row.certain), row.bar)
    if not row.cell:
        yield place, question, *found, who
        return
    if row.first:
        yield place, question, none, none, none, who
    yield none, indented(code(row.cell)), *found, none


def _counted(recorded: Sequence["Recorded"]) -> str:
    return "1 answer" if len(recorded) == 1 else f"{len(recorded):,} answers"


def _axis(spans: Iterable[Span]) -> str:
    """What the bars are drawn on: one axis if all have it, else each its own."""
    found = {(span.low, span.high) for span in spans}
    if len(found) == 1:
        return Axis(*found.pop()).name
    return "in its range" if found else ""


def _size(recorded: Iterable["Recorded"]) -> int:
    """How many numbers there are."""
    return sum(len(each.found.cells) if isinstance(each.found, Numbers) else 1 for each in recorded)


def _rows(recorded: Iterable["Recorded"]) -> Iterator[_Row]:
    for each in recorded:
        match each.found:
            case Numbers() as found:
                yield from _numbers(each, found)
            case Level(value, levels):
                low, high = decimal_down(levels.low), decimal_up(levels.high)
                yield _Row(each, repr(value), f"level in [{low}, {high}]")
            case Chosen() as chosen:
                yield _Row(each, chosen.name, _best(chosen))


def _best(chosen: Chosen) -> str:
    """How far it may be from the best, and where it is, if that was told."""
    said = f"best up to {digits_up(chosen.gap)}"
    found = chosen.winner
    return said if found is None else f"{found.span.shown(found.interval)}, {said}"


def _numbers(each: "Recorded", found: Numbers) -> Iterator[_Row]:
    span = found.span
    axis = Axis(span.low, span.high)
    for place, (cell, value, interval) in enumerate(found.named()):
        yield _Row(
            each,
            f"{value:.{span.places}f}",
            span.shown(interval),
            cell,
            axis.bar(interval.low, value, interval.high),
            place == 0,
        )


def _cut(said: str) -> str:
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


COLUMNS = ("number", "question", "cell", "value", "low", "high", "analyst", "digest")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An answer that was given: what was asked, by whom, what was found and why that holds.

    `number` counts all answers from 1, in the order of the ledger; `digest` is the question's, by
    which a receipt is found. `analyst` is empty for whoever gave no name.
    """

    number: int
    digest: str
    question: str
    analyst: str
    found: Finding
    certificate: Certificate = field(repr=False)

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number."""
        asked = {"number": self.number, "question": self.question}
        who = {"analyst": self.analyst, "digest": self.digest}
        return [
            {name: {**asked, **row, **who}[name] for name in (*COLUMNS, *_more(row))}
            for row in self.found.to_dicts()
        ]


def _more(row: dict[str, object]) -> list[str]:
    return [name for name in row if name not in COLUMNS]


@final
@dataclass(frozen=True, slots=True, repr=False)
class History(Sequence[Recorded]):
    """Answers in the order of the ledger, whoever asked."""

    recorded: tuple[Recorded, ...]

    def __len__(self) -> int:
        return len(self.recorded)

    def __iter__(self) -> Iterator[Recorded]:
        return iter(self.recorded)

    @overload
    def __getitem__(self, place: int) -> Recorded: ...

    @overload
    def __getitem__(self, place: slice) -> "History": ...

    def __getitem__(self, place: int | slice) -> "Recorded | History":
        """An answer by its place from 0, or several."""
        if isinstance(place, slice):
            return History(self.recorded[place])
        return self.recorded[place]

    def __repr__(self) -> str:
        return history_text(self.recorded)

    def _repr_html_(self) -> str:
        """The answers for a notebook."""
        return history_html(self.recorded)

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number."""
        return [row for each in self.recorded for row in each.to_dicts()]

    def to_pandas(self) -> "DataFrame":
        """One row a number: number, question, cell, value, low, high, analyst, digest.

        Quantiles add lowest_level and highest_level, choices gap.
        """
        return frame(self.to_dicts(), columns=COLUMNS)

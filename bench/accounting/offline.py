"""Every accountant on every question: its answer, its time beside ours, and what went wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import final

from accounting.contender import MODULES, Contender, Kind, contenders
from accounting.isolated import Attempt, attempt, quiet
from accounting.question import Question
from accounting.reference import exact
from measure import side_by_side

# Relative: below it, an answer in floats may miss the exact one without being wrong.
ROUNDING = 1e-9
FAST, SLOW = 0.02, 2.0  # seconds; what takes longer still is run once


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One accountant's answer to one question."""

    name: str
    kind: Kind
    attempt: Attempt
    seconds: float | None = None
    over_ours: float | None = None
    looser: float | None = None
    note: str = ""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All answers to one question; `known` is exact, or the best lower bound, or None."""

    question: Question
    known: float | None
    rows: tuple[Row, ...]


def compare(question: Question, *, limit: float, modules: tuple[str, ...] = MODULES) -> Comparison:
    """The answers to one question, timed side by side where they are fast enough."""
    taking_part: dict[str, Contender] = {}
    for module in modules:
        with quiet():
            taking_part |= contenders(module, question)
    rows = [
        Row(name=name, kind=contender.kind, attempt=attempt(contender.call, seconds=limit))
        for name, contender in taking_part.items()
    ]
    truth = exact(question)
    lower = [row.attempt.value for row in rows if row.kind == "lower" and row.attempt.value]
    known = truth if truth is not None else max(lower, default=None)
    rows = _timed(rows, {name: contender.call for name, contender in taking_part.items()})
    return Comparison(question=question, known=known, rows=_judged(rows, known))


def _timed(rows: list[Row], calls: Mapping[str, Callable[[], float]]) -> list[Row]:
    """The rows with medians instead of first times, by classes of speed, ours in each."""
    first = {row.name: row.attempt.seconds or inf for row in rows}
    ours = "Peekproof" if "Peekproof" in first else None
    seconds, ratio = dict(first), dict.fromkeys(first, inf)
    for low, high, rounds in ((0.0, FAST, 15), (FAST, SLOW, 3)):
        chosen = {name: calls[name] for name, taken in first.items() if low < taken <= high}
        if chosen and ours and first[ours] <= low:
            chosen[ours] = calls[ours]
        with quiet():
            measured = side_by_side(chosen, rounds=rounds)
        for name, taken in measured.items():
            if low < first[name]:
                seconds[name] = taken
            if ours in measured:
                ratio[name] = taken / measured[ours]
    for name, taken in seconds.items():
        if (
            ours and ratio[name] == inf
        ):  # one of the two was too slow for a place in the other's class
            ratio[name] = taken / seconds[ours]
    return [
        replace(row, seconds=_finite(seconds[row.name]), over_ours=_finite(ratio[row.name]))
        for row in rows
    ]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _judged(rows: list[Row], known: float | None) -> tuple[Row, ...]:
    """The rows with their looseness and what is wrong with them."""
    noted = [replace(row, note=_note(row, known)) for row in rows]
    valid = [
        row.attempt.value
        for row in noted
        if row.kind in {"upper", "exact"} and row.attempt.value is not None and not row.note
    ]
    tightest = min(valid, default=None)
    return tuple(
        replace(row, looser=row.attempt.value / tightest - 1)
        if tightest and row.attempt.value is not None
        else row
        for row in noted
    )


def _note(row: Row, known: float | None) -> str:
    value = row.attempt.value
    if value is None:
        return row.attempt.failure
    if not isfinite(value):
        return "not a number"
    if value < 0:
        return "negative"
    if row.kind != "lower" and known is not None and value < known * (1 - ROUNDING):
        return "too small: below what is known to be necessary"
    return ""

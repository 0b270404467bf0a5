"""Recorded answers, certified anew by the theorems of today from the ledger alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from holdfast.core.certificate import Certificate
from holdfast.core.errors import LedgerDamaged
from holdfast.core.interval import Interval
from holdfast.core.numerics import decimal_down, decimal_up, digits_up, float_up
from holdfast.core.span import Span
from holdfast.ledger.record import Settled
from holdfast.mechanisms.exponential import Exponential
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.mechanisms.quantile import Quantile
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.planner.plan import Plan
from holdfast.planner.recorded import own_certificate_of, span_of
from holdfast.query import form
from holdfast.query.tree import Column
from holdfast.session.past import plausible, with_outcome


@final
@dataclass(frozen=True, slots=True)
class Numbers:
    """Values with their intervals for the population: one, or one for each cell."""

    cells: tuple[tuple[float, Interval], ...]
    span: Span

    def lines(self) -> list[str]:
        shown = [self._shown(*cell) for cell in self.cells]
        if len(shown) == 1:
            return shown
        return [f"cell {number}: {line}" for number, line in enumerate(shown, start=1)]

    def _shown(self, value: float, interval: Interval) -> str:
        places = self.span.places
        low = decimal_down(interval.low, places=places)
        high = decimal_up(interval.high, places=places)
        return f"{value:.{places}f}; in the population from {low} to {high}"

    def to_dict(self) -> dict[str, object]:
        cells: list[dict[str, object]] = [
            {"value": value, "low": interval.low, "high": interval.high}
            for value, interval in self.cells
        ]
        return cells[0] if len(cells) == 1 else {"cells": cells}


@final
@dataclass(frozen=True, slots=True)
class Chosen:
    """A place in a list of candidates, from 0; none is better by more than `gap`."""

    index: int
    candidates: int
    gap: float

    def lines(self) -> list[str]:
        return [
            f"no. {self.index + 1:,} of the {self.candidates:,} candidates; in the population "
            f"none is better by more than {digits_up(self.gap)}"
        ]

    def to_dict(self) -> dict[str, object]:
        return {"chosen": self.index, "candidates": self.candidates, "gap": self.gap}


@final
@dataclass(frozen=True, slots=True)
class Level:
    """A value of a grid, and of which levels of the population it can be the quantile."""

    value: float
    levels: Interval

    def lines(self) -> list[str]:
        low, high = decimal_down(self.levels.low), decimal_up(self.levels.high)
        return [f"{self.value!r}; in the population a quantile of some level from {low} to {high}"]

    def to_dict(self) -> dict[str, object]:
        low, high = self.levels.low, self.levels.high
        return {"value": self.value, "lowest_level": low, "highest_level": high}


Finding = Numbers | Chosen | Level


@final
class Certifier:
    """Certifies the answers of one ledger; equal terms are worked out once."""

    def __init__(self, plan: Plan, *, ledger: str) -> None:
        self._plan = plan
        self._ledger = ledger
        self._known: dict[tuple[tuple[str, str], ...], Certificate] = {}

    def certificate(self, settled: Settled) -> Certificate:
        """What the theorems say of answers drawn as this one was."""
        terms = with_outcome(settled)
        key = tuple(sorted(terms.items()))
        if key not in self._known:
            self._known[key] = self._worked_out(terms)
        return self._known[key]

    def finding(self, settled: Settled) -> Finding:
        """What the answer says of the population; one that cannot be is damage."""
        try:
            return self._finding(settled, self.certificate(settled))
        except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
            problem = f"records an answer that cannot be ({error})"
            raise LedgerDamaged(ledger=self._ledger, problem=problem) from error

    def _worked_out(self, terms: Mapping[str, str]) -> Certificate:
        if not terms:
            return self._plan.certificate
        return own_certificate_of(self._plan, terms, ledger=self._ledger)

    def _finding(self, settled: Settled, certificate: Certificate) -> Finding:
        terms, value = settled.terms, settled.value
        span = span_of(terms)
        match terms.get("kind"):
            case Exponential.KIND:
                size = int(terms["candidates"])
                gap = float_up(Fraction(certificate.radius) * span.width)
                return Chosen(_index(value, size), size, gap)
            case Quantile.KIND:
                level, steps = Fraction(terms["level"]), int(terms["cells"])
                grid = form.Quantile(Column(""), level, float(span.low), float(span.high), steps)
                levels = Interval.around(level, radius=certificate.radius)
                return Level(grid.value(_index(value, steps)), levels)
            case GuessAndCheck.KIND | Thresholdout.KIND:
                if not plausible(settled, rows=self._plan.rows):
                    raise ValueError("no check gives it")
                shares = value[:1] if isinstance(value, tuple) else ()
            case _:
                shares = value if isinstance(value, tuple) else (value,)
                if len(shares) != int(terms.get("cells", "1")):
                    raise ValueError("it has another number of cells")
        if any(not 0 <= share <= 1 for share in shares):
            raise ValueError("it is no share")
        cells = [
            (float(span.value(share)), span.interval(certificate.interval(share)))
            for share in shares
        ]
        return Numbers(tuple(cells), span)


def _index(value: object, size: int) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1 or not 0 <= value < size:
        raise ValueError("it is no place in the list")
    return int(value)

"""Recorded answers as lines of a table and as JSON, from the ledger alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate, Interval
from peekproof.core.errors import LedgerDamaged
from peekproof.core.numerics import decimal_up, float_up
from peekproof.ledger.record import Settled
from peekproof.mechanisms.checking import Selection
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import span_of
from peekproof.query import form
from peekproof.query.tree import Column
from peekproof.session.certified import Certifier
from peekproof.session.past import guessed, plausible, with_outcome
from peekproof.session.selecting import selected


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A settled answer with what is certified about it."""

    settled: Settled
    certificate: Certificate

    @classmethod
    def of(cls, plan: Plan, settled: Settled, *, by: Certifier, ledger: str) -> "Record":
        certificate = by.certificate(settled)
        if guessed(settled) and isinstance(settled.value, tuple):
            if not plausible(settled, rows=plan.rows):
                raise LedgerDamaged(ledger=ledger, problem="records an answer of another shape")
            settled = Settled(settled.text, settled.value[0], with_outcome(settled))
        if selected(settled.terms):
            by.finding(settled)  # one that cannot be is damage
        return cls(settled, certificate)

    @property
    def chosen(self) -> bool:
        """Whether the value is the place of something in a public list."""
        kinds = (Exponential.KIND, Quantile.KIND, Selection.KIND)
        return self.settled.terms.get("kind") in kinds

    @property
    def _place(self) -> int:
        value = self.settled.value
        return int(value[0] if isinstance(value, tuple) else value)

    @property
    def _winner(self) -> tuple[float, Interval] | None:
        """The value of what was chosen, if it was told."""
        value = self.settled.value
        if not self.chosen or not isinstance(value, tuple):
            return None
        span = span_of(self.settled.terms)
        return float(span.value(value[1])), span.interval(self.certificate.interval(value[1]))

    @property
    def _reach(self) -> float:
        """How far the choice may be from the best: in units of means, or in levels."""
        if self.settled.terms.get("kind") == Quantile.KIND:
            return self.certificate.radius
        if self._winner:
            _, interval = self._winner
            return float_up(Fraction(interval.high) - Fraction(interval.low))
        return float_up(Fraction(self.certificate.radius) * span_of(self.settled.terms).width)

    def lines(self) -> list[list[str]]:
        """value, low, high, text: one line a number."""
        text, value = self.settled.text, self.settled.value
        if self.chosen:
            reach = decimal_up(self._reach)
            ends = ["", ""]
            if self._winner:
                shown = span_of(self.settled.terms).shown(self._winner[1])
                ends = shown.strip("[]").split(", ")
            return [[self._chosen_thing(), *ends, f"{text} (up to {reach})"]]
        if not isinstance(value, tuple):
            return [[*self._numbers()[0], text]]
        return [[*each, f"{text} [{n}]"] for n, each in enumerate(self._numbers(), 1)]

    def _chosen_thing(self) -> str:
        """A value of the grid, or the place in the list of candidates."""
        index, terms = self._place, self.settled.terms
        if terms.get("kind") != Quantile.KIND:
            return f"no. {index + 1}"
        span = span_of(terms)
        grid = form.Quantile(
            Column(""),
            Fraction(terms["level"]),
            float(span.low),
            float(span.high),
            int(terms["cells"]),
        )
        return repr(grid.value(index))

    def to_dict(self) -> dict[str, object]:
        text, value = self.settled.text, self.settled.value
        if self.chosen:
            told: dict[str, object] = {}
            if self._winner:
                number, interval = self._winner
                told = {"value": number, "low": interval.low, "high": interval.high}
            return {"question": text, "chosen": self._place, "gap": self._reach, **told}
        cells = [
            {"value": float(number), "low": interval.low, "high": interval.high}
            for number, interval in self._found()
        ]
        return {"question": text, **({"cells": cells} if isinstance(value, tuple) else cells[0])}

    def _found(self) -> list[tuple[float, Interval]]:
        value, span = self.settled.value, span_of(self.settled.terms)
        shares = value if isinstance(value, tuple) else (value,)
        return [
            (float(span.value(share)), span.interval(self.certificate.interval(share)))
            for share in shares
        ]

    def _numbers(self) -> list[list[str]]:
        span = span_of(self.settled.terms)
        return [
            [f"{number:.{span.places}f}", *span.shown(interval).strip("[]").split(", ")]
            for number, interval in self._found()
        ]

"""Recorded answers, certified anew by the theorems of today from the ledger alone."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate, Interval
from peekproof.core.errors import LedgerDamaged
from peekproof.core.numerics import float_up
from peekproof.ledger.record import Settled
from peekproof.mechanisms.checking import GuessAndCheck, Selection
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import own_certificate_of, span_of
from peekproof.query import form
from peekproof.query.tree import Column
from peekproof.session.finding import Chosen, Finding, Level, Numbers
from peekproof.session.past import plausible, with_outcome
from peekproof.session.selecting import selected_share

__all__ = ["Certifier", "Chosen", "Finding", "Level", "Numbers", "finding_of"]


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
        return finding_of(settled, self.certificate, rows=self._plan.rows, ledger=self._ledger)

    def _worked_out(self, terms: Mapping[str, str]) -> Certificate:
        if not terms:
            return self._plan.certificate
        return own_certificate_of(self._plan, terms, ledger=self._ledger)


def finding_of(
    settled: Settled, certify: Callable[[Settled], Certificate], *, rows: int, ledger: str
) -> Finding:
    """What an answer with such a certificate says; one that cannot be is damage."""
    try:
        return _finding(settled, certify(settled), rows)
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        problem = f"records an answer that cannot be ({error})"
        raise LedgerDamaged(ledger=ledger, problem=problem) from error


def _finding(settled: Settled, certificate: Certificate, rows: int) -> Finding:
    terms, value = settled.terms, settled.value
    span = span_of(terms)
    match terms.get("kind"):
        case Exponential.KIND:
            size = int(terms["candidates"])
            gap = float_up(Fraction(certificate.radius) * span.width)
            return Chosen(_index(value, size), size, gap)
        case Selection.KIND:
            place, share = selected_share(terms, value, rows=rows)
            found = span.interval(certificate.interval(share))
            gap = float_up(Fraction(found.high) - Fraction(found.low))
            winner = Numbers(((float(span.value(share)), found),), span)
            return Chosen(place, int(terms["candidates"]), gap, winner=winner)
        case Quantile.KIND:
            level, steps = Fraction(terms["level"]), int(terms["cells"])
            grid = form.Quantile(Column(""), level, float(span.low), float(span.high), steps)
            levels = Interval.around(level, radius=certificate.radius)
            return Level(grid.value(_index(value, steps)), levels)
        case GuessAndCheck.KIND | Thresholdout.KIND:
            if not plausible(settled, rows=rows):
                raise ValueError("no check gives it")
            shares = value[:1] if isinstance(value, tuple) else ()
        case _:
            shares = value if isinstance(value, tuple) else (value,)
            if len(shares) != int(terms.get("cells", "1")):
                raise ValueError("it has another number of cells")
    if any(not 0 <= share <= 1 for share in shares):
        raise ValueError("it is no share")
    cells = [
        (float(span.value(share)), span.interval(certificate.interval(share))) for share in shares
    ]
    return Numbers(tuple(cells), span)


def _index(value: object, size: int) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1 or not 0 <= value < size:
        raise ValueError("it is no place in the list")
    return int(value)

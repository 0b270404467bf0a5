"""What a session promises and how it keeps it."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from holdfast.accounting.session_gate import SessionGate
from holdfast.core import check
from holdfast.core.certificate import Certificate
from holdfast.core.charge import Charge
from holdfast.core.errors import InvalidInput
from holdfast.core.numerics import level_down
from holdfast.core.target import Target
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.splitting import Splitting, without_key
from holdfast.mechanisms.truncation import Truncation
from holdfast.planner.gaussian import best_gaussian
from holdfast.theory.generalization.truncation import best_bins

VACUOUS = 0.5

# Beyond these no one has rows or patience, and searches must end somewhere.
MOST_QUESTIONS = 10**12
MOST_ROWS = 10**18

# A key is drawn when a session is opened; for pricing any will do.
_NO_KEY = "0" * 32

Mechanism = Gaussian | Truncation | Splitting | OpenEnded

# What a number of questions can be promised with.
MECHANISMS: tuple[type[Mechanism], ...] = (Gaussian, Truncation, Splitting)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A mechanism, the promise it keeps, and the certificate for it."""

    target: Target
    mechanism: Mechanism
    certificate: Certificate

    @property
    def rows(self) -> int:
        return self.mechanism.rows

    @property
    def radius(self) -> float:
        """How far the widest interval can reach."""
        return self.certificate.radius

    @property
    def vacuous(self) -> bool:
        """Whether the intervals say no more than that a share is between 0 and 1."""
        return self.radius >= VACUOUS

    @property
    def budget(self) -> Charge:
        if isinstance(self.mechanism, OpenEnded):
            return self.mechanism.budget()
        return self.mechanism.cost() * self.target.questions

    def gate(self) -> SessionGate:
        return SessionGate.within(self.budget)

    def to_dict(self) -> dict[str, object]:
        described = without_key(self.mechanism.describe())
        return {
            "rows": self.rows,
            "questions": self.target.questions,
            "confidence": level_down(self.target.confidence),
            "radius": self.radius,
            "vacuous": self.vacuous,
            "mechanism": {
                name: value if name in ("kind", "stages") else float(Fraction(value))
                for name, value in described.items()
            },
            "certificate": self.certificate.to_dict(),
        }


def plan(
    *, rows: int, target: Target, mechanisms: Collection[type[Mechanism]] = MECHANISMS
) -> Plan:
    """The plan with the smallest radius: Gaussian noise, few possible answers, or fresh rows.

    `mechanisms` names the ones to choose from; only Gaussian noise also protects records. A
    search only chooses parameters; the radius is then certified for them as they are, so an
    imperfect search costs width and never validity.
    """
    check.positive_integer(rows=rows)
    for argument, value, most in (
        ("rows", rows, MOST_ROWS),
        ("questions", target.questions, MOST_QUESTIONS),
    ):
        if value > most:
            raise InvalidInput(argument=argument, accepted=f"at most {most:,}", given="more")
    chosen = [kind for kind in MECHANISMS if kind in mechanisms]
    if not chosen or len(chosen) != len(set(mechanisms)):
        raise InvalidInput(
            argument="mechanisms",
            accepted=f"some of {', '.join(kind.__name__ for kind in MECHANISMS)}",
            given=repr(mechanisms),
        )
    plans = [found for kind in chosen if (found := _best(kind.KIND, rows, target))]
    if not plans:
        raise InvalidInput(
            argument="questions",
            accepted=f"at most {rows:,}, one row each, for splitting",
            given=f"{target.questions:,}",
        )
    return min(plans, key=lambda each: each.radius)


@lru_cache(maxsize=768)
def _best(kind: str, rows: int, target: Target) -> Plan | None:
    """The best plan with one kind of mechanism; None if it cannot be run at all."""
    mechanism: Mechanism
    if kind == Gaussian.KIND:
        mechanism = best_gaussian(rows, target)
    elif kind == Truncation.KIND:
        mechanism = Truncation(rows=rows, bins=best_bins(rows=rows, target=target))
    elif target.questions <= rows:
        mechanism = Splitting(rows=rows, parts=target.questions, key=_NO_KEY)
    else:
        return None
    return Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))

"""The narrowest interval that Gaussian noise can promise for a number of questions."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, floor, log, log2, sqrt
from typing import final

from holdfast.accounting.clock import ClockFilter
from holdfast.core import check
from holdfast.core.certificate import Certificate
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import GDP
from holdfast.core.numerics import level_down
from holdfast.core.search import argmin
from holdfast.core.target import Target
from holdfast.mechanisms.gaussian import Gaussian

# σ is a whole number of grid steps in [64, 128): fine enough that rounding adds less than a
# thousandth to the radius, coarse enough that low-order bits carry nothing.
FINEST_STEPS = 64

VACUOUS = 0.5

# Beyond these no one has rows or patience, and searches must end somewhere.
MOST_QUESTIONS = 10**12
MOST_ROWS = 10**18


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A mechanism, the promise it keeps, and the certificate for it."""

    target: Target
    mechanism: Gaussian
    certificate: Certificate

    @property
    def rows(self) -> int:
        return self.mechanism.rows

    @property
    def radius(self) -> float:
        return self.certificate.radius

    @property
    def vacuous(self) -> bool:
        """Whether the intervals say no more than that a share is between 0 and 1."""
        return self.radius >= VACUOUS

    @property
    def budget(self) -> GDP:
        return self.mechanism.cost() * self.target.questions

    def filter(self) -> ClockFilter:
        return ClockFilter(self.budget)

    def to_dict(self) -> dict[str, object]:
        return {
            "rows": self.rows,
            "questions": self.target.questions,
            "confidence": level_down(self.target.confidence),
            "radius": self.radius,
            "vacuous": self.vacuous,
            "mechanism": {
                "kind": self.mechanism.KIND,
                "sigma": float(self.mechanism.sigma),
                "step": float(self.mechanism.step),
            },
            "certificate": self.certificate.to_dict(),
        }


def plan(*, rows: int, target: Target) -> Plan:
    """The plan with the smallest radius over all noise scales on the grid.

    The search only chooses σ; the radius is then certified for that σ as it is, so an
    imperfect search costs width and never validity.
    """
    check.positive_integer(rows=rows)
    for argument, value, most in (
        ("rows", rows, MOST_ROWS),
        ("questions", target.questions, MOST_QUESTIONS),
    ):
        if value > most:
            raise InvalidInput(argument=argument, accepted=f"at most {most:,}", given="more")
    return _best(rows, target)


@lru_cache(maxsize=256)
def _best(rows: int, target: Target) -> Plan:
    def at(steps: int, exponent: int) -> Gaussian:
        step = Fraction(2) ** -exponent
        return Gaussian(rows=rows, sigma=steps * step, step=step)

    def grid_exponent(sigma: float) -> int:
        return max(0, -floor(log2(sigma / FINEST_STEPS)))

    def radius(log_sigma: float) -> float:
        sigma = exp(log_sigma)
        exponent = grid_exponent(sigma)
        exact = Gaussian(rows=rows, sigma=Fraction(sigma), step=Fraction(2) ** -exponent)
        return exact.certify(target).radius

    # Balanced parts give σ² ≈ √k·c/n with c between 0.1 and 2 for any sensible level.
    guess = log(sqrt(target.questions) ** 0.5 / sqrt(rows))
    sigma = exp(argmin(radius, low=guess - 5, high=guess + 2))
    exponent = grid_exponent(sigma)
    steps = floor(sigma * 2.0**exponent)
    candidates = [at(max(1, steps + shift), exponent) for shift in (-1, 0, 1, 2)]
    certified = [(mechanism.certify(target), mechanism) for mechanism in candidates]
    certificate, mechanism = min(certified, key=lambda pair: pair[0].radius)
    return Plan(target=target, mechanism=mechanism, certificate=certificate)

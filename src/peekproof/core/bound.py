"""How strong a statement about the population is, as a type.

Only `Simultaneous` may certify an answer. Code that issues intervals takes a `Simultaneous` in its
signature, so a bound for one question or on average cannot get there; the type checker says so.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.interval import Interval


def _unit(**named: object) -> None:
    ((name, value),) = named.items()
    if not isinstance(value, float) or not 0 <= value <= 1:  # also true for NaN
        raise InvalidInput(argument=name, accepted="a float between 0 and 1", given=repr(value))


def _cut(radius: float) -> float:
    """At most 1, and NaN stays NaN to be refused."""
    return 1.0 if radius > 1 else radius


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Simultaneous:
    """Pr[ every answer is within `radius` of the population ] ≥ 1 − `beta`."""

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _unit(radius=self.radius)
        check.unit_fraction(beta=self.beta)

    @classmethod
    def of(cls, radius: float, *, beta: Fraction) -> "Simultaneous":
        """The statement for this radius; beyond 1 it says nothing more than 1."""
        return cls(radius=_cut(radius), beta=min(Fraction(1), beta))

    def around(self, answer: Fraction) -> Interval:
        """All shares that the statement allows for this answer. No other kind of bound has this."""
        return Interval.around(answer, radius=self.radius)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OneQuestion:
    """A deviation within `radius` with probability 1 − `beta`, for one question alone.

    It says nothing about the worst of several, and it may hold only on average over the
    mechanism's coins; the theorem says which. It certifies no answer.
    """

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _unit(radius=self.radius)
        check.unit_fraction(beta=self.beta)

    @classmethod
    def of(cls, radius: float, *, beta: Fraction) -> "OneQuestion":
        return cls(radius=_cut(radius), beta=min(Fraction(1), beta))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OnAverage:
    """An expected deviation of at most `radius`. It certifies no answer."""

    radius: float

    def __post_init__(self) -> None:
        _unit(radius=self.radius)

    @classmethod
    def of(cls, radius: float) -> "OnAverage":
        return cls(radius=_cut(radius))

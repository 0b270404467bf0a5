"""What one route from rows and questions to a radius promises, and why it is no better."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.certificate import OneQuestion, Simultaneous
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_up


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NotAdaptive:
    """All answers within `radius` with probability 1 − `beta`, if no question saw an answer.

    A line to compare with. It certifies no answer to a question that was chosen adaptively.
    """

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.radius <= 1:  # also true for NaN
            raise InvalidInput(
                argument="radius", accepted="between 0 and 1", given=repr(self.radius)
            )
        check.unit_fraction(beta=self.beta)


Bound = Simultaneous | OneQuestion | NotAdaptive

# From the strongest to the weakest; the words are for people.
_STRENGTHS: dict[type[Bound], str] = {
    Simultaneous: "all answers together",
    OneQuestion: "one question only",
    NotAdaptive: "only if nothing adapts",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A route, the theorems it takes, and the radius they give at the parameters named.

    `runs` says whether a session can take this route; only one that promises all answers
    together may. No parameters: the route's theorems do not apply to these numbers at all.
    """

    route: str
    theorems: tuple[str, ...]
    bound: Bound
    parameters: tuple[tuple[str, Fraction], ...]
    why: str
    runs: bool = False

    def __post_init__(self) -> None:
        if self.runs and not isinstance(self.bound, Simultaneous):
            raise InvalidInput(
                argument="runs",
                accepted="true only for a bound that holds for all answers together",
                given=type(self.bound).__name__,
            )

    @property
    def radius(self) -> float:
        return self.bound.radius

    @property
    def simultaneous(self) -> bool:
        return isinstance(self.bound, Simultaneous)

    @property
    def promises(self) -> str:
        """What the radius holds for, in words."""
        return _STRENGTHS[type(self.bound)]

    @property
    def place(self) -> tuple[int, float, bool]:
        """Where it stands in a comparison: stronger promises first, then narrower ones."""
        return list(_STRENGTHS).index(type(self.bound)), self.radius, not self.runs

    def to_dict(self) -> dict[str, object]:
        return {
            "route": self.route,
            "theorems": list(self.theorems),
            "radius": self.radius,
            "promises": self.promises,
            "simultaneous": self.simultaneous,
            "runs": self.runs,
            "parameters": {name: level_up(value) for name, value in self.parameters},
            "why": self.why,
        }

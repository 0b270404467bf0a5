"""What all mechanisms have that choose one of many candidates by integer scores."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from peekproof.core import check
from peekproof.core.charge import PureDP


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """How many candidates there are, how private the choice is, and how far a record moves a score.

    Public: all fields.
    """

    KIND: ClassVar[str]

    candidates: int
    epsilon: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(candidates=self.candidates)
        check.positive_fraction(epsilon=self.epsilon)
        check.positive_integer(sensitivity=self.sensitivity)

    @property
    def scale(self) -> Fraction:
        """b = 2Δ/ε, in the units of the scores."""
        return 2 * self.sensitivity / self.epsilon

    def cost(self) -> PureDP:
        return PureDP(self.epsilon)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.KIND,
            "candidates": str(self.candidates),
            "epsilon": str(self.epsilon),
            "sensitivity": str(self.sensitivity),
        }

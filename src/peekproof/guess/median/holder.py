"""What holds all data sets that are consistent so far, and how it says that there are none."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from peekproof.guess.median.constraint import Constraint, Values


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoneConsistent:
    """No data set agrees with all constraints, or none was found: there is no median.

    The sample agrees with its own answers, so this says that no data set of so few records
    represents it on the questions answered, or that the search for one gave up. Guesses lose their
    aim; validity never rests on a guess.
    """

    constraints: int


class Holder(Protocol):
    """All data sets over `cells` cells that satisfy every constraint so far, weighed equally.

    Equally as ordered data sets: a histogram counts as often as its records can be ordered.
    """

    @property
    def cells(self) -> int:
        """How many cells the domain has."""
        ...

    @property
    def consistent(self) -> bool:
        """Whether anything is held."""
        ...

    def median(self, values: Values) -> Fraction | NoneConsistent:
        """The median of the question over what is held; it changes nothing."""
        ...

    def keep(self, constraint: Constraint) -> None:
        """Drop every data set that violates the constraint."""
        ...

    def describe(self) -> dict[str, str]:
        """What a record needs in order to make the same guesses again."""
        ...

"""The best of many candidates, told with the bin that holds its share."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.charge import Draws
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.opened import opened
from peekproof.mechanisms.public_grid import with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.checking import check_bins


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The place of the candidate with the largest total, and the bin of its share, from 0."""

    index: int
    bin: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The first of the candidates with the largest total, and which of `bins` equal bins holds it.

    Guarantees: the interval of what was chosen, and that no other candidate is better in the
    population by more than its width, together with all checked guesses of the session. It is
    deterministic and not differentially private: it protects the analysis, not the records.
    Proof: T-check-choice.
    Public: all fields.  Secret: the totals given to `release`.
    """

    KIND: ClassVar[str] = "selection"

    rows: int
    candidates: int
    bins: int
    levels: int = 1

    def __post_init__(self) -> None:
        units = check.positive_integer(rows=self.rows) * check.positive_integer(levels=self.levels)
        check.positive_integer(candidates=self.candidates)
        check_bins(self.bins, units=units)

    @property
    def outcomes(self) -> int:
        """How many things it can say."""
        return self.candidates * self.bins

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, totals: Exact[tuple[int, ...]], *, rng: Entropy) -> Selected:  # noqa: ARG002
        """The largest, without noise."""
        found = opened(totals, numbers=self.candidates)
        largest = max(found)
        held = largest * self.bins // (self.rows * self.levels)
        return Selected(index=found.index(largest), bin=max(0, min(self.bins - 1, held)))

    def radius(self, *, beta: Fraction) -> float:
        """How far the midpoint of the bin is from the share in the sample, surely. Rounds: up."""
        check.probability(beta=beta)
        return float_up(Fraction(1, 2 * self.bins))

    def midpoint(self, held: int) -> Fraction:
        """What is told of a share in this bin."""
        return Fraction(2 * held + 1, 2 * self.bins)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.KIND,
            "candidates": str(self.candidates),
            "bins": str(self.bins),
        }
        return with_levels(described, self.levels)

"""A share cut to the midpoint of one of a few bins: no noise, and few possible answers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.truncation import truncation_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """The midpoint of the one of `bins` equal bins that holds total/(rows·levels).

    Guarantees: `certify(target)`, because k answers have at most bins^k values (T-truncation). It
    is deterministic and not differentially private: it protects the analysis, not the records.
    Proof: T-truncation.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "truncation"

    rows: int
    bins: int
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(bins=self.bins)
        check.positive_integer(levels=self.levels)

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:  # noqa: ARG002 no noise
        held = total.reveal() * self.bins // (self.rows * self.levels)
        held = max(0, min(self.bins - 1, held))
        return Fraction(2 * held + 1, 2 * self.bins)

    def radius(self, *, beta: Fraction) -> float:
        """Half a bin: how far a release errs from the share of the sample, surely."""
        check.probability(beta=beta)
        return float_up(Fraction(1, 2 * self.bins))

    def certify(self, target: Target) -> Certificate:
        return truncation_certificate(rows=self.rows, bins=self.bins, target=target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return with_levels({"kind": self.KIND, "bins": str(self.bins)}, self.levels)

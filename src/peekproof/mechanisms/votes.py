"""The mean of a few votes: each asks one random row for its bit."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate
from peekproof.core.loss import Draws
from peekproof.core.secret import Exact
from peekproof.core.target import Target
from peekproof.mechanisms.public_grid import with_levels
from peekproof.noise.binomial import binomial
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.description_length import hoeffding_radius
from peekproof.theory.generalization.votes import vote_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """The share of heads among `votes` new coins, each of chance total/(rows·levels).

    A coin is the bit of a row picked at random (a row between 0 and 1 flips one of that chance), so
    this is subsampling with replacement.
    Guarantees: `certify(target)`, because votes say little about the sample as a whole (T-mi,
    T-mi-votes). Each vote shows some record's bit as it is, so no useful differential privacy
    follows: it protects the analysis, not the records.
    Proof: picks are uniform and independent, so a vote is 1 with that probability.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "votes"

    rows: int
    votes: int
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(votes=self.votes)
        check.positive_integer(levels=self.levels)

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:
        heads = binomial(
            trials=self.votes,
            numerator=total.reveal(),
            denominator=self.rows * self.levels,
            rng=rng,
        )
        return Fraction(heads, self.votes)

    def radius(self, *, beta: Fraction) -> float:
        """T-length, with the votes as rows and the sample as their population. Rounds: up."""
        return hoeffding_radius(rows=self.votes, beta=beta)

    def certify(self, target: Target) -> Certificate:
        return vote_certificate(rows=self.rows, votes=self.votes, target=target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return with_levels({"kind": self.KIND, "votes": str(self.votes)}, self.levels)

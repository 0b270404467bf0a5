"""A share cut to the midpoint of one of a few bins: no noise, and few possible answers."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    fixed_point,
    is_number,
)
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.truncation import best_bins, truncation_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation(Mechanism):
    """The midpoint of the one of `bins` equal bins that holds total/(rows·levels).

    Guarantees: `certify(target)`, because k answers have at most bins^k values (T-truncation). It
    is deterministic and not differentially private: it protects the analysis, not the records.
    Proof: T-truncation.
    Public: all fields.  Secret: the total given to `release`.
    """

    kind: ClassVar[str] = "truncation"
    plainly: ClassVar[str] = "Answers cut to a few bins."
    remembers: ClassVar[bool] = False
    place: ClassVar[int] = 1
    automatic: ClassVar[bool] = True

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

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "Truncation":  # noqa: ARG003
        return cls(rows=rows, bins=best_bins(rows=rows, target=target))

    def budget(self, target: Target) -> Draws:
        return self.cost() * target.questions

    def gathers(self, target: Target) -> bool:  # noqa: ARG002
        return True

    def phrase(self, target: Target) -> str:  # noqa: ARG002
        return "cutting answers to bins"

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "BinnedShare":  # noqa: ARG002
        self.one_radius(ask, past.target)
        return BinnedShare(rows=self.rows, bins=self.bins, levels=ask.what.levels)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedShare(Draw):
    """One share or mean, cut to its bin."""

    kind: ClassVar[str] = "truncation"

    rows: int
    bins: int
    levels: int = 1

    @property
    def law(self) -> Truncation:
        return Truncation(rows=self.rows, bins=self.bins, levels=self.levels)

    @property
    def cost(self) -> Draws:
        return self.law.cost()

    def made_for(self, asked: Demand) -> bool:
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        return (self.law.release(exact, rng=rng),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        if replace(self.law, levels=1) != promise:
            raise ValueError("bins where the promise has none")
        return fixed_point(promise.certify(target), self.levels)

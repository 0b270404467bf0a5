"""The filter for approximate differential privacy with adaptively chosen parameters."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.charge import Admitted, ApproxDP, Refused
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, up
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxSpent:
    """What the theorem needs to remember: the sum of ε² and the sum of δ."""

    squares: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


@theorem(
    "T-filter",
    "whitehouse-ramdas-rogers-wu-2023",
    "The filter for approximate differential privacy",
)
def largest_squares(limit: ApproxDP, *, slack: Fraction) -> Fraction:
    """The largest Σε_j² that keeps a conversation within `limit`, when δ′ = `slack` is set aside.

        √(2 ln(1/δ′)·Σε_j²) + ½ Σε_j² ≤ ε,   δ′ + Σδ_j ≤ δ

    Solved for the sum: Σε_j² ≤ (√(2 ln(1/δ′) + 2ε) − √(2 ln(1/δ′)))², computed without
    cancellation as (2ε / (√(2 ln(1/δ′) + 2ε) + √(2 ln(1/δ′))))².

    Holds when: each (ε_j, δ_j) is decided before its answer is drawn; questions, parameters and
    the stopping time may all adapt.
    Rounds: down. The result is a limit: smaller is safer.
    """
    check.probability(slack=slack)
    double_log = up(-2 * log(float_down(slack)))
    epsilon = float_down(limit.epsilon)
    root = down(
        2 * epsilon / (sqrt(up(double_log + 2 * float_up(limit.epsilon))) + sqrt(double_log))
    )
    return Fraction(max(0.0, down(root * root)))


@lru_cache(maxsize=256)
def _most(limit: ApproxDP, slack: Fraction) -> ApproxSpent:
    return ApproxSpent(squares=largest_squares(limit, slack=slack), delta=limit.delta - slack)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxFilter:
    """Admits (ε_j, δ_j) chosen adaptively while T-filter keeps the whole within `limit`."""

    limit: ApproxDP
    slack: Fraction

    def __post_init__(self) -> None:
        check.probability(slack=self.slack)
        if self.slack > self.limit.delta:
            raise InvalidInput(
                argument="slack",
                accepted=f"at most the δ of the limit, {float(self.limit.delta):g}",
                given=f"{float(self.slack):g}",
            )

    def admit(
        self, cost: ApproxDP, *, spent: ApproxSpent
    ) -> Admitted[ApproxSpent] | Refused[ApproxSpent]:
        """The sums once `cost` is charged, or a refusal; constant time, exact sums."""
        total = ApproxSpent(squares=spent.squares + cost.epsilon**2, delta=spent.delta + cost.delta)
        most = _most(self.limit, self.slack)
        fits = total.squares <= most.squares and total.delta <= most.delta
        return Admitted(total) if fits else Refused(most)

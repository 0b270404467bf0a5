"""The best δ′ for advanced composition of Gaussian answers."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import final

from peekproof.accounting.calibration import gaussian_sigma, largest_amount
from peekproof.core import check
from peekproof.core.charge import ApproxDP
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.conversion import failure


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SlackChoice:
    """How to spend δ: δ′ = `slack` on composing, the rest in equal parts on the answers."""

    slack: Fraction
    each: ApproxDP
    sigma: Fraction


def best_slack(target: ApproxDP, *, sensitivity: Fraction, count: int) -> SlackChoice:
    """The δ′ with which `count` Gaussian answers need the least noise by T-advanced-sharp.

    For Laplace answers there is nothing to choose: they fail with no δ of their own, and the best
    δ′ is all of it. The exact composition (`gaussian_sigma`) needs less noise than any δ′.
    """
    failure(delta=target.delta)
    check.positive_integer(count=count)
    if count == 1:
        sigma = gaussian_sigma(target, sensitivity=sensitivity)
        return SlackChoice(slack=Fraction(0), each=target, sigma=sigma)

    def choice(part: float) -> SlackChoice:
        slack = target.delta * Fraction(part)
        each = _each(target, slack, count)
        return SlackChoice(
            slack=slack, each=each, sigma=gaussian_sigma(each, sensitivity=sensitivity)
        )

    # σ is unimodal in the logarithm of the odds of δ′ in δ.
    low, high = -12.0, 12.0
    while high - low > 1e-2:
        third = (high - low) / 3
        left, right = choice(_part(low + third)), choice(_part(high - third))
        low, high = (low, high - third) if left.sigma < right.sigma else (low + third, high)
    return choice(_part((low + high) / 2))


def _part(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def _each(target: ApproxDP, slack: Fraction, count: int) -> ApproxDP:
    """The largest equal parameters that compose within the target."""
    delta = (target.delta - slack) / count

    def fits(epsilon: Fraction) -> bool:
        one = ApproxDP(epsilon=epsilon, delta=delta)
        return advanced_sharp(one, count=count, slack=slack).epsilon <= target.epsilon

    return ApproxDP(epsilon=largest_amount(fits), delta=delta)

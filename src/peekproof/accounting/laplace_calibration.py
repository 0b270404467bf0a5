"""The smallest Laplace noise, or the most answers, that keep a target."""

from fractions import Fraction

from peekproof.accounting.calibration import most_that_fit
from peekproof.core import check
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.theory.conversion import failure
from peekproof.theory.optimal_composition import optimal_at

_PRECISION = Fraction(1, 2**30)


def laplace_scale(target: PureDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Laplace scale with which `count` answers are together ε-private: kΔ/ε, exact."""
    check.positive_fraction(epsilon=target.epsilon)
    check.positive_fraction(sensitivity=sensitivity)
    return check.positive_integer(count=count) * sensitivity / target.epsilon


def laplace_scale_within(target: ApproxDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """A Laplace scale with which `count` answers meet (ε, δ), least to 1 in 2³⁰ by T-optimal.

    Between Δ/ε, below which not even one answer fits by more than δ buys, and kΔ/ε, which needs
    no δ. The scale returned was tested.
    """
    failure(delta=target.delta)
    high = laplace_scale(PureDP(target.epsilon), sensitivity=sensitivity, count=count)

    def meets(scale: Fraction) -> bool:
        each = ApproxDP(epsilon=sensitivity / scale, delta=Fraction(0))
        return optimal_at(each, count=count, epsilon=target.epsilon).delta <= target.delta

    low = high / 2
    while meets(low):
        low, high = low / 2, low
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def most_laplace_answers(target: ApproxDP, *, each: PureDP) -> int:
    """How many Laplace answers of loss `each` meet the target together, by T-optimal."""
    check.positive_fraction(epsilon=each.epsilon)
    failure(delta=target.delta)
    one = ApproxDP(epsilon=each.epsilon, delta=Fraction(0))
    return most_that_fit(
        lambda count: optimal_at(one, count=count, epsilon=target.epsilon).delta <= target.delta,
        most=10**9,
    )

"""The smallest Gaussian noise, or the most answers, that keep a target: tested, then returned."""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, largest
from peekproof.theory.conversion import CLOSE, NEXT, delta_above, gdp_to_approx_at, mu_near

# Relative precision of the noise scale: far below what any release could show.
_PRECISION = Fraction(1, 2**40)
_MOST_ANSWERS = 10**18
_LEAST = Fraction(1, 10**100)
_WIDEST = 300


def gaussian_sigma(target: ApproxDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Gaussian noise, to 1 in 2³³, with which `count` answers meet the target.

    By T-gdp-dp, exact for the Gaussian mechanism: σ = √k·Δ/μ for the largest μ whose δ(ε) is at
    most δ. The μ used was tested, so an imperfect search costs noise and never the promise.
    """
    check.positive_fraction(sensitivity=sensitivity)
    check.positive_integer(count=count)
    square = _quick(target) or largest_amount(lambda square: _meets(GDP(square), target))
    return root_up(count * sensitivity**2 / square)


def _quick(target: ApproxDP) -> Fraction | None:
    """A μ² that was tested, with one a little larger that fails the test; or None."""
    if not (_LEAST <= target.delta < 1 and _LEAST <= target.epsilon <= 700):
        return None
    epsilon, delta = float_down(target.epsilon), float_down(target.delta)
    near = mu_near(epsilon, delta)
    if delta_above((near * (1 + NEXT)) ** 2, epsilon) <= delta:
        return None
    tried = ((near * (1 - close)) ** 2 for close in CLOSE)
    return next((Fraction(x) for x in tried if delta_above(x, epsilon) <= delta), None)


def most_answers(target: ApproxDP, *, each: GDP) -> int:
    """How many answers of loss `each` meet the target together; 0 if not even one."""
    check.positive_fraction(mu_squared=each.mu_squared)
    return most_that_fit(lambda count: _meets(each * count, target), most=_MOST_ANSWERS)


def most_that_fit(fits: Callable[[int], bool], *, most: int) -> int:
    """The largest count that fits; refused if even `most` does, for the search ends there."""
    count = largest(fits, most=most)
    if count == most:
        raise InvalidInput(
            argument="each",
            accepted=f"a loss of which fewer than {most:,} fit",
            given="one of which more do",
        )
    return count


def _meets(loss: GDP, target: ApproxDP) -> bool:
    return gdp_to_approx_at(loss, epsilon=target.epsilon).delta <= target.delta


def largest_amount(fits: Callable[[Fraction], bool]) -> Fraction:
    """A tested amount, next to the largest that fits; refused if 2^±300 does not bracket it."""
    low = Fraction(1)
    steps = 0
    while not fits(low) and steps < _WIDEST:
        low, steps = low / 2, steps + 1
    while fits(2 * low) and steps < _WIDEST:
        low, steps = 2 * low, steps + 1
    if steps == _WIDEST:
        raise InvalidInput(
            argument="target",
            accepted="an ε and δ that some noise meets and not every noise",
            given=f"one that noise between 2^-{_WIDEST // 2} and 2^{_WIDEST // 2} does not bracket",
        )
    high = 2 * low
    while high - low > _PRECISION * low:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def root_up(square: Fraction) -> Fraction:
    """A rational above the root of `square`, by less than 1 in 2⁶⁰."""
    size = square.numerator.bit_length() - square.denominator.bit_length()
    bits = 2 * max(0, 64 - size // 2)  # then the root has at least 63 bits
    scaled = -(-(square.numerator << bits) // square.denominator)
    root = isqrt(scaled)
    root += root * root < scaled
    return Fraction(root + 1, 1 << (bits // 2))

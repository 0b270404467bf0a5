"""The smallest noise, or the most answers, that keep a target: found by tests that were passed."""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from holdfast.core import check
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import GDP, ApproxDP, PureDP
from holdfast.core.search import largest
from holdfast.theory.conversion.gdp_to_approx import gdp_to_approx_at

# Relative precision of the noise scale: far below what any release could show.
_PRECISION = Fraction(1, 2**40)
_MOST_ANSWERS = 10**18
_WIDEST = 300


def laplace_scale(target: PureDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Laplace scale with which `count` answers are together ε-private: kΔ/ε, exact."""
    check.positive_fraction(epsilon=target.epsilon)
    check.positive_fraction(sensitivity=sensitivity)
    return check.positive_integer(count=count) * sensitivity / target.epsilon


def gaussian_sigma(target: ApproxDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Gaussian noise, to 1 in 2⁴⁰, with which `count` answers meet the target.

    By T-gdp-dp, exact for the Gaussian mechanism: σ = √k·Δ/μ for the largest μ whose δ(ε) is at
    most δ. The μ used was tested, so an imperfect search costs noise and never the promise.
    """
    check.positive_fraction(sensitivity=sensitivity)
    check.positive_integer(count=count)
    square = _largest_square(lambda square: _meets(GDP(square), target))
    return _root_up(count * sensitivity**2 / square)


def most_answers(target: ApproxDP, *, each: GDP) -> int:
    """How many answers of loss `each` meet the target together; 0 if not even one."""
    check.positive_fraction(mu_squared=each.mu_squared)
    count = largest(lambda count: _meets(each * count, target), most=_MOST_ANSWERS)
    if count == _MOST_ANSWERS:
        raise InvalidInput(
            argument="each",
            accepted=f"a loss of which fewer than {_MOST_ANSWERS:,} fit",
            given=str(float(each.mu_squared)),
        )
    return count


def _meets(loss: GDP, target: ApproxDP) -> bool:
    return gdp_to_approx_at(loss, epsilon=target.epsilon).delta <= target.delta


def _largest_square(fits: Callable[[Fraction], bool]) -> Fraction:
    """A tested square, next to the largest that fits; refused if 2^±300 does not bracket it."""
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


def _root_up(square: Fraction) -> Fraction:
    """A rational above the root of `square`, by less than 1 in 2⁶⁰."""
    bits = 2 * max(0, 64 - square.numerator.bit_length() + square.denominator.bit_length())
    scaled = -(-(square.numerator << bits) // square.denominator)
    root = isqrt(scaled)
    root += root * root < scaled
    return Fraction(root + 1, 1 << (bits // 2))

"""The laws that noise must follow, summed by mpmath, and how far chance moves a sample."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import log, sqrt

from mpmath import exp, mpf, workdps

from peekproof.testing.statistics import fit_p_value

FALSE_ALARM = 1e-9

Law = Callable[[Fraction], Callable[[int], float]]


def _distribution(weight: Callable[[int], mpf], reach: int) -> Callable[[int], float]:
    """The distribution function of P(z) ∝ weight(|z|), whose tail beyond `reach` is negligible."""
    weights = [weight(abs(z)) for z in range(-reach, reach + 1)]
    sums = list(accumulate(weights))
    table = [float(partial / sums[-1]) for partial in sums]

    def cdf(z: int) -> float:
        return 0.0 if z < -reach else table[min(z, reach) + reach]

    return cdf


def laplace_cdf(scale: Fraction) -> Callable[[int], float]:
    """P(z) ∝ e^{−|z|/scale}; beyond 50 scales lies less than e^{−49}."""
    with workdps(30):
        b = mpf(scale.numerator) / scale.denominator
        return _distribution(lambda z: exp(-z / b), int(50 * scale) + 50)


def gaussian_cdf(sigma: Fraction) -> Callable[[int], float]:
    """P(z) ∝ e^{−z²/(2σ²)}; beyond 10 σ lies less than e^{−49}."""
    with workdps(30):
        s = mpf(sigma.numerator) / sigma.denominator
        return _distribution(lambda z: exp(-z * z / (2 * s * s)), int(10 * sigma) + 12)


def assert_follows(sample: Sequence[int], law: Law, scale: Fraction) -> None:
    """The sample fits the law at its scale, and at no other that is 10 % off."""
    assert fit_p_value(sample, law(scale)) > FALSE_ALARM
    for factor in (Fraction(9, 10), Fraction(11, 10)):
        assert fit_p_value(sample, law(scale * factor)) < FALSE_ALARM, factor


def _empirical(sample: Sequence[int]) -> Callable[[int], float]:
    ordered = sorted(sample)
    return lambda z: bisect_right(ordered, z) / len(ordered)


def assert_tells_apart(
    theirs: Sequence[int],
    ours: Callable[[Fraction], Sequence[int]],
    law: Law,
    scale: Fraction,
) -> None:
    """Magnitudes of both have one law, and those of ours at a scale 10 % off have another.

    By the inequality of Dvoretzky, Kiefer and Wolfowitz each sample lies within its share of
    `reach` of its law, except with half the false alarm. The laws of the two wrong scales lie more
    than twice as far away, so that they are told apart as surely as the right one is accepted.
    """
    magnitudes = [abs(z) for z in theirs]
    reference = _empirical(magnitudes)
    for factor in (Fraction(1), Fraction(9, 10), Fraction(11, 10)):
        drawn = [abs(z) for z in ours(factor)]
        sizes = (len(magnitudes), len(drawn))
        reach = sum(sqrt(log(4 / FALSE_ALARM) / (2 * size)) for size in sizes)
        support = range(max(*magnitudes, *drawn) + 1)
        empirical = _empirical(drawn)
        gap = max(abs(empirical(z) - reference(z)) for z in support)
        if factor == 1:
            assert gap < reach
        else:
            right, wrong = law(scale), law(scale * factor)
            # By symmetry P(|z| ≤ c) = 2 P(z ≤ c) − 1.
            assert max(2 * abs(right(z) - wrong(z)) for z in support) > 2 * reach
            assert gap > reach

"""How far a sum of bounded terms can exceed its drift."""

from fractions import Fraction
from math import exp, inf, log, nextafter, sqrt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem

FAR = Fraction(1000)  # e^{−1000} is below the smallest float
LARGEST = Fraction(10) ** 300  # beyond it floats could overflow


def _rational(**named: object) -> Fraction:
    ((name, value),) = named.items()
    if not isinstance(value, Fraction):
        raise InvalidInput(argument=name, accepted="a Fraction", given=repr(value))
    return value


def _conditions(count: int, bound: Fraction, mean: Fraction) -> None:
    check.positive_integer(count=count)
    check.positive_fraction(bound=bound)
    if abs(_rational(mean=mean)) > bound:
        accepted = f"between -{bound} and {bound}"
        raise InvalidInput(argument="mean", accepted=accepted, given=str(mean))


@theorem("T-azuma", "peekproof", "The proof in its docstring")
def azuma_tail(*, threshold: Fraction, count: int, bound: Fraction, mean: Fraction) -> float:
    """A bound on Pr[Z_1 + … + Z_k > threshold], k = `count`.

        Pr[ Σ Z_i > kβ + t·√k·α ] ≤ e^{−t²/2}        α = `bound`, β = `mean`, t ≥ 0

    Proof. By Hoeffding's lemma a variable in [−α, α] with conditional mean at most β has
    conditional E e^{λZ} ≤ e^{λβ + λ²α²/2} for λ ≥ 0. Multiply over i, one condition at a time,
    and apply Markov to e^{λΣZ}: Pr[Σ Z > kβ + s] ≤ e^{−λs + kλ²α²/2}, at λ = s/(kα²).

    Holds when: |Z_i| ≤ α surely and E[Z_i | Z_1, …, Z_{i−1}] ≤ β surely; the terms may depend
    on one another in any other way, and k is fixed in advance.
    Rounds: up. The exponent is exact and enters rounded towards 0.
    """
    _conditions(count, bound, mean)
    excess = _rational(threshold=threshold) - count * mean
    if excess <= 0:
        return 1.0
    exponent = min(excess**2 / (2 * count * bound**2), FAR)
    return min(1.0, up(exp(-float_down(exponent))))


@theorem("T-azuma-deviation", "peekproof", "The proof in its docstring")
def azuma_deviation(*, count: int, bound: Fraction, mean: Fraction, beta: Fraction) -> float:
    """A level that Z_1 + … + Z_k, k = `count`, exceeds with probability at most `beta`.

        k·mean + bound·√(2k ln(1/beta))

    Proof. T-azuma with t = √(2 ln(1/beta)).

    Holds when: as for T-azuma.
    Rounds: up. Drift and deviation are each rounded up, and so is their sum.
    """
    _conditions(count, bound, mean)
    check.probability(beta=beta)
    if count * max(bound, Fraction(1)) > LARGEST:
        return inf
    deviation = up(float_up(bound) * sqrt(-2 * count * log(float_down(beta))))
    return nextafter(float_up(count * mean) + deviation, inf)

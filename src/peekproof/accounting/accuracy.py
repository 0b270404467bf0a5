"""What noise costs: Laplace against Gaussian in many dimensions, basic against advanced."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import final

from peekproof.accounting.calibration import (
    gaussian_sigma,
    laplace_scale,
    laplace_scale_within,
    largest_amount,
)
from peekproof.core import check
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.core.numerics import up
from peekproof.theory.composition import advanced_sharp


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VectorAccuracy:
    """The root mean square of ‖answer − mean‖₂ for the mean of n records in [0, 1]^K."""

    dimensions: int
    laplace: float
    gaussian: float


def vector_accuracy(*, rows: int, dimensions: int, target: ApproxDP) -> VectorAccuracy:
    """Laplace noise, ε-private, beside Gaussian noise, (ε, δ)-private, in R^K.

        Laplace:  √2·K^{3/2}/(nε)      (L1 sensitivity K/n, scale K/(nε) in each coordinate)
        Gaussian: K/(nμ)               (L2 sensitivity √K/n, σ = √K/(nμ), μ = μ(ε, δ))

    Rounds: up.
    """
    n, size = check.positive_integer(rows=rows), check.positive_integer(dimensions=dimensions)
    scale = laplace_scale(PureDP(target.epsilon), sensitivity=Fraction(size, n))
    sigma = gaussian_sigma(target, sensitivity=Fraction(1, n), count=size)
    return VectorAccuracy(
        dimensions=size,
        laplace=up(sqrt(2 * size) * float(scale)),
        gaussian=up(sqrt(size) * float(sigma)),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseForMany:
    """The noise that each of `count` answers of sensitivity 1 needs, as a standard deviation."""

    count: int
    basic: float
    advanced: float
    optimal: float
    gaussian: float


def noise_for_many(*, count: int, target: ApproxDP) -> NoiseForMany:
    """Laplace noise by three composition theorems, and Gaussian noise by its exact one.

    Basic composition needs the scale k/ε, the others about √(2k ln(1/δ))/ε.
    """
    one = Fraction(1)
    scale = laplace_scale(PureDP(target.epsilon), sensitivity=one, count=count)

    def fits(epsilon: Fraction) -> bool:
        each = ApproxDP(epsilon=epsilon, delta=Fraction(0))
        return advanced_sharp(each, count=count, slack=target.delta).epsilon <= target.epsilon

    def deviation(of_scale: Fraction) -> float:
        return up(sqrt(2) * float(of_scale))

    return NoiseForMany(
        count=count,
        basic=deviation(scale),
        advanced=deviation(min(scale, 1 / largest_amount(fits))),
        optimal=deviation(laplace_scale_within(target, sensitivity=one, count=count)),
        gaussian=up(float(gaussian_sigma(target, sensitivity=one, count=count))),
    )

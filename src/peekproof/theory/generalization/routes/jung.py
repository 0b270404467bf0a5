"""Laplace and Gaussian noise priced through T-jung, and Gaussian noise through T-jung-joint."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.loss import GDP, ZCDP, ApproxDP
from peekproof.core.target import Target
from peekproof.theory.composition.advanced import advanced_sharp
from peekproof.theory.conversion.gdp_to_approx import gdp_to_approx_at
from peekproof.theory.conversion.zcdp_to_approx import zcdp_to_approx_at
from peekproof.theory.generalization.jung import (
    jung,
    jung_joint,
    jung_joint_radius,
    jung_radius,
)
from peekproof.theory.generalization.noise import (
    SampleAccuracy,
    gaussian_accuracy,
    gaussian_shortfall,
    laplace_accuracy,
)
from peekproof.theory.generalization.routes.priced import Priced
from peekproof.theory.generalization.search import Point, descend

_LEAST = Fraction(1, 10**100)


def _share(odds: float, whole: Fraction) -> Fraction:
    """A part of `whole`, below it for all positive odds."""
    return max(_LEAST, whole * Fraction(odds / (1 + odds)) * Fraction(999, 1000))


def _best(
    target: Target,
    make: Callable[[Point], tuple[SampleAccuracy, ApproxDP]],
    *,
    start: Point,
    names: tuple[str, ...],
    values: Callable[[Point], tuple[Fraction, ...]],
) -> Priced[Simultaneous]:
    def radius(point: Point) -> float:
        sample, loss = make(point)
        return jung_radius(sample, loss, beta=target.beta)

    best = descend(radius, start=start)
    sample, loss = make(best)
    return Priced(
        theorem="T-jung",
        bound=jung(sample, loss, beta=target.beta),
        parameters=tuple(zip(names, values(best), strict=True)),
    )


def laplace_jung(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-jung for Laplace noise of scale 1/(nε₀), composed by T-advanced-sharp."""
    check.positive_integer(rows=rows)
    k = target.questions

    def values(point: Point) -> tuple[Fraction, ...]:
        return Fraction(point[0]), _share(point[1], target.beta), _share(point[2], target.beta)

    def make(point: Point) -> tuple[SampleAccuracy, ApproxDP]:
        epsilon, noise_beta, slack = values(point)
        scale = 1 / (rows * epsilon)
        sample = laplace_accuracy(scale=scale, count=k, beta=noise_beta)
        each = ApproxDP(epsilon=min(epsilon, Fraction(500)), delta=Fraction(0))
        return sample, advanced_sharp(each, count=k, slack=slack)

    start = (1.5 / (sqrt(rows) * k**0.25), 1e-4, 1e-6)
    names = ("epsilon_each", "noise_beta", "slack")
    return _best(target, make, start=start, names=names, values=values)


def _gaussian(
    rows: int, target: Target, loss_at: Callable[[Fraction, Fraction], ApproxDP]
) -> Priced[Simultaneous]:
    check.positive_integer(rows=rows)

    def values(point: Point) -> tuple[Fraction, ...]:
        return Fraction(point[0]), _share(point[1], target.beta), Fraction(point[2])

    def make(point: Point) -> tuple[SampleAccuracy, ApproxDP]:
        sigma, noise_beta, epsilon = values(point)
        sample = gaussian_accuracy(sigma=sigma, count=target.questions, beta=noise_beta)
        return sample, loss_at(sigma, epsilon)

    sigma = 0.8 * target.questions**0.25 / sqrt(rows)
    epsilon = 4 * sqrt(target.questions) / (rows * sigma)
    names = ("sigma", "noise_beta", "epsilon")
    return _best(target, make, start=(sigma, 1e-4, epsilon), names=names, values=values)


def _total(rows: int, sigma: Fraction, questions: int) -> GDP:
    return GDP(1 / (rows * sigma) ** 2) * questions


def gaussian_zcdp_jung(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-jung for Gaussian noise, known only by its zCDP."""

    def loss_at(sigma: Fraction, epsilon: Fraction) -> ApproxDP:
        rho = _total(rows, sigma, target.questions).mu_squared / 2
        return zcdp_to_approx_at(ZCDP(rho), epsilon=epsilon)

    return _gaussian(rows, target, loss_at)


def gaussian_jung(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-jung for Gaussian noise with its exact δ(ε)."""

    def loss_at(sigma: Fraction, epsilon: Fraction) -> ApproxDP:
        return gdp_to_approx_at(_total(rows, sigma, target.questions), epsilon=epsilon)

    return _gaussian(rows, target, loss_at)


def gaussian_jung_joint(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-jung-joint for Gaussian noise with its exact δ(ε)."""
    check.positive_integer(rows=rows)
    k = target.questions

    def loss_at(point: Point) -> ApproxDP:
        total = _total(rows, Fraction(point[0]), k)
        return gdp_to_approx_at(total, epsilon=Fraction(point[1]))

    def radius(point: Point) -> float:
        noise = gaussian_shortfall(sigma=Fraction(point[0]), count=k, beta=target.beta)
        return jung_joint_radius(noise, loss_at(point))

    sigma = 0.8 * k**0.25 / sqrt(rows)
    best = descend(radius, start=(sigma, 3 * sqrt(k) / (rows * sigma)))
    noise = gaussian_shortfall(sigma=Fraction(best[0]), count=k, beta=target.beta)
    return Priced(
        theorem="T-jung-joint",
        bound=jung_joint(noise, loss_at(best)),
        parameters=(("sigma", Fraction(best[0])), ("epsilon", Fraction(best[1]))),
    )

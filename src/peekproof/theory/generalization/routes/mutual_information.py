"""Gaussian noise priced through mutual information."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.loss import ZCDP
from peekproof.core.target import Target
from peekproof.theory.generalization.mutual_information import (
    by_information,
    gaussian_information,
    information_radius,
    zcdp_information,
)
from peekproof.theory.generalization.noise import gaussian_shortfall
from peekproof.theory.generalization.routes.priced import Priced
from peekproof.theory.generalization.search import golden


def gaussian_zcdp_information(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-mi for Gaussian noise, with the information that its zCDP allows."""

    def information(sigma: Fraction) -> float:
        rho = target.questions / (2 * (rows * sigma) ** 2)
        return zcdp_information(ZCDP(rho), rows=rows)

    return _gaussian(rows, target, information)


def gaussian_leave_one_out(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-mi for Gaussian noise, with its information by leaving one record out."""

    def information(sigma: Fraction) -> float:
        return gaussian_information(rows=rows, sigma=sigma, count=target.questions)

    return _gaussian(rows, target, information)


def _gaussian(
    rows: int, target: Target, information: Callable[[Fraction], float]
) -> Priced[Simultaneous]:
    check.positive_integer(rows=rows)
    k, beta = target.questions, target.beta

    def radius(point: float) -> float:
        sigma = Fraction(point)
        noise = gaussian_shortfall(sigma=sigma, count=k, beta=beta)
        return information_radius(noise, information=information(sigma), rows=rows)

    centre = k**0.25 / sqrt(rows)
    sigma = Fraction(golden(radius, low=centre / 1000, high=centre * 1000))
    noise = gaussian_shortfall(sigma=sigma, count=k, beta=beta)
    return Priced(
        theorem="T-mi",
        bound=by_information(noise, information=information(sigma), rows=rows),
        parameters=(("sigma", sigma),),
    )

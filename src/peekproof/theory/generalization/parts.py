"""The terms that certificates with noise have in common."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Part
from peekproof.core.numerics import float_up, up
from peekproof.core.theorem import theorem


def noise_part(sigma: Fraction, shortfall: float) -> Part:
    """σ·ES: what Gaussian noise can hide."""
    return Part(
        theorem="T-noise",
        covers="what the added noise can hide",
        radius=up(float_up(sigma) * shortfall),
        numbers=(("sigma", float(sigma)), ("shortfall", shortfall)),
    )


def drift_part(theorem: str, radius: float, **numbers: float) -> Part:
    """How far the conversation can pull the sample away, by this theorem."""
    return Part(
        theorem=theorem,
        covers="how far the questions can lean towards the sample",
        radius=radius,
        numbers=tuple(numbers.items()),
    )


@theorem("T-rounding", "peekproof", "Rounding")
def rounding_radius(step: Fraction) -> float:
    """Half a grid step: what rounding an answer to the nearest grid point adds to its radius.

    Proof. a_j = q_j(S) + N_j + R_j with |R_j| ≤ step/2, so |E[R_j|π]| ≤ step/2. Clipping to
    [0, 1] afterwards moves an answer no further from any population value.

    Holds when: the grid is public and holds 0 and 1.
    Rounds: up.
    """
    return float_up(check.positive_fraction(step=step) / 2)


def rounding_part(step: Fraction) -> Part:
    """Half a step of the grid."""
    return Part(
        theorem="T-rounding",
        covers="rounding to the public grid",
        radius=rounding_radius(step),
        numbers=(("step", float(step)),),
    )

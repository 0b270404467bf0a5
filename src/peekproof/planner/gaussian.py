"""The Gaussian noise with the narrowest intervals for a number of questions."""

from fractions import Fraction
from math import exp, floor, log, log2, pi, sin, sqrt

from peekproof.core.certificate import Target
from peekproof.core.numerics import argmin, log_of
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.theory.generalization.gaussian import levels
from peekproof.theory.generalization.noise import normal_shortfall

# σ is a whole number of grid steps in [64, 128): fine enough that rounding adds less than a
# thousandth to the radius, coarse enough that low-order bits carry nothing.
FINEST_STEPS = 64


def on_grid(rows: int, sigma: float, *, shift: int = 0) -> Gaussian:
    """Noise near `sigma`, but a whole number of steps: `shift` more than its rounding down."""
    exponent = max(0, -floor(log2(sigma / FINEST_STEPS)))
    steps = max(1, floor(sigma * 2.0**exponent) + shift)
    step = Fraction(2) ** -exponent
    return Gaussian(rows=rows, sigma=steps * step, step=step)


def best_gaussian(rows: int, target: Target) -> Gaussian:
    """The mechanism with about the smallest radius over all noise scales on the grid.

    The search uses σ·z + sin a with a ≈ (μ/4)·√(2 ln(2/β) + μ²/16), which is T-drift-gauss but for
    a thousandth; what it finds is then certified exactly.
    """
    level, _ = levels(target)
    shortfall = normal_shortfall(beta=level, count=target.questions)
    log_level = log(2) - log_of(level)

    def radius(log_sigma: float) -> float:
        mu = sqrt(target.questions) / (rows * exp(log_sigma))
        angle = mu / 4 * sqrt(2 * log_level + mu * mu / 16)
        return exp(log_sigma) * shortfall + sin(min(angle, pi / 2))

    # Balanced parts give σ² ≈ √k·c/n with c between 0.1 and 2 for any sensible level.
    guess = log(target.questions) / 4 - log(rows) / 2
    sigma = exp(argmin(radius, low=guess - 5, high=guess + 2))
    candidates = [on_grid(rows, sigma, shift=shift) for shift in (-1, 0, 1, 2)]
    return min(candidates, key=lambda each: each.certify(target).radius)

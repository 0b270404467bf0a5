"""From noisy answers about the sample to one interval for the population."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate
from peekproof.core.loss import GDP
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.drift import gaussian_drift
from peekproof.theory.generalization.parts import drift_part, noise_part, rounding_part
from peekproof.theory.generalization.shortfall import normal_shortfall


@theorem("T-joint", "peekproof", "Both parts at the full level")
def gaussian_certificate(
    *, rows: int, sigma: Fraction, step: Fraction, target: Target, clock: GDP | None = None
) -> Certificate:
    """The radius that all answers of a Gaussian session keep together, at the full level β.

        radius = σ·ES_β(max_{j≤k} |Z_j|) + D_β(μ) + step/2,    μ² = k/(nσ)²

    No part of β is set aside for either term. With a `clock`, μ² is that instead: what all
    answers together, also those with other noise, have used up at most.

    Proof. Let U = max_j |E[N_j|π]| and let D be the drift, so every answer errs by at most
    U + D + step/2. Suppose U + D exceeds t = σ·ES_β + D_β on an event of probability above β.
    That event is decided by π, so T-noise and T-drift-gauss bound the means of U and of D on
    it by σ·ES_β and D_β; the mean of U + D on it is then at most t, and above t. Contradiction.

    Holds when: at most k = target.questions draws are made, each with noise σ on a statistic
    that one record moves by at most 1/n, and released on the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    total = GDP(1 / (rows * sigma) ** 2) * target.questions if clock is None else clock
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)
    noise = noise_part(sigma, shortfall)
    drift = drift_part(
        "T-drift-gauss",
        gaussian_drift(total, beta=target.beta),
        mu=float(total.mu_squared) ** 0.5,
        beta=float(target.beta),
    )
    rounding = rounding_part(step)
    return Certificate(target=target, rows=rows, joins="T-joint", parts=(noise, drift, rounding))

"""Laplace noise priced through advanced composition and T-bassily."""

from fractions import Fraction
from math import inf, log, sqrt

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.loss import ApproxDP
from peekproof.core.target import Target
from peekproof.theory.composition.advanced import advanced_sharp
from peekproof.theory.generalization.bassily import bassily
from peekproof.theory.generalization.inverse import each_within
from peekproof.theory.generalization.noise import laplace_accuracy
from peekproof.theory.generalization.routes.priced import Priced
from peekproof.theory.generalization.search import golden


def laplace_bassily(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-bassily for Laplace noise of scale 1/(nε₀), at the best ε and share of β for the noise.

    δ is all that the share of β for the transfer allows, β₂ε/(4k), but at most ε/16, and ε at
    least what its second term needs, √(8 ln(2k/β₂)/n).
    """
    check.positive_integer(rows=rows)
    k, beta = target.questions, float(target.beta)

    def least(noise_beta: float) -> float:
        level = log(2 * k / (beta - noise_beta))
        return max(sqrt(12 / rows), sqrt(8 * level / rows)) * (1 + 1e-9)

    def scale(epsilon: float, noise_beta: float) -> float:
        slack = min((beta - noise_beta) / (4 * k), 1 / 16) * epsilon * (1 - 1e-9)
        return 1 / (rows * each_within(epsilon, count=k, slack=slack) * (1 - 1e-9))

    def radius(epsilon: float, noise_beta: float) -> float:
        return scale(epsilon, noise_beta) * log(k / noise_beta) + 6 * epsilon

    def best_epsilon(noise_beta: float) -> float:
        low = least(noise_beta)
        if low >= 0.125:
            return inf
        return golden(lambda epsilon: radius(epsilon, noise_beta), low=low, high=0.125)

    def best_radius(noise_beta: float) -> float:
        epsilon = best_epsilon(noise_beta)
        return radius(epsilon, noise_beta) if epsilon < inf else 1e9 * least(noise_beta)

    share = golden(best_radius, low=beta * 1e-4, high=beta * 0.9999, precision=1e-3)
    epsilon = best_epsilon(share)
    if epsilon == inf:
        return Priced(
            theorem="T-bassily", bound=Simultaneous.of(1.0, beta=target.beta), parameters=()
        )
    return _evaluated(rows, target, epsilon=epsilon, noise_beta=share, noise=scale(epsilon, share))


def _evaluated(
    rows: int, target: Target, *, epsilon: float, noise_beta: float, noise: float
) -> Priced[Simultaneous]:
    k, share, scale = target.questions, Fraction(noise_beta), Fraction(noise)
    slack = min((target.beta - share) / (4 * k), Fraction(1, 16)) * Fraction(epsilon)
    each = ApproxDP(epsilon=1 / (rows * scale), delta=Fraction(0))
    composed = advanced_sharp(each, count=k, slack=slack)
    # A loss of at most (ε, δ) may be called (ε, δ); the larger ε keeps the second term small.
    loss = ApproxDP(epsilon=max(composed.epsilon, Fraction(epsilon)), delta=slack)
    sample = laplace_accuracy(scale=scale, count=k, beta=share)
    bound = bassily(sample, loss, rows=rows, questions=k)
    within = bound.beta <= target.beta
    return Priced(
        theorem="T-bassily",
        bound=Simultaneous.of(bound.radius if within else 1.0, beta=target.beta),
        parameters=(("epsilon", loss.epsilon), ("scale", scale), ("noise_beta", share)),
    )

"""The transfer theorem of Bassily et al., by a monitor, for approximate differential privacy.

`laplace_bassily` prices Laplace noise through it: advanced composition first, then T-bassily.
"""

from fractions import Fraction
from math import exp, inf, log, sqrt

from peekproof.core import check
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.generalization.noise import SampleAccuracy, laplace_accuracy
from peekproof.theory.generalization.search import Priced, each_within, golden


@theorem("T-bassily", "bassily-et-al-2016", "The transfer theorem; proof in the docstring")
def bassily(sample: SampleAccuracy, loss: ApproxDP, *, rows: int, questions: int) -> Simultaneous:
    """The radius and failure probability of all answers of an (ε, δ)-DP conversation.

        Pr[ |q(S) − q(P)| ≥ 6ε ] ≤ max{4δ/ε, 2·e^{−ε²n/8}}        for each question,
        radius = sample radius + 6ε,  failure = sample failure + k·max{…}

    Proof. Draw T = ⌊1/p⌋ samples, with p the probability on the left, run M on each, and let the
    exponential mechanism with ε pick a copy t and q or 1 − q by the score q(S_t) − q(P), which one
    record moves by 1/n. The whole is (2ε, δ)-DP, so as each copy is swapped record by record the
    expected score of the pick is at most e^{2ε} − 1 + Tδ. It is at least 6ε·(1 − (1−p)^T) −
    2 ln(2T)/(εn), and (1−p)^T ≤ (T/(T+1))^T ≤ ½. As e^{2ε} − 1 ≤ 2ε + 4ε² and ε ≤ 1/8,
    ε/2 ≤ δ/p + 2 ln(2/p)/(εn): one of the terms is at least ε/4, which bounds p.

    Holds when: √(12/n) ≤ ε ≤ 1/8 and δ ≤ ε/16, as published, though the proof needs only ε ≤ 1/8;
    questions have values in [0,1], may adapt, and records are independent.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_integer(questions=questions)
    epsilon, delta = loss.epsilon, loss.delta
    if not (epsilon**2 * rows >= 12 and epsilon <= Fraction(1, 8)):
        raise InvalidInput(
            argument="epsilon",
            accepted="from √(12/rows) to 1/8",
            given=f"{float_up(min(epsilon, Fraction(10**9))):g} for {rows} rows",
        )
    if delta > epsilon / 16:
        raise InvalidInput(
            argument="delta", accepted="at most epsilon/16", given=f"{float(delta):g}"
        )
    exponent = float_down(epsilon * epsilon * rows / 8)
    tail = Fraction(up(2 * exp(-min(exponent, 700.0))))
    each = max(4 * delta / epsilon, tail)
    return Simultaneous.of(
        up(sample.radius + 6 * float_up(epsilon)), beta=sample.beta + questions * each
    )


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

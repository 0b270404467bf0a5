"""The transfer theorem of Jung et al., by posterior sensitivity, for approximate DP.

Laplace and Gaussian noise are priced through T-jung, and Gaussian noise through T-jung-joint too.
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp, expm1, sqrt, tanh

from peekproof.core import check
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.charge import GDP, ZCDP, ApproxDP
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.conversion import gdp_to_approx_at, zcdp_to_approx_at
from peekproof.theory.generalization.noise import (
    SampleAccuracy,
    Shortfall,
    gaussian_accuracy,
    gaussian_shortfall,
    laplace_accuracy,
)
from peekproof.theory.generalization.search import Point, Priced, descend

_MOST = Fraction(100)  # e^100 − 1 is vacuous already, and still a float


@theorem("T-jung", "jung-et-al-2020", "The transfer theorem for (ε, δ); proof in the docstring")
def jung(sample: SampleAccuracy, loss: ApproxDP, *, beta: Fraction) -> Simultaneous:
    """The radius that all answers keep together, from sample accuracy and (ε, δ)-DP.

        radius = α + e^ε − 1 + c + 2d,  failure = β_s/c + δ/d      for all c, d > 0
               = α + e^ε − 1 + (√β_s + √(2δ))²/β                   at the best c and d

    with α and β_s the sample accuracy.

    Proof. Let Q be the law of the sample given the transcript. |a_j − q_j(Q)| is at most α plus the
    posterior probability that some answer is further than α from the sample, which has mean β_s
    and exceeds c with probability at most β_s/c. Let f be the q_j or 1 − q_j with the largest
    f(Q) − f(P), and B the event that it exceeds e^ε − 1 + 2d. Swapping one record,
    E[f(Q)·1_B] ≤ e^ε·E[f(P)·1_B] + δ, so 2d·Pr[B] ≤ δ. By Cauchy–Schwarz
    (β_s/c + δ/d)(c + 2d) ≥ (√β_s + √(2δ))², with equality at the c, d used.

    Holds when: answers are clipped to [0,1], so that no answer is further than 1 from the sample;
    the whole transcript is (ε, δ)-DP, questions may adapt, records are independent.
    Rounds: up.
    """
    return Simultaneous.of(jung_radius(sample, loss, beta=check.probability(beta=beta)), beta=beta)


def jung_radius(sample: SampleAccuracy, loss: ApproxDP, *, beta: Fraction) -> float:
    """The radius of T-jung before it is cut at 1, for searches."""
    root = sqrt(float_up(sample.beta)) + sqrt(2 * float_up(loss.delta))
    leak = expm1(float_up(min(loss.epsilon, _MOST)))
    return up(sample.radius + leak + root * root / float_down(beta))


@theorem("T-jung-joint", "peekproof", "The proof in its docstring")
def jung_joint(noise: Shortfall, loss: ApproxDP) -> Simultaneous:
    """The radius that all answers keep together, with no part of β set aside for the noise.

        radius = shortfall_β + tanh(ε/2) + 2δ/((1 + e^ε)·β)

    Proof. Let Q be the law of the sample given the transcript, f the q_j or 1 − q_j with the
    largest f(Q) − f(P) = D, and B any event of the transcript with probability p. Write v =
    E[f(Q)·1_B] and u = E[f(P)·1_B]. Swapping x_i for a fresh record, which keeps the law of the
    transcript, v ≤ e^ε·u + δ for f, and p − u ≤ e^ε·(p − v) + δ for 1 − f. Adding, (v − u)(1 +
    e^ε) ≤ (e^ε − 1)·p + 2δ, so E[D | B] ≤ tanh(ε/2) + 2δ/((1 + e^ε)·p). The noise has mean at
    most shortfall_β given B if p ≥ β. If B is the event that some answer is further than the
    radius, and p > β, the mean of noise plus D given B is above and not above the radius.

    Holds when: the whole transcript is (ε, δ)-DP, questions may adapt, records are independent;
    answers need no clipping.
    Rounds: up.
    """
    return Simultaneous.of(jung_joint_radius(noise, loss), beta=noise.beta)


def jung_joint_radius(noise: Shortfall, loss: ApproxDP) -> float:
    """The radius of T-jung-joint before it is cut at 1, for searches."""
    eps_up = float_up(min(loss.epsilon, _MOST))
    eps_down = float_down(min(loss.epsilon, _MOST))
    missed = 2 * float_up(loss.delta) / ((1 + exp(eps_down)) * float_down(noise.beta))
    return up(noise.radius + tanh(eps_up / 2) + missed)


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

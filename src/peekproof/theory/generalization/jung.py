"""The transfer theorem by posterior sensitivity, for approximate differential privacy."""

from fractions import Fraction
from math import exp, expm1, sqrt, tanh

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.loss import ApproxDP
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.noise import SampleAccuracy, Shortfall

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

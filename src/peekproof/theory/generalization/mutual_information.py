"""The transfer theorem by mutual information, and two bounds on the information of a transcript.

One bound follows from zCDP, the other from leaving one record out. Gaussian noise is priced
through T-mi with either.
"""

from collections.abc import Callable
from fractions import Fraction
from math import expm1, log1p, sqrt

from peekproof.core import check
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.charge import ZCDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.noise import Shortfall, gaussian_shortfall
from peekproof.theory.generalization.search import Priced, golden


def _information(value: Fraction) -> float:
    return float_up(min(value, Fraction(10**100)))


@theorem("T-mi-zcdp", "rogers-et-al-2020", "Information from zCDP; proof in the docstring")
def zcdp_information(loss: ZCDP, *, rows: int) -> float:
    """How much a ρ-zCDP transcript says about n independent records, in nats.

        I(S; π) ≤ n·ρ                                      k answers with noise σ: k/(2nσ²)

    Proof. Records are independent, so I(S; π) ≤ Σ_i I(x_i; π | the others), and each term is at
    most the mean divergence KL of π with x_i from π with a fresh record, which zCDP bounds by ρ.

    Holds when: records are independent; questions may adapt.
    Rounds: up.
    """
    return _information(check.positive_integer(rows=rows) * loss.rho)


@theorem("T-mi-leave-one-out", "feldman-steinke-2018", "Gaussian noise; proof in the docstring")
def gaussian_information(*, rows: int, sigma: Fraction, count: int) -> float:
    """How much `count` answers with Gaussian noise say about n independent records, in nats.

        I(S; π) ≤ k/(8nσ²)           with k = count; published with n/(n−1)² in place of 1/n

    Proof. As for T-mi-zcdp, but the second transcript may be any that knows the other records: it
    answers with mean (½ + Σ_{l≠i} q(x_l))/n, which is (q(x_i) − ½)/n ≤ 1/(2n) away from q(S). Each
    answer then adds at most 1/(8n²σ²) to the divergence, by the chain rule, for each of n records.

    Holds when: records are independent, noise is N(0, σ²) with σ fixed in advance or larger;
    questions may adapt.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_integer(count=count)
    return _information(count / (8 * rows * check.positive_fraction(sigma=sigma) ** 2))


def second_moment(information: float, *, rows: int) -> float:
    """min over the λ of T-mi of (2I − ln(1−λ))/(4nλ); every λ in (0,1) gives a valid bound.

    With s = −ln(1−λ), the derivative vanishes where λ/(1−λ) = e^s − 1 equals 2I + s; solved by
    bisection in ln(1−λ).
    """
    low, high = 0.0, 2 * log1p(2 * information) + 2
    for _ in range(60):
        s = (low + high) / 2
        low, high = (s, high) if expm1(s) - s < 2 * information else (low, s)
    rate = -expm1(-high)
    return up((2 * information + high) / (4 * rows * rate))


@theorem("T-mi", "rogers-et-al-2020", "The transfer theorem by information; proof in the docstring")
def by_information(noise: Shortfall, *, information: float, rows: int) -> Simultaneous:
    """The radius that all answers keep together if the transcript says little about the sample.

        radius = shortfall_β + √(V/β),   V = min_{0<λ<1} (2I − ln(1−λ))/(4nλ)

    Proof. Let j be the answer furthest from the population; it is decided by the transcript, so
    I(S; q_j) ≤ I. For fixed q, X = q(S) − q(P) has E e^{sX²} ≤ (1 − s/(2n))^{−1/2}, being
    sub-Gaussian with variance 1/(4n). The Donsker–Varadhan inequality gives s·E X² ≤ I − ½ ln(1 −
    s/(2n)) for q = q_j: E X² ≤ V with λ = s/(2n). If the answer errs by more than the radius on
    an event of probability above β, then given that event the noise has mean at most shortfall_β
    and |X| at most √(V/β), and their sum is above the radius: contradiction.

    Holds when: I(S; π) ≤ `information`, in nats, for the whole transcript; records are independent,
    questions may adapt.
    Rounds: up. Every λ gives a valid bound.
    """
    return Simultaneous.of(
        information_radius(noise, information=information, rows=rows), beta=noise.beta
    )


def information_radius(noise: Shortfall, *, information: float, rows: int) -> float:
    """The radius of T-mi before it is cut at 1, for searches."""
    check.positive_integer(rows=rows)
    if not 0 <= information <= 1e100:
        raise InvalidInput(
            argument="information", accepted="from 0 to 1e100 nats", given=repr(information)
        )
    moment = second_moment(information, rows=rows)
    return up(noise.radius + sqrt(moment / float_down(noise.beta)))


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

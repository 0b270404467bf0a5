"""The transfer theorem for Gaussian noise, by a monitor that sees only answers.

`gaussian_monitor` and `gaussian_monitor_two_sided` price Gaussian noise through it, at the best
noise and number of copies.
"""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, expm1, inf, log1p, pi, sqrt
from statistics import NormalDist

import numpy as np

from peekproof.core import check
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN, down, float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import float_above
from peekproof.theory.generalization.drift import (
    choice_cost,
    gaussian_drift,
    mean_gaussian_drift,
    pure_drift,
)
from peekproof.theory.generalization.noise import mean_largest_normal
from peekproof.theory.generalization.search import Priced, golden
from peekproof.theory.selection import exponential_mean_loss

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _between(low: float, width: float) -> float:
    """Φ(low + width) − Φ(low), without cancelling."""
    if width > 0.5:
        return (erfc(-(low + width) / sqrt(2)) - erfc(-low / sqrt(2))) / 2
    t = low + width * (_NODES + 1) / 2
    return float(_WEIGHTS @ np.exp(-t * t / 2)) * width / 2 / sqrt(2 * pi)


def _reaching(mass: Callable[[float], float], *, share: float, top: float) -> float:
    """A z ≤ top, next to the least, where the rising `mass` was seen to reach `share`, or top."""
    low, high = NormalDist().inv_cdf(share / 4) + 2 * top - 1, top
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if mass(middle) >= share * (1 + MARGIN) else (middle, high)
    return high


def one_sided_leak(mu: float, copies: int) -> float:
    """T·max_{y ≤ 1/T} Φ(Φ⁻¹(y) + μ) − y; the maximum over all y is at Φ(−μ/2)."""
    z = _reaching(lambda z: erfc(-z / sqrt(2)) / 2, share=1 / copies, top=-mu / 2)
    return up(copies * _between(z, mu))


def two_sided_leak(mu: float, copies: int) -> float:
    """T·(Φ(z+μ) − Φ(z)) at the z ≤ −μ/2 with Φ(z) + Φ(z+μ) = 1/T."""

    def mass(z: float) -> float:
        return (erfc(-z / sqrt(2)) + erfc(-(z + mu) / sqrt(2))) / 2

    z = _reaching(mass, share=1 / copies, top=-mu / 2)
    return up(copies * _between(z, mu))


def monitor_radius(*, sigma: float, copies: int, largest: float, leak: float, beta: float) -> float:
    """(σ·E max + leak)/(1 − (1−β)^T), before it is cut at 1."""
    return up((sigma * largest + leak) / -expm1(copies * log1p(-beta)))


def total_mu(*, rows: int, sigma: Fraction, questions: int) -> float:
    """√k/(nσ), not below: the μ of the whole conversation."""
    total = GDP(1 / (rows * sigma) ** 2) * questions
    return up(sqrt(float_above(mu_squared=min(total.mu_squared, Fraction(1600)))))


@theorem("T-monitor-gdp", "bassily-et-al-2016", "The monitor; proof in the docstring")
def monitor(*, rows: int, sigma: Fraction, copies: int, target: Target) -> Simultaneous:
    """The radius that all answers with Gaussian noise keep together, by T copies of the whole.

        radius·(1 − (1−β)^T) = σ·E max_{Tk} |Z| + T·Φ(Φ⁻¹(1/T) + μ) − 1,     μ = √k/(nσ)

    Proof. Draw T = `copies` samples and hold the conversation with each. Let t, j be the answer
    furthest from the population, and f the q_j or 1 − q_j for which the answer is too large. If
    one conversation errs by more than the radius r with probability above β, the pick errs by
    more than r·(1 − (1−β)^T) on average. It is chosen from the answers alone, so it is μ-GDP in
    each record of each sample. Its error is its noise, at most the largest of Tk, plus f(S_t) −
    f(P). For each copy t, with y_t = E[1(t is picked)·f(P)] and G(y) = Φ(Φ⁻¹(y) + μ), swapping
    one record for a fresh one gives E[1(t is picked)·f(x_i)] ≤ G(y_t), by the trade-off and since
    G is concave. So the mean of f(S_t) − f(P) is at most Σ_t G(y_t) − y_t ≤ T·(G(y) − y) at the
    mean y of the y_t, and y ≤ 1/T. G(y) − y rises up to y = Φ(−μ/2); if that is below 1/T, its
    value there is used.

    Holds when: at most k = target.questions answers are given, each with noise σ fixed in advance
    on a statistic that one record moves by at most 1/n; questions may adapt, records are
    independent. Clipping answers to [0,1] brings them no further from the population.
    Rounds: up.
    """
    return _monitored(one_sided_leak, rows=rows, sigma=sigma, copies=copies, target=target)


@theorem("T-monitor-two-sided", "peekproof", "The proof in its docstring")
def monitor_two_sided(*, rows: int, sigma: Fraction, copies: int, target: Target) -> Simultaneous:
    """T-monitor-gdp with a smaller leak, since a question and its complement bound each other.

        radius·(1 − (1−β)^T) = σ·E max_{Tk} |Z| + T·(Φ(z+μ) − Φ(z)),   Φ(z) + Φ(z+μ) = 1/T

    Proof. As there, with also y′_t = E[1(t is picked)·(1 − f(P))]. A fresh record leaves the
    chance that t is picked as it is, y_t + y′_t, so E[1(t is picked)·(f(x_i) − f(P))] is at most
    G(y_t) − y_t and also at most y′_t − G⁻¹(y′_t). Both are concave, so is their minimum, and the
    sum over t is at most T times its value at the means y, y′ with y + y′ = 1/T. Take z ≤ −μ/2 as
    above. If y ≤ Φ(z), then G(y) − y ≤ G(Φ(z)) − Φ(z), as it rises up to Φ(−μ/2). Otherwise y′ <
    Φ(z+μ), and y′ − G⁻¹(y′), which rises up to Φ(μ/2), is at most Φ(z+μ) − Φ(z). Both are the
    same number.

    Holds when: as for T-monitor-gdp.
    Rounds: up. A z that is too large gives a larger bound.
    """
    return _monitored(two_sided_leak, rows=rows, sigma=sigma, copies=copies, target=target)


def _monitored(
    leak: Callable[[float, int], float], *, rows: int, sigma: Fraction, copies: int, target: Target
) -> Simultaneous:
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    check.positive_integer(copies=copies)
    mu = total_mu(rows=rows, sigma=sigma, questions=target.questions)
    radius = monitor_radius(
        sigma=float_up(sigma),
        copies=copies,
        largest=mean_largest_normal(count=copies * target.questions),
        leak=leak(mu, copies),
        beta=float_down(target.beta),
    )
    return Simultaneous.of(radius, beta=target.beta)


def _best(rows: int, target: Target, leak: Callable[[float, int], float]) -> tuple[int, Fraction]:
    """Copies T and noise σ: for each T the best σ, and the best T."""
    check.positive_integer(rows=rows)
    beta, root = float(target.beta), sqrt(target.questions)

    def best_sigma(copies: int) -> tuple[float, float]:
        largest = mean_largest_normal(count=copies * target.questions)

        def radius(sigma: float) -> float:
            return monitor_radius(
                sigma=sigma,
                copies=copies,
                largest=largest,
                leak=leak(root / (rows * sigma), copies),
                beta=beta,
            )

        low = root / (2 * rows)  # μ = 2: beyond it the leak is near 1
        sigma = golden(radius, low=low, high=low * rows + 1, precision=1e-3)
        return radius(sigma), sigma

    # The best T is a few times 1/β: it trades E max over Tk against the chance that none errs.
    copies = golden(
        lambda copies: best_sigma(round(copies))[0],
        low=1,
        high=max(2.0, min(1e14 / target.questions, 100 / beta)),
        precision=0.02,
    )
    return round(copies), Fraction(best_sigma(round(copies))[1])


def gaussian_monitor(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-monitor-gdp at the best σ and number of copies."""
    copies, sigma = _best(rows, target, one_sided_leak)
    return Priced(
        theorem="T-monitor-gdp",
        bound=monitor(rows=rows, sigma=sigma, copies=copies, target=target),
        parameters=(("sigma", sigma), ("copies", Fraction(copies))),
    )


def gaussian_monitor_two_sided(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-monitor-two-sided at the best σ and number of copies."""
    copies, sigma = _best(rows, target, two_sided_leak)
    return Priced(
        theorem="T-monitor-two-sided",
        bound=monitor_two_sided(rows=rows, sigma=sigma, copies=copies, target=target),
        parameters=(("sigma", sigma), ("copies", Fraction(copies))),
    )


# e^ε − 1 is above 1 from here on, and no score is.
_ALL = Fraction(1)


@theorem("T-monitor", "bassily-et-al-2016", "The monitor, corrected; proof in the docstring")
def monitored(each: ApproxDP, *, choice: PureDP, samples: int) -> float:
    """A bound on how much the pick of a monitor overfits on average.

        E[q*(S_t*) − q*(P)] ≤ min(1, e^{ε+ε′} − 1 + Tδ)        T = `samples`, ε′ of `choice`

    Proof. M is (ε, δ)-DP in every record of its sample and the pick is ε′-DP in every record of
    every sample given what M said, so both together are (ε + ε′, δ)-DP: for an event A of the two,
    h(y) = min(1, e^{ε′}·Pr[A | S′, y]) bounds Pr[A | S, y], and
    E h(M(S)) ≤ e^ε·E h(M(S′)) + δ, for which see the next line. If X and X′ are (ε, δ)-close and f
    has values in [0, 1], E f(X) = ∫₀¹ Pr[f(X) ≥ z] dz ≤ e^ε·E f(X′) + δ. Now fix t and j, and let
    S′ be the samples with x_tj replaced by a fresh record. With f = 1(t* = t)·q*(x_tj),

        E[1(t* = t)·q*(x_tj)] ≤ e^{ε+ε′}·E[1(t* = t)·q*(P)] + δ,

    since under S′ the record x_tj is independent of the pick, and S′ has the law of S. Average over
    j, sum over t: E q*(S_t*) ≤ e^{ε+ε′}·E q*(P) + Tδ, and q*(P) ≤ 1. No score exceeds 1.

    Holds when: rows are independent; M is (ε, δ)-DP for replacing a record, and so is its last
    question, which has values in [0, 1]. For a pick from the answers alone ε′ = 0.
    Rounds: up.
    """
    check.positive_integer(samples=samples)
    epsilon = each.epsilon + choice.epsilon
    if epsilon > _ALL:
        return 1.0
    return min(1.0, up(expm1(float_up(epsilon)) + float_up(samples * each.delta)))


def _lost(*, samples: int, rows: int, choice: PureDP) -> float:
    """(2/(ε′n))·ln 2T, what the exponential mechanism loses on average (T-exp-mean). Rounds: up."""
    check.positive_integer(samples=samples)
    check.positive_integer(rows=rows)
    epsilon = check.positive_fraction(epsilon=choice.epsilon)
    return exponential_mean_loss(candidates=2 * samples, scale=2 / (rows * epsilon))


@theorem("T-monitor-least", "bassily-et-al-2016", "The monitor, corrected; proof in the docstring")
def least_pick(
    *, overfit: Fraction, chance: Fraction, samples: int, rows: int, choice: PureDP
) -> float:
    """How much the pick of a monitor overfits on average, at least.

        E[q*(S_t*) − q*(P)] ≥ α(1 − (1 − p)^T) − (2/(ε′n))·ln 2T      p = Pr[|q(S) − q(P)| ≥ α]

    with α = `overfit`, p = `chance`, T = `samples`, n = `rows`, ε′ of `choice`.

    Proof. One of q_t and 1 − q_t has a score of |q_t(S_t) − q_t(P)|. So the best score OPT is never
    below 0, and the samples being independent it is at least α with probability 1 − (1 − p)^T or
    more: E OPT ≥ α(1 − (1 − p)^T). There are 2T candidates, and the exponential mechanism with
    Δ = 1/n has b = 2/(ε′n): it loses at most b·ln 2T on average (T-exp-mean).

    Holds when: the samples and the coins of M are independent between conversations.
    Rounds: down.
    """
    check.unit_fraction(overfit=overfit)
    check.unit_fraction(chance=chance)
    lost = _lost(samples=samples, rows=rows, choice=choice)
    some = 1.0 if chance == 1 else max(0.0, down(-expm1(samples * log1p(-float_down(chance)))))
    return down(max(0.0, down(float_down(overfit) * some)) - lost)


@theorem("T-monitor-chance", "bassily-et-al-2016", "The monitor, solved for the probability")
def overfitting_chance(
    score: float, *, overfit: Fraction, samples: int, rows: int, choice: PureDP
) -> float:
    """How often conversations overfit by α or more at most, given how much the pick does.

        Pr[|q(S) − q(P)| ≥ α] ≤ 1 − (1 − s)^{1/T},   s = (score + (2/(ε′n))·ln 2T)/α

    and by 1 if s ≥ 1. It is T-monitor-least solved for p. With the score that T-monitor allows, it
    turns a bound on a mean into one on a probability: for ε ≤ 1/8 this is how T-bassily is proved.

    Holds when: T-monitor-least does, and E[q*(S_t*) − q*(P)] ≤ `score`.
    Rounds: up.
    """
    check.unit_fraction(overfit=overfit)
    lost = _lost(samples=samples, rows=rows, choice=choice)
    if isinstance(score, bool) or not -1 <= score < inf:
        accepted = "a number of at least −1"
        raise InvalidInput(argument="score", accepted=accepted, given=repr(score))
    reached = up(max(0.0, up(score + lost)))
    if not reached < down(float_down(overfit)):
        return 1.0
    return min(1.0, up(-expm1(log1p(-up(reached / float_down(overfit))) / samples)))


@theorem("T-monitor-drift", "peekproof", "The proof in its docstring")
def monitored_drift(loss: GDP, *, samples: int) -> float:
    """A bound on how much a pick made from the answers of T Gaussian conversations overfits.

        E[q*(S_t*) − q*(P)] ≤ sin( min_λ arccosh(T·e^{(λ²+1)μ²/32}) / λ )       T = `samples`

    For T = 1 that is about μ/4, and for many about (μ/4)·√(2 ln 2T): no e^ε, no δ.

    Proof. Conversation t has the transcript π_t, and A_t = (1/n) Σ_i A_ti is the mean angle of its
    records, where sin A_ti ≥ TV(law(x_ti | π_t, S_t without x_ti), P). The samples are independent,
    so the transcripts of the others tell nothing about S_t. Given all transcripts and the records
    other than x_ti, q*(x_ti) has a mean within sin A_ti of q*(P), whichever (t, q*) is picked: the
    score of the pick has a mean of at most E (1/n) Σ_i sin A_t*i ≤ E sin A_t* ≤ E sin(max_t A_t),
    as sin is concave and rises on [0, π/2], where angles lie; hence at most sin(E max_t A_t). And

        cosh(λ·E max_t A_t) ≤ E cosh(λ max_t A_t) ≤ Σ_t E cosh(λA_t) ≤ T·e^{(λ²+1)μ²/32}

    by Jensen's inequality twice, the second time for the mean over i, and the supermartingale of
    T-drift-gauss, which bounds E cosh(λA_ti) for each record. So it is T-drift-gauss at β = 1/T.

    Holds when: T-drift-gauss does in each conversation; samples and noise are independent between
    them; t* and q* are chosen from the transcripts and coins of their own.
    Rounds: up. Every λ gives a valid bound.
    """
    if check.positive_integer(samples=samples) == 1:
        return mean_gaussian_drift(loss)
    return gaussian_drift(loss, beta=Fraction(1, samples))


@theorem("T-monitor-drift-choice", "peekproof", "The proof in its docstring")
def monitored_drift_chosen(loss: GDP, *, choice: PureDP, samples: int) -> float:
    """T-monitor-drift for a pick that the exponential mechanism makes by the exact scores.

        E[q*(S_t*) − q*(P)] ≤ min( B(√(μ² + ε′²)), B(μ) + tanh(ε′/4) )      B of T-monitor-drift

    Proof. As there, with the posterior of a record given the transcripts, the other records and
    now also the pick. (1) To a record of any sample the pick is a choice by scores that it moves by
    at most 1/n, so by T-drift-choice it uses up ε′² of the clock of T-drift-gauss:
    E cosh(λA_ti) ≤ e^{(λ²+1)(μ²+ε′²)/32} for the angle after the pick, and the rest is as before.
    (2) Or: the pick is ε′-DP in the record, so T-drift-pure, with the posterior before the pick in
    place of P, says that the pick moves it by at most tanh(ε′/4) in total variation. So the score
    of the pick has a mean of at most E (1/n) Σ_i sin A_t*i + tanh(ε′/4) with the angles before it.

    Holds when: T-monitor-drift does, but that the pick is made by the exponential mechanism with ε′
    and scores of which one record moves each by at most 1/n, given the transcripts.
    Rounds: up.
    """
    charged = monitored_drift(loss + choice_cost(choice), samples=samples)
    moved = up(monitored_drift(loss, samples=samples) + pure_drift(choice))
    return min(1.0, charged, moved)

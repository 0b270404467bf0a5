"""How much the pick of a monitor can overfit: of T conversations, the one that went worst.

T independent samples S_t ~ P^n are each questioned by M, which ends with a question q_t. The
candidates are (t, q_t) and (t, 1 − q_t), and the score of (t, q) is q(S_t) − q(P), which one record
moves by at most 1/n. The exponential mechanism with ε′ picks a candidate (t*, q*) by its score; or
the pick is made from what was answered, which costs nothing.
"""

from fractions import Fraction
from math import expm1, inf, log1p

from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.drift import (
    choice_cost,
    gaussian_drift,
    mean_gaussian_drift,
    pure_drift,
)
from peekproof.theory.selection import exponential_mean_loss

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

"""A reusable holdout for a session: its parameters, what a question pays, what an answer says."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, frexp, sqrt

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Charge, Offer, PureDP, amount_of
from peekproof.core.numerics import log_of
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.theory.discrete_noise import discrete_laplace_reach, discrete_laplace_shortfall
from peekproof.theory.generalization.thresholdout import verdict_shortfall
from peekproof.theory.sparse_vector import sparse_reach

# How many corrections a new ledger allows unless told otherwise.
FAILURES = 10

# Noise at this ε has a scale of thousands of rows, where it is as good as continuous.
_UNIT = Fraction(1, 1000)
# Beyond it the drift alone is above 0.99.
_MOST_EPSILON = 16.0
# The level of what is only hoped for: that no good guess fails by noise.
_EVEN = Fraction(1, 2)


def best_thresholdout(rows: int, target: Target, *, failures: int = FAILURES) -> Thresholdout:
    """The holdout with about the smallest radius that lets good guesses stand and teaches well.

    A guess equal to the population's share is at most d rows off the sample's, d by Hoeffding's
    inequality for all k questions; the threshold T is d and the h/(c·e) that noise hides as likely
    as not, with c the part of ε for comparing and e = ε/B. The radius of guesses that stand is then
    about (d + a/(c·e))/n + ε/4, that of corrections b/((1 − c)·e·n) + ε/4. The least is at
    ε² = 4·B·a/(c·n), and at a c where both are equal; but c is smaller if the noise of corrections,
    w/((1 − c)·e) as likely as not, would exceed T/2, for then guessers could learn from them no
    guess that stands. That costs a few hundredths of width. What comes out is certified as it is.
    """
    budget, k = min(failures, target.questions), target.questions
    unit, half = float(_UNIT), target.beta / 2
    h = unit * _hidden(_UNIT, k)
    a = h + unit * verdict_shortfall(epsilon=_UNIT, rounds=budget, questions=k, beta=half)
    b = unit * discrete_laplace_shortfall(scale=1 / _UNIT, beta=half, count=budget)
    w = unit * _told(1 / _UNIT, budget)
    room = ceil(sqrt(rows * log_of(2 * k / target.beta) / 2))
    comparing = a / (a + b)
    for _ in range(6):
        epsilon = min(_MOST_EPSILON, 2 * sqrt(budget * a / (comparing * rows)))
        d = room * epsilon / budget
        comparing = min(_balance(d, a, b), _balance(d, h, 2 * w))
    part = Fraction(min(255, max(1, round(256 * comparing))), 256)
    rounded = _rounded(epsilon)
    threshold = 1 + room + _hidden(part * rounded / budget, k)
    return Thresholdout(
        rows=rows,
        threshold=min(rows, threshold),
        epsilon=rounded,
        budget=budget,
        questions=k,
        comparing=part,
    )


def _balance(d: float, a: float, b: float) -> float:
    """The c between 0 and 1 where d + a/c = b/(1 − c)."""
    linear = d - a - b
    return (linear + sqrt(linear * linear + 4 * d * a)) / (2 * d)


def _hidden(epsilon: Fraction, questions: int) -> int:
    """How many rows the noise of comparisons moves any of them by, as likely as not."""
    return sparse_reach(epsilon=epsilon, sensitivity=1, rounds=1, questions=questions, beta=_EVEN)


def _told(scale: Fraction, corrections: int) -> int:
    """How many rows the noise of corrections moves any of them by, as likely as not."""
    return discrete_laplace_reach(scale=scale, beta=_EVEN / corrections)


def _rounded(value: float) -> Fraction:
    """A fraction of few bits nearby."""
    mantissa, exponent = frexp(value)
    return round(256 * mantissa) * Fraction(2) ** (exponent - 8)


def rounds_paid(mechanism: Thresholdout, spent: Charge) -> int:
    """How many rounds were ever opened; what was spent is a whole number of them."""
    return int(amount_of(spent) * mechanism.budget / mechanism.epsilon)


def held_offer(mechanism: Thresholdout, *, guess: Fraction, number: int) -> Offer:
    """What a guess pays that opens the round of this number, from 0.

    The guess is recorded as it is compared, in whole rows.
    """
    whole = mechanism.rounded(guess)
    terms = {"kind": mechanism.KIND, "round": str(number), "guess": str(whole)}
    return Offer(cost=mechanism.one_round.cost(), terms=terms)


def within_round(offer: Offer, *, number: int) -> Offer:
    """The same in a round that is paid for: nothing more."""
    return Offer(cost=PureDP(Fraction(0)), terms={**offer.terms, "round": str(number)})


def held_possible(terms: Mapping[str, str], value: object, *, rows: int) -> bool:
    """Whether a guess under these terms can have been settled with this value."""
    match value:
        case (Fraction() as answer, 0):
            return answer == Fraction(terms["guess"])
        case (Fraction() as answer, 1):
            return 0 <= answer <= 1 and (answer * rows).denominator == 1
        case _:
            return False


def told_within(mechanism: Thresholdout) -> Fraction:
    """How far corrections err from the sample's shares, as likely as not none of them further.

    For guessers: what they make of it is never relied on.
    """
    return Fraction(_told(mechanism.sparse.answer_scale, mechanism.budget), mechanism.rows)


def held_certificate(
    mechanism: Thresholdout, terms: Mapping[str, str], target: Target
) -> Certificate:
    """What the outcome of a comparison, named in the terms, says about the population."""
    return _certificate(mechanism, target, terms.get("outcome", "passed"))


@lru_cache(maxsize=64)
def _certificate(mechanism: Thresholdout, target: Target, outcome: str) -> Certificate:
    if outcome == "failed":
        return mechanism.certify_corrected(target)
    return mechanism.certify_standing(target)

"""Optimal composition of (ε, δ): exact for equal parameters, nearly exact for different ones.

But for the δ of each, the exact loss of k mechanisms with equal parameters is that of k rounds of
randomised response.
With different parameters the losses are added up on a grid, and the result tends to the exact one
as the grid becomes finer.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import exp, log, sqrt

import numpy as np

from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down
from peekproof.core.theorem import theorem
from peekproof.theory.composition import Losses, grouped, joined, left_over, log_survival, total
from peekproof.theory.conversion import failure, float_above
from peekproof.theory.loss_law import ROUGH, UNDERFLOW, LossLaw, composed_law

_MOST_COUNT = 10**9
_ULP = 2.0**-52
_FARTHEST = 760.0


def _binomial_law(eps: float, k: int, *, reach: float) -> LossLaw:
    """The loss (k − 2l)·ε of k rounds of randomised response, l ~ Binomial(k, 1/(1 + e^ε)).

    Weights relative to the mode are products of ratios of neighbours, and sum to the normaliser:
    no factorials, nothing to overflow. Chernoff's bound says where e^−reach is passed on the left;
    what lies beyond is below a geometric series, and is counted as infinite. Dropping values on
    the right raises δ, because there the integrand is smallest.
    """
    q = exp(-eps) / (1 + exp(-eps))
    mode = min(k, int((k + 1) * q))
    low = max(0, mode - int(sqrt(2 * reach * k * q)) - 1)
    high = min(k, mode + int(sqrt(100 * k * q)) + 100)
    left = np.arange(mode, low, -1.0)
    right = np.arange(mode, high, 1.0)
    towards_zero = np.cumsum(np.log(left / (k - left + 1)) + eps)
    towards_k = np.cumsum(np.log((k - right) / (right + 1)) - eps)
    logs = np.concatenate([towards_zero[::-1], [0.0], towards_k])
    count = np.arange(low, high + 1.0)
    # Each step of the sums errs by an ulp of the sum so far, of ε and of the ratio.
    error = np.abs(count - mode) * _ULP * (np.abs(logs) + eps + 1)
    total = float(np.exp(logs - error).sum()) * (1 - 64 * _ULP)
    weights = np.exp(logs + error) / total
    ratio = low / (k - low + 1) * exp(eps) if low else 0.0
    beyond = max(float(weights[0]), UNDERFLOW) * ratio / (1 - ratio) * (1 + 1e-9)
    if float(weights[0]) < ROUGH:
        beyond += UNDERFLOW
    return LossLaw(losses=(k - 2 * count) * eps * (1 + 8 * _ULP), weights=weights, beyond=beyond)


def _law(each: ApproxDP, count: int, *, reach: float = _FARTHEST) -> LossLaw:
    if check.positive_integer(count=count) > _MOST_COUNT:
        accepted = f"at most {_MOST_COUNT:,}"
        raise InvalidInput(argument="count", accepted=accepted, given=f"{count:,}")
    return _binomial_law(float_above(epsilon=each.epsilon), count, reach=reach)


@theorem("T-optimal", "kairouz-oh-viswanath-2015", "Optimal composition of equal parameters")
def optimal(each: ApproxDP, *, count: int, delta: Fraction) -> ApproxDP:
    """The least ε at this total δ of `count` mechanisms, each at most `each`.

        δ_total = 1 − (1 − δ)^k·(1 − h(ε_total))
        h(x) = Σ_l C(k,l)·(e^{(k−l)ε} − e^{x + lε})₊ / (1 + e^ε)^k       with k = count

    Holds when: ε, δ and k are fixed in advance; the questions may adapt. No smaller ε holds for
    all such mechanisms.
    Rounds: up. The ε returned was tested; every term of h is positive and rounded up.
    """
    rest = left_over(
        failure(delta=delta),
        survival=log_survival([(each.delta, check.positive_integer(count=count))]),
    )
    # What is cut off then weighs less than e^−40 of δ.
    law = _law(each, count, reach=min(_FARTHEST, 40 - log(rest)))
    epsilon = min(law.epsilon_at(rest), each.epsilon * count)
    return ApproxDP(epsilon=epsilon, delta=delta)


@theorem("T-optimal-at", "kairouz-oh-viswanath-2015", "Optimal composition of equal parameters")
def optimal_at(each: ApproxDP, *, count: int, epsilon: Fraction) -> ApproxDP:
    """The least δ at this total ε of `count` mechanisms, each at most `each`.

    The curve is that of T-optimal, read the other way.

    Holds when: as for T-optimal.
    Rounds: up; where the exact δ is below 1e-300, at most 1e-299.
    """
    law = _law(each, count)
    check.amount(epsilon=epsilon)
    survival = log_survival([(each.delta, count)])
    rest = law.delta_at(float_down(epsilon)) if epsilon < each.epsilon * count else 0.0
    return ApproxDP(epsilon=epsilon, delta=joined(rest, survival=survival))


# What may be cut from the ends of a law: nothing that any accepted δ could tell.
_LOST = 1e-302


def responses_of(each: Mapping[ApproxDP, int]) -> dict[Fraction, int]:
    """How many mechanisms have each ε, whatever their δ."""
    responses: dict[Fraction, int] = {}
    for loss, count in each.items():
        responses[loss.epsilon] = responses.get(loss.epsilon, 0) + count
    return responses


def _mixed_law(each: Mapping[ApproxDP, int], step: Fraction, *, lost: float) -> LossLaw:
    return composed_law(
        responses=responses_of(each), laplaces={}, gaussian=GDP(Fraction(0)), step=step, lost=lost
    )


def _sum(each: Mapping[ApproxDP, int]) -> Fraction:
    return total((loss.epsilon, count) for loss, count in each.items())


@theorem(
    "T-optimal-mixed", "murtagh-vadhan-2016", "The optimal composition of different parameters"
)
def optimal_mixed(losses: Losses[ApproxDP], *, delta: Fraction, step: Fraction) -> ApproxDP:
    """An ε at this total δ for mechanisms with their own (ε, δ); the least one as step → 0.

        δ_total = 1 − Π(1 − δ_i)·(1 − h(ε_total))
        h(x) = Σ_S (e^{Σ_{i∈S} ε_i} − e^{x + Σ_{i∉S} ε_i})₊ / Π(1 + e^{ε_i})

    on a grid (T-grid): exact when step divides every ε_i, otherwise too large by a part in
    (ε_i/step)². Work and memory grow with Σ ε_i / step.

    Holds when: every (ε_i, δ_i) is fixed in advance; the questions may adapt.
    Rounds: up. The ε returned was tested; every term of h is positive and rounded up.
    """
    each = grouped(losses)
    survival = log_survival((loss.delta, count) for loss, count in each.items())
    rest = left_over(failure(delta=delta), survival=survival)
    law = _mixed_law(each, step, lost=max(_LOST, rest * 2.0**-50))
    return ApproxDP(epsilon=min(law.epsilon_at(rest), _sum(each)), delta=delta)


@theorem(
    "T-optimal-mixed-at", "murtagh-vadhan-2016", "The optimal composition of different parameters"
)
def optimal_mixed_at(losses: Losses[ApproxDP], *, epsilon: Fraction, step: Fraction) -> ApproxDP:
    """A δ at this total ε for mechanisms with their own (ε, δ); the least one as step → 0.

    The curve is that of T-optimal-mixed, read the other way.

    Holds when: as for T-optimal-mixed.
    Rounds: up; where the exact δ is below 1e-300, at most 1e-299.
    """
    each = grouped(losses)
    check.amount(epsilon=epsilon)
    law = _mixed_law(each, step, lost=_LOST)
    rest = law.delta_at(float_down(epsilon)) if epsilon < _sum(each) else 0.0
    survival = log_survival((loss.delta, count) for loss, count in each.items())
    return ApproxDP(epsilon=epsilon, delta=joined(rest, survival=survival))

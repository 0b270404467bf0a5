"""Nearly the exact loss of mechanisms with different parameters."""

from collections.abc import Mapping
from fractions import Fraction

from peekproof.core import check
from peekproof.core.loss import GDP, ApproxDP
from peekproof.core.numerics import float_down
from peekproof.core.theorem import theorem
from peekproof.theory.composition.failures import joined, left_over, log_survival
from peekproof.theory.composition.grouped import Losses, grouped, total
from peekproof.theory.composition.loss_law import LossLaw
from peekproof.theory.composition.numerical import composed_law
from peekproof.theory.conversion.outward import failure

# What may be cut from the ends of a law: nothing that any accepted δ could tell.
_LOST = 1e-302


def responses_of(each: Mapping[ApproxDP, int]) -> dict[Fraction, int]:
    """How many mechanisms have each ε, whatever their δ."""
    responses: dict[Fraction, int] = {}
    for loss, count in each.items():
        responses[loss.epsilon] = responses.get(loss.epsilon, 0) + count
    return responses


def _law(each: Mapping[ApproxDP, int], step: Fraction, *, lost: float) -> LossLaw:
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
    law = _law(each, step, lost=max(_LOST, rest * 2.0**-50))
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
    law = _law(each, step, lost=_LOST)
    rest = law.delta_at(float_down(epsilon)) if epsilon < _sum(each) else 0.0
    survival = log_survival((loss.delta, count) for loss, count in each.items())
    return ApproxDP(epsilon=epsilon, delta=joined(rest, survival=survival))

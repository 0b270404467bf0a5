"""Nearly the exact loss of mechanisms with different parameters."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, exp

import numpy as np

from holdfast.core import check
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import ApproxDP
from holdfast.core.numerics import float_down
from holdfast.core.theorem import theorem
from holdfast.theory.composition.failures import joined, left_over, log_survival
from holdfast.theory.composition.loss_law import ROUGH, UNDERFLOW, LossLaw
from holdfast.theory.conversion.outward import failure, float_above

_MOST_WORK = 2 * 10**9
_ULP = 2.0**-52


def _grid_law(epsilons: list[Fraction], step: Fraction) -> LossLaw:
    """The law of Σ ±n_i·step with n_i = ⌈ε_i/step⌉ and odds e^{n_i·step} for the plus sign.

    Entry t is the chance that the minus signs add to t steps; only losses of at least 0 are kept.
    """
    check.positive_fraction(step=step)
    sizes = sorted(ceil(epsilon / step) for epsilon in epsilons)
    total = sum(sizes)
    if total * (len(sizes) + 1) > _MOST_WORK:
        accepted = f"coarser: mechanisms × Σε/step may be at most {_MOST_WORK:,}"
        raise InvalidInput(argument="step", accepted=accepted, given=f"{float(step):g}")
    kept, error = total // 2 + 1, 8.0
    weights = np.ones(1)
    for size in sizes:
        loss = float_above(epsilon=size * step)
        plus, minus = 1 / (1 + exp(-loss)), exp(-loss) / (1 + exp(-loss))
        longer = np.zeros(min(kept, len(weights) + size))
        longer[: len(weights)] = plus * weights
        longer[size:] += minus * weights[: max(0, len(longer) - size)]
        weights, error = longer, error + 8 + 2 * min(loss, 1000.0)
    unit = float_above(step=step) * (1 + 8 * _ULP)
    return LossLaw(
        losses=(total - 2 * np.arange(len(weights), dtype=np.float64)) * unit,
        weights=weights * (1 + error * _ULP),
        beyond=UNDERFLOW if float(weights.min()) < ROUGH else 0.0,
    )


@theorem("T-optimal-mixed", "murtagh-vadhan-2016", "Theorem 1.5; proof in the docstring")
def optimal_mixed(losses: Iterable[ApproxDP], *, delta: Fraction, step: Fraction) -> ApproxDP:
    """An ε at this total δ for mechanisms with their own (ε, δ); the least one as step → 0.

        δ_total = 1 − Π(1 − δ_i)·(1 − h(ε_total))
        h(x) = Σ_S (e^{Σ_{i∈S} ε_i} − e^{x + Σ_{i∉S} ε_i})₊ / Π(1 + e^{ε_i})

    with every ε_i rounded up to a multiple of `step`. It is exact when step divides every ε_i;
    otherwise it is the exact answer for parameters at most `step` larger. Work and memory grow
    with Σ ε_i / step.

    Proof. A mechanism that is ε_i-DP is also ε-DP for every larger ε, so the optimal
    composition of the rounded parameters covers the given ones.

    Holds when: every (ε_i, δ_i) is fixed in advance; the questions may adapt.
    Rounds: up. The ε returned was tested; every term of h is positive and rounded up.
    """
    each = tuple(losses)
    rest = left_over(failure(delta=delta), survival=log_survival((x.delta, 1) for x in each))
    law = _grid_law([loss.epsilon for loss in each], step)
    summed = sum((loss.epsilon for loss in each), Fraction(0))
    return ApproxDP(epsilon=min(law.epsilon_at(rest), summed), delta=delta)


@theorem("T-optimal-mixed-at", "murtagh-vadhan-2016", "Theorem 1.5; proof in the docstring")
def optimal_mixed_at(losses: Iterable[ApproxDP], *, epsilon: Fraction, step: Fraction) -> ApproxDP:
    """A δ at this total ε for mechanisms with their own (ε, δ); the least one as step → 0.

    The curve is that of T-optimal-mixed, read the other way.

    Holds when: as for T-optimal-mixed.
    Rounds: up; where the exact δ is below 1e-300, at most 1e-299.
    """
    each = tuple(losses)
    check.amount(epsilon=epsilon)
    law = _grid_law([loss.epsilon for loss in each], step)
    summed = sum((loss.epsilon for loss in each), Fraction(0))
    rest = law.delta_at(float_down(epsilon)) if epsilon < summed else 0.0
    survival = log_survival((loss.delta, 1) for loss in each)
    return ApproxDP(epsilon=epsilon, delta=joined(rest, survival=survival))

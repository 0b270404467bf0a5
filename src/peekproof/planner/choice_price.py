"""What a choice costs: the best of many candidates, or a quantile from a grid."""

from fractions import Fraction
from math import ceil

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import log_of
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.planner.own import Clock, Price
from peekproof.planner.plan import Plan
from peekproof.query import form
from peekproof.theory.generalization.gaussian import levels

# ε is a multiple of this, so that ledgers add short numbers.
_STEP = 2**30

# A smaller loss, in rows, costs more than any session has.
_LEAST_ROWS = 0.1


def best_price(
    plan: Plan, *, candidates: int, sensitivity: int, loss: float | None = None
) -> Price:
    """The choice of one of `candidates`, which may lose about `loss` against the sample's best."""
    clock = Clock.of(plan, asked="a choice of the best")
    epsilon = _epsilon(plan, candidates, loss)
    return clock.price(Exponential(candidates=candidates, epsilon=epsilon, sensitivity=sensitivity))


def quantile_price(plan: Plan, asked: form.Quantile, *, loss: float | None = None) -> Price:
    """The choice of a value from the grid, whose level may be off by about `loss` in the sample."""
    clock = Clock.of(plan, asked="a quantile")
    epsilon = _epsilon(plan, asked.steps, loss)
    return clock.price(
        Quantile(rows=plan.rows, cells=asked.steps, level=asked.level, epsilon=epsilon)
    )


def _epsilon(plan: Plan, candidates: int, loss: float | None) -> Fraction:
    """The ε at which a choice that counts as one question loses at most `loss` on average.

    It counts as more, so it will lose a little less. By default half of the planned radius.
    """
    wanted = plan.radius / 2 if loss is None else check.positive_float(loss=loss)
    _, level = levels(plan.target)
    count = check.positive_integer(candidates=candidates) * plan.target.questions
    if wanted * plan.rows < _LEAST_ROWS:
        raise InvalidInput(
            argument="loss",
            accepted="what a row or more stands for",
            given=repr(loss),
            hint="a choice that loses nothing would have to be the best of the sample itself",
        )
    needed = 2 * (log_of(count / level) + 1) / (plan.rows * wanted)
    return Fraction(ceil(needed * _STEP), _STEP)

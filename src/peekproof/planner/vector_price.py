"""What a histogram costs: one draw for all its cells."""

from fractions import Fraction
from math import ceil

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up
from peekproof.mechanisms.gaussian import GaussianVector, on_grid
from peekproof.planner.own import Clock, Price, own_radius
from peekproof.planner.plan import Plan
from peekproof.query.form import FINE, Grouped, Histogram, Mean, contribution
from peekproof.theory.generalization.gaussian import (
    cells_ball,
    levels,
    own_drift,
    weighted_cells_ball,
)
from peekproof.theory.generalization.noise import normal_shortfall

_FINEST_BALL = 2**20


def histogram_price(plan: Plan, form: Histogram | Grouped, *, radius: float | None = None) -> Price:
    """The draw for all cells: with the noise of a planned question, or as a radius needs it."""
    clock = Clock.of(plan, asked="a histogram")
    real = isinstance(form.weight, Mean)
    ball = _ball(form)

    def drawn(sigma: Fraction, step: Fraction) -> Price:
        return clock.price(
            GaussianVector(
                rows=plan.rows,
                sigma=sigma,
                step=step,
                cells=form.dimension,
                ball=ball,
                levels=FINE if real else 1,
            )
        )

    if radius is None:
        return drawn(clock.noise.sigma, clock.noise.step)
    wanted = own_radius(radius)
    narrowest = own_drift(clock.budget, plan.target)
    # As if it counted as one question: that needs a little less noise than it will have to have.
    _, level = levels(plan.target)
    shortfall = normal_shortfall(beta=level / plan.target.questions, count=form.dimension)
    for shift in (0, -1, -2) if wanted > narrowest else ():
        noise = on_grid(plan.rows, (wanted - narrowest) / (shortfall + 1 / 128), shift=shift)
        found = drawn(noise.sigma, noise.step)
        if found.certificate.radius <= wanted:
            return found
    raise InvalidInput(
        argument="radius",
        accepted=f"above {decimal_up(narrowest)}, which no noise takes away here",
        given=repr(radius),
        hint="plan for fewer questions, or hold more rows",
    )


def _ball(form: Histogram | Grouped) -> Fraction:
    """The ball that holds what a record adds, a little larger so that ledgers add short numbers."""
    if isinstance(form, Histogram) and isinstance(form.weight, Mean):
        # What a record adds is read in fixed point, and so is the 0 it adds to other cells.
        low, high = form.extent
        nothing = Fraction(contribution(0.0, low=low, high=high), FINE)
        exact = weighted_cells_ball(cells=form.dimension, low=-nothing, high=1 - nothing)
    else:
        # Parts f and 1 − f of two cells lie between the unit vectors, in the same ball.
        exact = cells_ball(cells=form.dimension, most=1)
    return Fraction(ceil(exact * _FINEST_BALL), _FINEST_BALL)

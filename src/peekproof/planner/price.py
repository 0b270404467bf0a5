"""What one question with a radius of its own costs, before it is asked."""

from fractions import Fraction

from peekproof.core.charge import GDP, Draws, Offer, amount_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.mechanisms.gaussian import Gaussian, on_grid
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.planner.own import Price, own_radius
from peekproof.planner.plan import Guessed, Plan
from peekproof.theory.generalization.gaussian import levels, own_drift
from peekproof.theory.generalization.noise import normal_shortfall


# How a guess is given.
def planned_offer(plan: Plan, *, draw: int, batch: int = 1) -> Offer:
    """What a question costs as the plan asks it, if its batch ends with this draw, from 1.

    Ledgers ask under their write lock, so nothing is certified here.
    """
    if isinstance(plan.mechanism, Rounds):
        return Offer(cost=Draws(plan.mechanism.cost().count / batch))
    if isinstance(plan.mechanism, Guessed):
        raise InvalidInput(
            argument="guess",
            accepted="given: this session checks guesses",
            given="None",
            hint="ask(question, guess=…), or open the data with a guesser",
        )
    if not isinstance(plan.mechanism, OpenEnded):
        return Offer(cost=plan.mechanism.cost())
    stage = _stage(plan.mechanism, draw)
    noise = plan.mechanism.stages[stage]
    return Offer(cost=noise.cost(), terms={**noise.describe(), "stage": str(stage)})


def planned_price(plan: Plan, *, draw: int = 1) -> Price:
    """The price of a question as the plan asks it, if it is this draw, counted from 1."""
    mechanism, certificate = plan.mechanism, plan.certificate
    if isinstance(mechanism, OpenEnded):
        stage = _stage(mechanism, draw)
        certificate = mechanism.certify_stage(stage, plan.target)
        mechanism = mechanism.stages[stage]
    return Price(
        mechanism=mechanism,
        certificate=certificate,
        offer=planned_offer(plan, draw=draw),
        questions=Fraction(1),
    )


def _stage(mechanism: OpenEnded, draw: int) -> int:
    return min(mechanism.stage_of(draw), len(mechanism.stages) - 1)


def narrowest(plan: Plan) -> float:
    """What every radius of its own must exceed: the drift, which no noise takes away."""
    if not isinstance(plan.budget, GDP):
        return plan.radius
    return own_drift(plan.budget, plan.target)


def price(plan: Plan, *, radius: float) -> Price:
    """The cheapest draw whose interval reaches no further than `radius`.

    A radius that the plan keeps anyway costs at most a planned question.
    """
    wanted = own_radius(radius)
    if isinstance(plan.mechanism, OpenEnded):
        raise InvalidInput(
            argument="radius",
            accepted="left out: the radius of an open-ended session grows by itself",
            given=repr(radius),
        )
    planned = planned_price(plan)
    if not isinstance(plan.mechanism, Gaussian) or not isinstance(plan.budget, GDP):
        if wanted >= plan.radius:
            return planned
        raise InvalidInput(
            argument="radius",
            accepted=f"at least {decimal_up(plan.radius)}, the one radius of answers without noise",
            given=repr(radius),
        )
    own = _own(plan, plan.budget, wanted)
    if wanted < plan.radius:
        if own is None:
            raise InvalidInput(
                argument="radius",
                accepted=f"above {decimal_up(narrowest(plan))}, which no noise takes away here",
                given=repr(radius),
                hint="plan for fewer questions, or hold more rows",
            )
        return own
    return own if own is not None and own.questions < 1 else planned


def _own(plan: Plan, budget: GDP, radius: float) -> Price | None:
    """The draw with the most noise that keeps `radius` by T-own-radius, or None."""
    room = radius - narrowest(plan)
    _, level = levels(plan.target)
    shortfall = normal_shortfall(beta=level, count=plan.target.questions)
    if room <= 0:
        return None
    for shift in (0, -1, -2):  # rounding to the grid may need a step or two
        mechanism = on_grid(plan.rows, room / (shortfall + 1 / 128), shift=shift)
        certificate = mechanism.certify_own(plan.target, budget=budget)
        if certificate.radius <= radius:
            cost = mechanism.cost()
            worth = cost.mu_squared / amount_of(plan.mechanism.cost())
            terms = mechanism.describe()
            offer = Offer(cost=cost, terms=terms)
            return Price(mechanism=mechanism, certificate=certificate, offer=offer, questions=worth)
    return None

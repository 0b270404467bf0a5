"""What questions of any form would cost."""

from dataclasses import replace

from holdfast.core.charge import added
from holdfast.planner.own import Price
from holdfast.planner.plan import Plan
from holdfast.planner.price import planned_price
from holdfast.query.form import Given, Mean
from holdfast.query.question import Question
from holdfast.session.quotients import drawn_for
from holdfast.session.request import in_fixed_point, question_request


def priced(
    plan: Plan, asked: Question, *, radius: float | None, loss: float | None, draw: int
) -> Price:
    """The price of a new question that ends a batch with this draw of the ledger.

    That of a quotient is what its two parts cost, and its radius is theirs: how far the quotient
    reaches depends on how many satisfy the condition.
    """
    if isinstance(asked.form, Given):
        parts = drawn_for([asked])
        over, under = (priced(plan, each, radius=radius, loss=loss, draw=draw) for each in parts)
        offer = replace(
            over.offer,
            cost=added(over.offer.cost, under.offer.cost),
            draws=over.offer.draws + under.offer.draws,
        )
        return replace(over, offer=offer, questions=over.questions + under.questions)
    request = question_request(plan, asked, radius=radius, loss=loss)
    found = request.price or planned_price(plan, draw=draw)
    if request.price is None and isinstance(asked.form, Mean):
        return in_fixed_point(found)
    return found

"""What questions of any form would cost."""

from collections.abc import Callable
from dataclasses import replace

from peekproof.core.charge import added
from peekproof.planner.own import Price
from peekproof.planner.plan import Plan
from peekproof.planner.price import planned_price
from peekproof.query.form import Given, Mean
from peekproof.query.question import Question
from peekproof.session.quotients import drawn_for
from peekproof.session.request import in_fixed_point, question_request


def priced(
    plan: Plan,
    asked: Question,
    *,
    radius: float | None,
    loss: float | None,
    draw: int,
    before: Callable[[Question], Price | None],
) -> Price:
    """The price of a question that ends a batch with this draw of the ledger.

    `before` has that of a question that was answered before, which nobody can have otherwise. The
    price of a quotient is what its two parts cost, and its radius is that of the wider: how far
    the quotient reaches depends on how many satisfy the condition.
    """
    if isinstance(asked.form, Given):
        over, under = (
            priced(plan, each, radius=radius, loss=loss, draw=draw, before=before)
            for each in drawn_for([asked])
        )
        wider = max(over, under, key=lambda each: each.certificate.radius)
        offer = replace(
            wider.offer,
            cost=added(over.offer.cost, under.offer.cost),
            draws=over.offer.draws + under.offer.draws,
        )
        return replace(wider, offer=offer, questions=over.questions + under.questions)
    request = question_request(plan, asked, radius=radius, loss=loss)  # refused as when asked
    if known := before(asked):
        return known
    found = request.price or planned_price(plan, draw=draw)
    if request.price is None and isinstance(asked.form, Mean):
        return in_fixed_point(found)
    return found

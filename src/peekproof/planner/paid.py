"""Whether what a ledger records of payments fits the draws that were made for them."""

from collections.abc import Iterable

from peekproof.core.charge import Charge, Offer, amount_of, unit_of
from peekproof.core.errors import LedgerDamaged
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.mechanisms.gaussian import GaussianVector
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.planner.own import Clock
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import mechanism_under


def check_paid(plan: Plan, offers: Iterable[Offer], *, ledger: str) -> None:
    """Refuse a record of draws that paid less than they cost, or that count as too few."""
    if isinstance(plan.mechanism, Rounds | Thresholdout):
        return  # a question pays its part of a round, or the first one pays for all
    for offer in offers:
        try:
            cost, draws = _due(plan, offer)
        except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
            raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error
        enough = unit_of(cost) == unit_of(offer.cost) and amount_of(cost) <= amount_of(offer.cost)
        if not enough or offer.draws < draws:
            raise LedgerDamaged(ledger=ledger, problem="records noise that was not paid for")


def _due(plan: Plan, offer: Offer) -> tuple[Charge, int]:
    """What a draw under these terms costs, and as how many it counts."""
    drawn = mechanism_under(plan, offer.terms)
    if isinstance(drawn, GaussianVector | Exponential | Quantile):
        clock = Clock.of(plan, asked="a draw of its own")
        cost = clock.cost(drawn)
        return cost, clock.draws(cost)
    return drawn.cost(), 1

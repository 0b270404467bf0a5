"""What a gateway says that a checked guess would cost: only it knows the past of all guesses."""

from fractions import Fraction

from holdfast.client.calls import Json
from holdfast.client.promise import Promise, understood
from holdfast.core.charge import Offer, unit_of
from holdfast.ledger.record import offer_from_body
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.mechanisms.selection import Selection
from holdfast.planner.checking import described_check
from holdfast.planner.own import Price
from holdfast.planner.plan import Mechanism
from holdfast.planner.selecting import described_selection


def checked_price(promise: Promise, said: Json) -> Price:
    """The price of a guess, with the certificate that it has if it passes, or of a choice."""
    plan = promise.plan
    with understood(promise.place, version=promise.version):
        offer: Offer = offer_from_body(said, unit=unit_of(plan.budget))
        mechanism: Mechanism | GuessAndCheck | Selection = plan.mechanism
        match offer.terms.get("kind"):
            case GuessAndCheck.KIND:
                mechanism = described_check(offer.terms, rows=plan.rows)
            case Selection.KIND:
                mechanism = described_selection(offer.terms, rows=plan.rows)
        return Price(
            mechanism=mechanism,
            certificate=promise.certificate(offer.terms, overrides=len(promise.overrides)),
            offer=offer,
            questions=Fraction(1),
        )

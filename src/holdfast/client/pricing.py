"""What a gateway says that a checked guess would cost: only it knows the past of all guesses."""

from fractions import Fraction

from holdfast.client.calls import Json
from holdfast.client.promise import Promise, understood
from holdfast.core.charge import Offer, unit_of
from holdfast.ledger.record import offer_from_body
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.planner.checking import described_check
from holdfast.planner.own import Price


def checked_price(promise: Promise, said: Json) -> Price:
    """The price of a guess, with the certificate that it has if it passes."""
    plan = promise.plan
    with understood(promise.place, version=promise.version):
        offer: Offer = offer_from_body(said, unit=unit_of(plan.budget))
        checked = offer.terms.get("kind") == GuessAndCheck.KIND
        return Price(
            mechanism=described_check(offer.terms, rows=plan.rows) if checked else plan.mechanism,
            certificate=promise.certificate(offer.terms, overrides=len(promise.overrides)),
            offer=offer,
            questions=Fraction(1),
        )

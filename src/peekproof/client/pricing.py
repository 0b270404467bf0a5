"""What a gateway says of prices: only it knows what was answered, and the past of all guesses."""

from dataclasses import replace
from fractions import Fraction
from math import inf

from peekproof.client.http import Json
from peekproof.client.promise import Promise, understood
from peekproof.core.charge import Offer, unit_of
from peekproof.core.shown import visible
from peekproof.core.width import Width
from peekproof.ledger.record import offer_from_body
from peekproof.mechanisms.checking import (
    GuessAndCheck,
    Selection,
    described_check,
    described_selection,
)
from peekproof.planner.own import Price
from peekproof.planner.plan import Mechanism
from peekproof.planner.recorded import recorded_price
from peekproof.session.pricing import checked


def checked_price(promise: Promise, said: Json) -> Price:
    """The price of a guess, with the certificate that it has if it passes, or of a choice."""
    if known := known_price(promise, said):
        return checked(promise.plan, known)
    plan = promise.plan
    with understood(promise.place, version=promise.version):
        offer: Offer = offer_from_body(said, unit=unit_of(plan.budget))
        mechanism: Mechanism | GuessAndCheck | Selection = plan.mechanism
        match offer.terms.get("kind"):
            case GuessAndCheck.KIND:
                mechanism = described_check(offer.terms, rows=plan.rows)
            case Selection.KIND:
                mechanism = described_selection(offer.terms, rows=plan.rows)
        found = Price(
            mechanism=mechanism,
            certificate=promise.certificate(offer.terms, overrides=len(promise.overrides)),
            offer=offer,
            questions=Fraction(1),
        )
        return checked(plan, found)


def within_told(promise: Promise, price: Price, said: Json) -> Price:
    """The price of a question within groups, with the width that the gateway tells.

    It depends on what was answered before about the group, and only the gateway knows that.
    """
    with understood(promise.place, version=promise.version):
        least, most = float(said["least"]), float(said["radius"])
        if not 0 <= least <= most < inf:
            raise ValueError("no width")
        told = Width(least=least, most=most, words=visible(str(said["width"])))
        return replace(price, told=told)


def checked_quotient(promise: Promise, said: Json) -> Price:
    """The price of a quotient of two guesses: what the gateway says of both."""
    found = checked_price(promise, said)
    with understood(promise.place, version=promise.version):
        found = replace(found, questions=Fraction(said["questions"]))
    return within_told(promise, found, said)


def known_price(promise: Promise, said: Json) -> Price | None:
    """The price of what was answered before, with the certificate that its answer has."""
    with understood(promise.place, version=promise.version):
        if not said["known"]:
            return None
        terms = {str(key): str(value) for key, value in said["terms"].items()}
        certificate = promise.certificate(terms, overrides=len(promise.overrides))
        return recorded_price(promise.plan, terms, certificate)

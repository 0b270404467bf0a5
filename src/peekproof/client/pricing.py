"""What a gateway says of prices: only it knows what was answered, and the past of all guesses."""

from dataclasses import replace
from fractions import Fraction
from math import inf

from peekproof.client.http import Json
from peekproof.client.promise import Promise, understood
from peekproof.core.charge import UNITS, unit_of
from peekproof.core.shown import visible
from peekproof.core.width import Width
from peekproof.mechanisms.plan import Price
from peekproof.session.pricing import told_as


def checked_price(promise: Promise, said: Json, *, scale: Fraction) -> Price:
    """The price of a guess, with the certificate that it has if it passes, or of a choice.

    Its answer is on so wide a scale.
    """
    found = known_price(promise, said)
    plan = promise.plan
    with understood(promise.place, version=promise.version):
        if found is None:
            draw = promise.drawn(said["terms"])
            overrides = len(promise.overrides)
            found = Price(
                draw=draw,
                certificate=promise.certificate(draw, failed=False, overrides=overrides),
                cost=UNITS[unit_of(plan.budget)](Fraction(said["cost"])),
                draws=int(said["draws"]),
                questions=Fraction(1),
            )
        return told_as(found, plan, scale=scale)


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
    found = checked_price(promise, said, scale=Fraction(1))
    with understood(promise.place, version=promise.version):
        found = replace(found, questions=Fraction(said["questions"]))
    return within_told(promise, found, said)


def known_price(promise: Promise, said: Json) -> Price | None:
    """The price of what was answered before, with the certificate that its answer has."""
    with understood(promise.place, version=promise.version):
        if not said["known"]:
            return None
        draw, failed = promise.drawn(said["terms"]), bool(said["failed"])
        certificate = promise.certificate(draw, failed=failed, overrides=len(promise.overrides))
        return Price.recorded(draw, certificate, failed=failed)

"""Questions paid for and answers given, and how entries write them down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.charge import UNITS, Charge, Offer, amount_of
from peekproof.ledger.entry import Body, Entry

# A number, or the numbers of an answer that has several.
Value = Fraction | tuple[Fraction, ...]


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """An answer as it was released, with the terms of its draw if they were its own."""

    text: str
    value: Value
    terms: Mapping[str, str] = field(default_factory=dict)
    analyst: str = ""


@final
@dataclass(frozen=True, slots=True)
class Paid:
    """A question that is paid for, what was paid, and who asked."""

    text: str
    offer: Offer
    analyst: str = ""

    def settled(self, value: Value) -> Settled:
        return Settled(self.text, value, self.offer.terms, self.analyst)


def charge_body(
    questions: Mapping[str, str],
    offers: Sequence[Offer],
    *,
    total: Charge,
    analyst: str,
    values: Sequence[Value] = (),
) -> Body:
    """What is said of questions that are charged, with their answers if these are known by now.

    What all offers have in common is said once.
    """
    listed: list[Body] = [{"digest": key, "text": text} for key, text in questions.items()]
    for each, value in zip(listed, values, strict=False):
        each["value"] = _value_to_json(value)
    body: Body = {"questions": listed, "spent": str(amount_of(total))}
    if analyst:
        body["analyst"] = analyst
    if all(offer == offers[0] for offer in offers):
        return {**body, **offer_to_body(offers[0])}
    for each, offer in zip(listed, offers, strict=True):
        each.update(offer_to_body(offer))
    return body


def paid_from_body(body: Body, *, unit: str) -> dict[str, Paid]:
    """The questions of an entry by their digests, and what was paid for each."""
    common = offer_from_body(body, unit=unit) if "cost" in body else None
    analyst = str(body.get("analyst", ""))
    return {
        str(each["digest"]): Paid(
            str(each["text"]), common or offer_from_body(each, unit=unit), analyst
        )
        for each in body["questions"]
    }


def answers_from_body(body: Body, *, unit: str) -> dict[str, Settled]:
    """The answers of an entry by the digests of their questions."""
    paid = paid_from_body(body, unit=unit)
    return {
        str(each["digest"]): paid[str(each["digest"])].settled(_value_from_json(each["value"]))
        for each in body["questions"]
    }


def restore_body(
    *, source: str, continues: str, last: Entry, lost: int, mended: int, reason: str, against: str
) -> Body:
    """What is said of entries that were restored: where from, how many, and what is missing."""
    return {
        "source": source,
        "continues": continues,
        "entries": last.sequence,
        "digest": last.digest.hex(),
        "lost": lost,
        **({"mended": mended} if mended else {}),
        "reason": reason,
        "against": against,
    }


def restored_override(body: Body) -> Body:
    """A restoration among the overrides, which certificates and receipts name."""
    said = [
        f"restored from {body['source']}: {int(body['entries']):,} entries, the last "
        f"{str(body['digest'])[:16]}…"
    ]
    if body.get("mended"):
        said.append(f"{int(body['mended']):,} of them after undoing one flipped bit")
    if body["reason"]:
        said.append(str(body["reason"]))
    return {"reason": "; ".join(said), "against": str(body["against"]), "restored": "yes"}


def _value_to_json(value: Value) -> str | list[str]:
    return [str(each) for each in value] if isinstance(value, tuple) else str(value)


def _value_from_json(found: object) -> Value:
    if isinstance(found, list):
        return tuple(Fraction(str(each)) for each in found)
    return Fraction(str(found))


def offer_to_body(offer: Offer) -> Body:
    """An offer: its cost, and what is out of the ordinary."""
    body: Body = {"cost": str(amount_of(offer.cost))}
    if offer.terms:
        body["terms"] = dict(offer.terms)
    if offer.draws != 1:
        body["draws"] = offer.draws
    return body


def offer_from_body(body: Body, *, unit: str) -> Offer:
    """The offer that `offer_to_body` wrote, in this unit."""
    draws = body.get("draws", 1)
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError("a question is at least one draw")
    terms = {str(key): str(value) for key, value in body.get("terms", {}).items()}
    return Offer(cost=UNITS[unit](Fraction(body["cost"])), terms=terms, draws=draws)


def settled_to_body(settled: Settled) -> Body:
    """An answer with all that is known of it."""
    return {
        "text": settled.text,
        "value": _value_to_json(settled.value),
        "terms": dict(settled.terms),
        "analyst": settled.analyst,
    }


def settled_from_body(body: Body) -> Settled:
    """The answer that `settled_to_body` wrote."""
    terms = {str(key): str(value) for key, value in body["terms"].items()}
    return Settled(str(body["text"]), _value_from_json(body["value"]), terms, str(body["analyst"]))

"""What a ledger says: the result of replaying its entries, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from holdfast.core.charge import UNITS, Charge, Offer, added, amount_of, cost_of, nothing, unit_of
from holdfast.core.errors import LedgerDamaged, LedgerTooNew
from holdfast.core.loss import FREE, GDP, Draws, PureDP
from holdfast.ledger.entry import Body, Entry

FORMAT = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The first entry: whose budget this is, how large, and what it promises."""

    fingerprint: str
    rows: int
    confidence: Fraction
    questions: int
    mechanism: dict[str, str] = field(repr=False)  # may hold a key
    budget: Charge
    entropy: str

    def to_body(self) -> Body:
        return {
            "format": FORMAT,
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "confidence": str(self.confidence),
            "questions": self.questions,
            "mechanism": self.mechanism,
            "unit": unit_of(self.budget),
            "budget": str(amount_of(self.budget)),
            "entropy": self.entropy,
        }

    @classmethod
    def from_body(cls, body: Body) -> "Opening":
        return cls(
            fingerprint=str(body["fingerprint"]),
            rows=int(body["rows"]),
            confidence=Fraction(body["confidence"]),
            questions=int(body["questions"]),
            mechanism={str(key): str(value) for key, value in body["mechanism"].items()},
            budget=UNITS[str(body["unit"])](Fraction(body["budget"])),
            entropy=str(body["entropy"]),
        )


# A number, or the numbers of an answer that has several.
Value = Fraction | tuple[Fraction, ...]


def value_to_json(value: Value) -> str | list[str]:
    """A released value as the ledger writes it."""
    return [str(each) for each in value] if isinstance(value, tuple) else str(value)


def _value_from_json(found: object) -> Value:
    if isinstance(found, list):
        return tuple(Fraction(str(each)) for each in found)
    return Fraction(str(found))


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """An answer as it was released, with the terms of its draw if they were its own."""

    text: str
    value: Value
    terms: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Paid:
    """A question that is paid for, and what was paid."""

    text: str
    offer: Offer


@dataclass(slots=True)
class State:
    """The fold of all entries so far. Applying an entry is constant time."""

    ledger: str
    opening: Opening | None = None
    last: Entry | None = None
    spent: Charge = FREE
    draws: int = 0
    pending: dict[int, Mapping[str, Paid]] = field(default_factory=dict)
    answers: dict[str, Settled] = field(default_factory=dict)
    repeated: list[Settled] = field(default_factory=list)  # drawn although answered meanwhile
    offers: dict[tuple[object, ...], Offer] = field(default_factory=dict)  # each kind once

    def apply(self, entry: Entry) -> None:
        """Take in the next entry as it lies in the file, or raise LedgerDamaged."""
        try:
            body = entry.body
            if self.opening is None:
                self._open(entry, body)
            elif entry.kind == "reserve":
                self._check_and_charge(entry, body, self.opening.budget)
            elif entry.kind == "settle":
                answers = {
                    str(key): _value_from_json(value) for key, value in body["answers"].items()
                }
                self.settle(entry, int(body["reserve"]), answers)
            else:
                raise ValueError(f"kind {entry.kind!r} is unknown")
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
            raise LedgerDamaged(
                ledger=self.ledger, problem=f"makes no sense at entry {entry.sequence} ({error})"
            ) from error

    def charge(self, entry: Entry, questions: Mapping[str, Paid], *, spent: Charge) -> None:
        """Questions (by digest) are paid for; `spent` is the new total."""
        self.spent = spent
        self.draws += sum(paid.offer.draws for paid in questions.values())
        self.pending[entry.sequence] = questions
        for offer in {id(paid.offer): paid.offer for paid in questions.values()}.values():
            key = amount_of(offer.cost), offer.draws, *sorted(offer.terms.items())
            self.offers.setdefault(key, offer)
        self.last = entry

    def settle(self, entry: Entry, reserve: int, values: Mapping[str, Value]) -> None:
        """The questions of entry `reserve` are answered."""
        questions = self.pending.pop(reserve)
        for digest, paid in questions.items():
            # Two processes may have drawn the same question at once: the first settled stands.
            settled = Settled(paid.text, values[digest], paid.offer.terms)
            if self.answers.setdefault(digest, settled) is not settled:
                self.repeated.append(settled)
        self.last = entry

    def _open(self, entry: Entry, body: Body) -> None:
        if entry.kind != "open":
            raise ValueError("the first entry must open the ledger")
        if body["format"] > FORMAT:
            raise LedgerTooNew(ledger=self.ledger, found=body["format"], supported=FORMAT)
        self.opening = Opening.from_body(body)
        self.spent = nothing(unit_of(self.opening.budget))
        self.last = entry

    def _check_and_charge(self, entry: Entry, body: Body, budget: Charge) -> None:
        unit = UNITS[unit_of(budget)]
        common = _offer(body, unit) if "cost" in body else None
        questions = {
            str(each["digest"]): Paid(str(each["text"]), common or _offer(each, unit))
            for each in body["questions"]
        }
        total = added(self.spent, cost_of([paid.offer for paid in questions.values()]))
        if amount_of(total) > amount_of(budget):
            raise ValueError("more was reserved than the budget holds")
        draws = sum(paid.offer.draws for paid in questions.values())
        if self.opening and self.draws + draws > self.opening.questions:
            raise ValueError("more was drawn than was promised for")
        if total != unit(Fraction(body["spent"])):
            raise ValueError("the recorded total is not the sum of the charges")
        self.charge(entry, questions, spent=total)


def _offer(body: Body, unit: type[GDP] | type[PureDP] | type[Draws]) -> Offer:
    draws = body.get("draws", 1)
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError("a question is at least one draw")
    terms = {str(key): str(value) for key, value in body.get("terms", {}).items()}
    return Offer(cost=unit(Fraction(body["cost"])), terms=terms, draws=draws)


def offer_to_body(offer: Offer) -> Body:
    """What a reservation records of an offer: its cost, and what is out of the ordinary."""
    body: Body = {"cost": str(amount_of(offer.cost))}
    if offer.terms:
        body["terms"] = dict(offer.terms)
    if offer.draws != 1:
        body["draws"] = offer.draws
    return body

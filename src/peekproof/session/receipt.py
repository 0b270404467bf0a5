"""Receipts: one answer of a ledger with all that a person needs to believe and to check it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, Offer, amount_of, unit_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_down
from peekproof.core.shown import visible_lines
from peekproof.ledger.entry import Entry, checked
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import PublicOpening
from peekproof.ledger.record import Paid, values_from_body
from peekproof.ledger.state import State
from peekproof.mechanisms.fresh_rows import without_key
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import recorded_plan
from peekproof.planner.remaining import halted, remaining_questions, remaining_rounds
from peekproof.query.schema import Schema
from peekproof.session.certified import Certifier, Finding
from peekproof.session.custody import in_custody
from peekproof.session.past import Past, with_outcome
from peekproof.session.receipt_text import receipt_text


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An answer, who asked and when, its two entries, its price, and why its interval holds.

    `left` is how many planned questions fitted after the reservation, none if its failure was the
    last; `rounds_left` how many rounds, where they are counted. `number` counts answers from 1, in
    the order of the ledger.
    `overrides` are the custodian's, earlier or later: one promise covers all answers.
    """

    place: str
    opening: PublicOpening
    number: int
    digest: str
    paid: Paid
    reserve: Entry
    settle: Entry
    left: int
    rounds_left: int | None
    finding: Finding
    certificate: Certificate
    terms: Mapping[str, str]
    overrides: tuple[Mapping[str, str], ...] = ()

    @property
    def question(self) -> str:
        return self.paid.text

    @property
    def analyst(self) -> str:
        return self.paid.analyst

    @property
    def offer(self) -> Offer:
        return self.paid.offer

    @property
    def mechanism(self) -> dict[str, str]:
        """How the answer was drawn; a key is left out."""
        return without_key(self.terms if "kind" in self.terms else self.opening.mechanism)

    @property
    def asked_at(self) -> str | None:
        """When it was paid for, in whole seconds; ledgers of format 1 do not say."""
        return _time(self.reserve)

    @property
    def answered_at(self) -> str | None:
        return _time(self.settle)

    def text(self) -> str:
        """The receipt as plain text, at most 80 columns wide."""
        return visible_lines(receipt_text(self))

    def to_dict(self) -> dict[str, object]:
        return {
            "ledger": self.place,
            "data": self.opening.data,
            "rows": self.opening.rows,
            "number": self.number,
            "question": self.question,
            "digest": self.digest,
            "analyst": self.analyst,
            "answer": self.finding.to_dict(),
            "confidence": level_down(self.certificate.target.confidence),
            "asked": {
                "entry": self.reserve.sequence,
                "digest": self.reserve.digest.hex(),
                "at": self.asked_at,
            },
            "answered": {
                "entry": self.settle.sequence,
                "digest": self.settle.digest.hex(),
                "at": self.answered_at,
            },
            "unit": unit_of(self.offer.cost),
            "cost": str(amount_of(self.offer.cost)),
            "draws": self.offer.draws,
            "left": self.left,
            "rounds_left": self.rounds_left,
            "mechanism": self.mechanism,
            "certificate": self.certificate.to_dict(),
            "overrides": [dict(each) for each in self.overrides],
        }


def receipt(ledger: Ledger, digest: str) -> Receipt:
    """The receipt of the question with this digest."""
    for found in receipts(ledger):
        if found.digest == digest:
            return found
    raise InvalidInput(
        argument="digest", accepted="that of a question with an answer", given=repr(digest)[:80]
    )


def receipts(ledger: Ledger) -> Iterator[Receipt]:
    """The receipts of all answers, in the order in which they were given.

    The entries are replayed from the first, so nobody gets a receipt from a broken chain.
    """
    private, opening = ledger.opening, ledger.opening.public
    recorded = recorded_plan(private, ledger=ledger.place)
    plan = in_custody(recorded, opening, ())  # overrides have lines of their own
    certifier, state = Certifier(plan, ledger=ledger.place), State(ledger.place)
    overrides = tuple(
        {"reason": str(each["reason"]), "against": private.published(str(each["against"]))}
        for each in ledger.look().overrides
    )
    past, checks = Past(schema=Schema({})), isinstance(plan.mechanism, LimitedChecking)
    paid: dict[int, _Bought] = {}
    number = 0
    for entry in checked(ledger.stream(), after=None, ledger=ledger.place):
        known = _answered(entry, state)
        state.apply(entry)
        if entry.kind == "reserve":
            bought = state.pending[entry.sequence]
            paid[entry.sequence] = _Bought.now(entry, bought, plan, state.spent, state.draws)
        if entry.kind != "settle":
            continue
        reserved = paid.pop(int(entry.body["reserve"]))
        # Only the answer tells whether its guess was the last that could fail.
        over = checks and halted(plan, failures=past.look(state).failures)
        for digest, each in reserved.questions.items():
            if digest in known:
                continue  # drawn twice: the first answer stands
            number += 1
            settled = state.answers[digest]
            yield Receipt(
                place=ledger.public_place,
                opening=opening,
                number=number,
                digest=digest,
                paid=each,
                reserve=reserved.entry,
                settle=entry,
                left=0 if over else reserved.left,
                rounds_left=reserved.rounds_left,
                finding=certifier.finding(settled),
                certificate=certifier.certificate(settled),
                terms=with_outcome(settled),
                overrides=overrides,
            )


@final
@dataclass(frozen=True, slots=True)
class _Bought:
    """A reservation, and what was left right after it."""

    entry: Entry
    questions: Mapping[str, Paid]
    left: int
    rounds_left: int | None

    @classmethod
    def now(
        cls, entry: Entry, questions: Mapping[str, Paid], plan: Plan, spent: Charge, draws: int
    ) -> "_Bought":
        left = remaining_questions(plan, spent=spent, draws=draws)
        return cls(entry, questions, left, remaining_rounds(plan, spent=spent))


def _answered(entry: Entry, state: State) -> set[str]:
    """Which questions of a settlement had an answer before it."""
    if entry.kind != "settle":
        return set()
    return {digest for digest in values_from_body(entry.body) if digest in state.answers}


def _time(entry: Entry) -> str | None:
    found = entry.body.get("at")
    return None if found is None else str(found)

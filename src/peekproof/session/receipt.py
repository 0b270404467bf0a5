"""Receipts: one answer of a ledger with all that a person needs to believe and to check it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput
from peekproof.core.finding import Finding
from peekproof.core.numerics import level_down
from peekproof.core.secret import shown
from peekproof.core.shown import visible_lines
from peekproof.ledger.entry import Entry, Paid, PublicOpening, checked, paid_from_body
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.state import State
from peekproof.mechanisms.plan import recorded_plan
from peekproof.session.custody import in_custody
from peekproof.session.receipt_text import receipt_text
from peekproof.session.records import Certifier, Pasts, Reading


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An answer, who asked and when, its entry, its price, and why its interval holds.

    `left` is how many planned questions fitted after it, none if its failure was the last;
    `rounds_left` how many rounds, where they are counted. `number` counts answers from 1, in
    the order of the ledger.
    `overrides` are the custodian's, earlier or later: one promise covers all answers.
    """

    place: str
    opening: PublicOpening
    number: int
    digest: str
    paid: Paid
    entry: Entry
    left: int
    rounds_left: int | None
    finding: Finding
    certificate: Certificate
    terms: Mapping[str, str]
    reading: Reading
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
        return dict(self.terms)

    @property
    def failed(self) -> bool:
        """Whether the answer corrects a guess."""
        return self.reading.failed

    @property
    def verdict(self) -> str:
        """What became of the guess that was checked; empty if none was."""
        return self.reading.draw.verdict(self.reading.value)

    @property
    def at(self) -> str:
        """When it was answered, in whole seconds."""
        return str(self.entry.body["at"])

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
            "entry": self.entry.sequence,
            "entry_digest": self.entry.digest.hex(),
            "at": self.at,
            "unit": self.offer.cost.unit,
            "cost": str(self.offer.cost.amount),
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
    pasts, unit, number = Pasts(plan), plan.budget.unit, 0
    for entry in checked(ledger.stream(), after=None, ledger=ledger.place):
        state.apply(entry)
        if entry.kind != "answer":
            continue
        past = pasts.look(state)
        room = plan.budget.amount - past.spent
        for digest, each in paid_from_body(entry.body, unit=unit).items():
            number += 1
            settled = state.answers[digest]
            yield Receipt(
                place=ledger.public_place,
                opening=opening,
                number=number,
                digest=digest,
                paid=each,
                entry=entry,
                left=plan.mechanism.left(past),
                rounds_left=plan.mechanism.rounds_left(past, room=room),
                finding=certifier.finding(settled),
                certificate=certifier.certificate(settled),
                terms=shown(settled.terms),
                reading=Reading.of(settled, rows=plan.rows),
                overrides=overrides,
            )

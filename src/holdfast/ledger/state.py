"""What a ledger says: the result of replaying its entries, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from holdfast.core.charge import UNITS, Charge, added, amount_of, nothing, unit_of
from holdfast.core.errors import LedgerDamaged, LedgerTooNew
from holdfast.core.loss import FREE
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


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """An answer as it was released, with the terms of its draw if they were its own."""

    text: str
    value: Fraction
    terms: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Paid:
    """A question that is paid for."""

    text: str
    terms: Mapping[str, str]


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

    def apply(self, entry: Entry) -> None:
        """Take in the next entry as it lies in the file, or raise LedgerDamaged."""
        try:
            body = entry.body
            if self.opening is None:
                self._open(entry, body)
            elif entry.kind == "reserve":
                self._check_and_charge(entry, body, self.opening.budget)
            elif entry.kind == "settle":
                answers = {str(key): Fraction(value) for key, value in body["answers"].items()}
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
        self.draws += len(questions)
        self.pending[entry.sequence] = questions
        self.last = entry

    def settle(self, entry: Entry, reserve: int, values: Mapping[str, Fraction]) -> None:
        """The questions of entry `reserve` are answered."""
        questions = self.pending.pop(reserve)
        for digest, paid in questions.items():
            # Two processes may have drawn the same question at once: the first settled stands.
            self.answers.setdefault(digest, Settled(paid.text, values[digest], paid.terms))
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
        terms = {str(key): str(value) for key, value in body.get("terms", {}).items()}
        questions = {
            str(each["digest"]): Paid(str(each["text"]), terms) for each in body["questions"]
        }
        unit = UNITS[unit_of(budget)]
        total = added(self.spent, unit(Fraction(body["cost"])) * len(questions))
        if amount_of(total) > amount_of(budget):
            raise ValueError("more was reserved than the budget holds")
        if self.opening and self.draws + len(questions) > self.opening.questions:
            raise ValueError("more was drawn than was promised for")
        if total != unit(Fraction(body["spent"])):
            raise ValueError("the recorded total is not the sum of the charges")
        self.charge(entry, questions, spent=total)

"""What replies say: the answer to read, and the record from which a client builds it again."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from msgspec import Struct

from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.charge import Charge
from peekproof.core.finding import Chosen as ChosenBefore
from peekproof.core.finding import Finding
from peekproof.core.secret import shown
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.ledger.entry import Settled
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Query
from peekproof.query.candidates import Candidates
from peekproof.query.question import Question
from peekproof.session.queries import AnyAnswer, drawn_for


class Record(Struct, kw_only=True, frozen=True):
    """An answer as the ledger has it: exact numbers as text, and the terms of its draw."""

    digest: str
    text: str
    value: str | list[str]
    terms: dict[str, str]
    cost: str
    drawn: bool


class Said(Struct, kw_only=True, frozen=True):
    """What every reply says. `promise` is that of the data set, as its description has it."""

    question: str
    confidence: float
    cost: str
    replayed: bool
    remaining: int
    theorems: list[str]
    records: list[Record]
    promise: str


class Number(Said, tag_field="kind", tag="number", frozen=True):
    """A share or a mean."""

    value: float
    low: float
    high: float
    radius: float


class Cell(Struct, kw_only=True, frozen=True):
    """One number of a histogram."""

    label: str
    value: float
    low: float
    high: float


class Cells(Said, tag_field="kind", tag="histogram", frozen=True):
    """A histogram."""

    cells: list[Cell]


class Group(Cell, frozen=True):
    """What holds within a cell, and how large it is."""

    share: float
    share_low: float
    share_high: float


class Groups(Said, tag_field="kind", tag="grouped", frozen=True):
    """Shares or means by cells."""

    cells: list[Group]


class Level(Said, tag_field="kind", tag="quantile", frozen=True):
    """A value, and of which levels it can be the quantile."""

    value: float
    after: float | None
    level: float
    lowest_level: float
    highest_level: float


class MissingRows(Struct, kw_only=True, frozen=True):
    """The share of rows that have no value."""

    value: float
    low: float
    high: float


class Quotient(Said, tag_field="kind", tag="conditional", frozen=True):
    """A share or a mean among some, from the two answers that were drawn for it.

    Of a mean among all rows with a value, `missing` tells how many have none.
    """

    value: float
    low: float
    high: float
    radius: float
    over: dict[str, Any]
    under: dict[str, Any]
    missing: MissingRows | None = None


class Chosen(Said, tag_field="kind", tag="choice", frozen=True):
    """The candidate that was chosen; none is better by more than the gap.

    Where guesses are checked, its value and interval are told with it.
    """

    chosen: str
    index: int
    candidates: int
    gap: float
    value: float | None = None
    low: float | None = None
    high: float | None = None


Reply = Number | Cells | Groups | Level | Quotient | Chosen

_KINDS: Mapping[type[AnyAnswer], type[Struct]] = {
    Answer: Number,
    HistogramAnswer: Cells,
    GroupedAnswer: Groups,
    QuantileAnswer: Level,
    ConditionalAnswer: Quotient,
}


def found_of(finding: Finding) -> dict[str, object]:
    """What an answer of before says; a choice in the words of the reply to it."""
    told = finding.to_dict()
    if isinstance(finding, ChosenBefore):
        told |= {"chosen": finding.name, "index": finding.index}
    return told


def promise_of(ledger: Ledger) -> str:
    """A mark of what certificates are computed from; a client that has another looks again."""
    opening = ledger.opening
    return f"{opening.name or opening.public_name}-{len(ledger.overrides)}"


class Replying:
    """Makes replies from what a ledger has settled."""

    _cells: ClassVar[Mapping[type, Callable[..., Struct]]] = {Cells: Cell, Groups: Group}

    def __init__(self, ledger: Ledger) -> None:
        self._records: Mapping[str, Settled] = ledger.seen.answers
        self._promise = promise_of(ledger)

    def answer(self, asked: Question, found: AnyAnswer) -> Reply:
        """The reply to a question."""
        kind, said = _KINDS[type(found)], found.to_dict()
        if kind in self._cells:
            make = self._cells[kind]
            said["cells"] = [make(**each) for each in said["cells"]]  # type: ignore[attr-defined]
        if isinstance(missing := said.get("missing"), dict):
            said["missing"] = MissingRows(**missing)
        return kind(  # type: ignore[return-value]
            **said, records=self._drawn(asked, found), promise=self._promise
        )

    def score(self, asked: Query, found: Answer) -> Number:
        """The reply to predictions."""
        record = self._record(asked.digest, found.cost, drawn=not found.replayed)
        return Number(
            **found.to_dict(),  # type: ignore[arg-type]
            records=[record],
            promise=self._promise,
        )

    def choice(self, asked: Candidates | Query, found: Choice) -> Chosen:
        record = self._record(asked.digest, found.cost, drawn=not found.replayed)
        return Chosen(
            **found.to_dict(),  # type: ignore[arg-type]
            question=asked.text,
            records=[record],
            promise=self._promise,
        )

    def _drawn(self, asked: Question, found: AnyAnswer) -> list[Record]:
        parts: list[Answer | HistogramAnswer | QuantileAnswer]
        match found:
            case ConditionalAnswer():
                parts = [found.over, found.under]
            case GroupedAnswer():
                parts = [found.drawn]
            case _:
                parts = [found]
        return [
            self._record(question.digest, part.cost, drawn=not part.replayed)
            for question, part in zip(drawn_for([asked]), parts, strict=True)
        ]

    def _record(self, digest: str, cost: Charge, *, drawn: bool) -> Record:
        settled = self._records[digest]
        value = settled.value
        return Record(
            digest=digest,
            text=settled.text,
            value=str(value) if isinstance(value, Fraction) else [str(each) for each in value],
            terms=shown(settled.terms),
            cost=str(cost.amount),
            drawn=drawn,
        )

"""The answers of a ledger as a history: read again, certified, and free."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import final

from peekproof.core.answer import Answer, HistogramAnswer
from peekproof.core.certificate import Certificate, Interval, Span
from peekproof.core.charge import charge_in
from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.core.finding import Chosen, Finding, Numbers
from peekproof.derive.conditional import GroupedAnswer
from peekproof.ledger.entry import Settled
from peekproof.query.candidates import listed_in_text, parse_candidates
from peekproof.query.form import Grouped, Histogram
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.session.history import History, Recorded
from peekproof.session.records import finding_of, numbers

# Longer lists of candidates are not read again: that takes longer than it helps.
_MOST_CANDIDATES = 100


@final
class Recall:
    """Tells a ledger's answers as they were told to those who asked.

    Labels come from the question, which is read again by the schema; if it is not the recorded one
    then, as its digest says, cells have numbers instead of names.
    """

    def __init__(
        self,
        *,
        place: str,
        schema: Schema,
        certificate: Callable[[Settled], Certificate],
        rows: int,
    ) -> None:
        self._place = place
        self._schema = schema
        self._certificate = certificate
        self._rows = rows

    def history(self, known: Mapping[str, Settled], *, analyst: str | None = None) -> History:
        """All answers, or those that this analyst was given first. Nothing is charged or read."""
        if analyst is not None and not isinstance(analyst, str):
            raise InvalidInput(argument="analyst", accepted="a name", given=repr(analyst)[:80])
        digests = enumerate(list(known), start=1)  # a copy: other threads may add to it meanwhile
        settled = ((number, digest, known[digest]) for number, digest in digests)
        return History(
            tuple(
                self.recorded(number, digest, each)
                for number, digest, each in settled
                if analyst is None or each.analyst == analyst
            )
        )

    def recorded(self, number: int, digest: str, settled: Settled) -> Recorded:
        """One answer, which has this number among all."""
        found = finding_of(settled, self._certificate, rows=self._rows, ledger=self._place)
        return Recorded(
            number=number,
            digest=digest,
            question=settled.text,
            analyst=settled.analyst,
            found=self._named(found, digest, settled),
            certificate=self._certificate(settled),
        )

    def _named(self, found: Finding, digest: str, settled: Settled) -> Finding:
        """The same with names, if the question tells them."""
        if isinstance(found, Chosen):
            return self._chosen(found, digest, settled.text)
        if not isinstance(found, Numbers):
            return found
        asked = self._read(settled.text, digest)
        match asked and asked.form:
            case Histogram() as form if form.dimension == len(found.cells):
                return Numbers(found.cells, found.span, form.labels)
            case Grouped() as form if form.dimension == len(found.cells):
                return _within(form, settled, self._certificate(settled))
            case _:
                return found

    def _read(self, text: str, digest: str) -> Question | None:
        # Another version, or whoever declared categories, may have read what cannot be read here.
        with suppress(InvalidInput, QuestionError):
            asked = parse_question(text, self._schema)
            return asked if asked.digest == digest else None
        return None

    def _chosen(self, found: Chosen, digest: str, text: str) -> Chosen:
        if found.candidates > _MOST_CANDIDATES:
            return found
        with suppress(InvalidInput, QuestionError):
            asked = parse_candidates(listed_in_text(text), self._schema)
            if asked.digest == digest:
                chosen = asked.questions[found.index].text
                return replace(found, text=chosen)
        return found


def _within(form: Grouped, settled: Settled, certificate: Certificate) -> Numbers:
    """What holds within the cells, as it follows from what was drawn for them."""
    shares = numbers(settled.value)
    free = charge_in("draws")
    cells = tuple(
        Answer(question=label, released=share, certificate=certificate, cost=free, remaining=0)
        for label, share in zip(form.labels * 2, shares, strict=True)
    )
    drawn = HistogramAnswer(
        question=settled.text, labels=form.labels * 2, cells=cells, cost=free, remaining=0
    )
    low, high = (Fraction(end) for end in form.bounds)
    grouped = GroupedAnswer.of(settled.text, drawn=drawn, bounds=form.bounds)
    found = tuple((cell.value, Interval(low=cell.low, high=cell.high)) for cell in grouped.cells)
    return Numbers(found, Span.between(low, high), form.labels)

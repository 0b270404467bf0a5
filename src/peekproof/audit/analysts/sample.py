"""The sample itself as an oracle: what every analyst breaks."""

from dataclasses import dataclass
from fractions import Fraction
from typing import cast, final

from peekproof.audit.analysts.protocol import Columns
from peekproof.core.certificate import Span
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.load import in_memory
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.query.form import FINE, Mean, Share
from peekproof.query.question import Question, parse_question, question_of
from peekproof.query.tree import Clip, Product


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """What the rows say: a total of `levels` for each row, of shares of this span."""

    total: Exact[int]
    levels: int
    span: Span


@final
class ExactSample:
    """Answers shares and means exactly, for the rows that it holds and for no population."""

    def __init__(self, columns: Columns) -> None:
        self._table = in_memory(columns)

    @property
    def rows(self) -> int:
        return self._table.rows

    def __call__(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 exact answers need none
        tolerance: float | None = None,  # noqa: ARG002
    ) -> float:
        return float(self.exactly(question))

    def exactly(self, question: str) -> Fraction:
        """The share or mean of the rows."""
        return self._value(self.measure(question))

    def measure(self, question: str) -> Measured:
        """The total of a question, sealed as a mechanism takes it."""
        return self._measured(self._asked(question))

    def spread(self, question: str) -> tuple[float, float]:
        """The share or mean of the rows, and the variance of what single rows contribute to it."""
        asked = self._asked(question)
        value = self._value(self._measured(asked))
        if isinstance(asked.form, Share):
            return float(value), float(value * (1 - value))
        square = self._value(self._measured(_squared(cast(Mean, asked.form), text=question)))
        return float(value), max(0.0, float(square - value**2))

    def share(self, found: Measured) -> Fraction:
        """What was measured, as a share of the way from the low end of its span to the high one."""
        return UnsafeEmpirical(rows=self.rows * found.levels).release_unsafely(found.total)

    def _asked(self, question: str) -> Question:
        asked = parse_question(question, self._table.schema)
        if not isinstance(asked.form, Share | Mean):
            raise InvalidInput(argument="question", accepted="a share or a mean", given=question)
        return asked

    def _measured(self, asked: Question) -> Measured:
        form = cast(Share | Mean, asked.form)
        total = cast(Exact[int], self._table.totals([asked])[0])  # one number, as for both forms
        low, high = map(Fraction, form.span)
        levels = FINE if isinstance(form, Mean) else 1
        return Measured(total, levels, Span.between(low, high))

    def _value(self, found: Measured) -> Fraction:
        return found.span.value(self.share(found))


def _squared(form: Mean, *, text: str) -> Question:
    inside = Clip(form.operand, form.low, form.high)
    most = max(form.low**2, form.high**2)
    square = Mean(Product((inside, inside)), low=0.0, high=most, missing=form.filled**2)
    return question_of(square, text=f"square of {text}")

"""The sample itself as an oracle: what every analyst breaks."""

from fractions import Fraction
from typing import cast, final

from holdfast.audit.analysts.protocol import Columns
from holdfast.core.errors import InvalidInput
from holdfast.core.secret import Exact
from holdfast.core.span import Span
from holdfast.data.load import in_memory
from holdfast.mechanisms.empirical import UnsafeEmpirical
from holdfast.query.form import FINE, Mean, Share
from holdfast.query.question import parse_question


@final
class ExactSample:
    """Answers shares and means exactly, for the rows that it holds and for no population."""

    def __init__(self, columns: Columns) -> None:
        self._table = in_memory(columns)

    def __call__(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 exact answers need none
        tolerance: float | None = None,  # noqa: ARG002
    ) -> float:
        asked = parse_question(question, self._table.schema)
        if not isinstance(asked.form, Share | Mean):
            raise InvalidInput(argument="question", accepted="a share or a mean", given=question)
        total = cast(Exact[int], self._table.totals([asked])[0])  # one number, as for both forms
        levels = FINE if isinstance(asked.form, Mean) else 1
        share = UnsafeEmpirical(rows=self._table.rows * levels).release_unsafely(total)
        low, high = map(Fraction, asked.form.span)
        return float(Span.between(low, high).value(share))

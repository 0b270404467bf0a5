"""A question that is ready to be priced, charged and evaluated."""

import hashlib
from dataclasses import dataclass
from typing import final

from holdfast.core.errors import InvalidInput, QuestionError
from holdfast.query.canonical import canonical_form
from holdfast.query.cells import Edges
from holdfast.query.form import Form, Histogram, Mean, Quantile, Share
from holdfast.query.reading import read
from holdfast.query.schema import Schema
from holdfast.query.tree import Constant, Number, Predicate
from holdfast.query.wire import form_text


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, in canonical form, next to the words in which it was asked.

    `digest` is the same for every spelling that has the same canonical form.
    """

    text: str
    form: Form
    digest: str

    @property
    def predicate(self) -> Predicate:
        """The condition of a question for a share."""
        if not isinstance(self.form, Share):
            raise TypeError(f"a {type(self.form).__name__} is not a share")
        return self.form.predicate


def parse_question(text: str, schema: Schema) -> Question:
    """The question that `text` asks of a table with this schema."""
    if not isinstance(text, str):
        raise InvalidInput(
            argument="question", accepted="text such as 'age > 50'", given=repr(text)[:80]
        )
    try:
        form = canonical_form(read(text, schema))
    except OverflowError as error:
        raise QuestionError(
            problem="arithmetic on constants overflows", text=text, position=0, length=len(text)
        ) from error
    constant = _constant(form)
    if constant:
        raise QuestionError(
            problem=constant, text=text, position=0, length=len(text), hint="mention a column"
        )
    return Question(
        text=text.strip(),
        form=form,
        digest=hashlib.sha256(form_text(form).encode()).hexdigest(),
    )


def _constant(form: Form) -> str:
    """What is the same for every row of every table, or nothing."""
    match form:
        case Share(Constant(value)):
            return f"the question is always {str(value).lower()}"
        case Mean(Number(value)) | Quantile(Number(value)) | Histogram(Edges(Number(value))):
            return f"the number is always {value:g}"
        case Histogram(_, Constant(value)):
            return f"the condition is always {str(value).lower()}"
        case Histogram(_, Mean(Number(value))):
            return f"the mean is of a number that is always {value:g}"
        case _:
            return ""

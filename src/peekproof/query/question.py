"""A question that is ready to be priced, charged and evaluated."""

import hashlib
from dataclasses import dataclass
from typing import final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.canonical import canonical, canonical_form
from peekproof.query.cells import Edges, Values
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.reading import read
from peekproof.query.schema import Schema
from peekproof.query.tree import And, Constant, Missing, Number, Numeric, Predicate
from peekproof.query.unwire import (
    MOST_JSON_CHARACTERS,
    is_json,
    json_text,
    read_json,
    read_json_text,
)
from peekproof.query.wire import form_text


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


def parse_question(text: str | list[object], schema: Schema) -> Question:
    """The question that `text`, or its JSON form, asks of a table with this schema."""
    if isinstance(text, list):
        return from_json(text, schema)
    if not isinstance(text, str):
        raise InvalidInput(
            argument="question", accepted="text such as 'age > 50'", given=repr(text)[:80]
        )
    reader = read_json_text if is_json(text) else read
    try:
        form = canonical_form(reader(text, schema), schema.complete)
    except OverflowError as error:
        raise QuestionError(
            problem="arithmetic on constants overflows", text=text, position=0, length=len(text)
        ) from error
    except InvalidInput as error:
        raise _refused(error, text) from None
    return _asked(text.strip(), form, text)


def from_json(value: object, schema: Schema) -> Question:
    """The question whose JSON form is `value`, nested lists as `to_json` writes them."""
    as_written = read_json(value, schema)
    text = json_text(value)
    if len(text) > MOST_JSON_CHARACTERS:
        problem = f"$: more than {MOST_JSON_CHARACTERS:,} characters of JSON"
        raise QuestionError(problem=problem, text=text[:80], position=0)
    try:
        form = canonical_form(as_written, schema.complete)
    except OverflowError as error:
        problem = "$: arithmetic on constants overflows"
        raise QuestionError(problem=problem, text=text[:80], position=0) from error
    except InvalidInput as error:
        raise _refused(error, text[:80], before="$: ") from None
    return _asked(text, form, text[:80])


def _refused(error: InvalidInput, text: str, *, before: str = "") -> QuestionError:
    """What a normal form cannot be: what missing values count as may be said in the operand."""
    problem = f"{before}{error.argument} must be {error.accepted}, got {error.given}"
    return QuestionError(problem=problem, text=text, position=0, length=len(text), hint=error.hint)


def question_of(form: Form, *, text: str) -> Question:
    """The question that asks for a form, under these words."""
    return _asked(text, canonical_form(form), text[:80])


def _asked(text: str, form: Form, shown: str) -> Question:
    constant = _constant(form)
    if constant:
        raise QuestionError(
            problem=constant,
            text=shown,
            position=0,
            length=len(shown),
            hint="mention a column whose values decide",
        )
    written = form_text(form)
    if len(written) > MOST_JSON_CHARACTERS:  # so that what is asked can be asked as JSON too
        problem = f"more than {MOST_JSON_CHARACTERS:,} characters once it is spelled out"
        raise QuestionError(problem=problem, text=shown[:80], position=0)
    digest = hashlib.sha256(written.encode()).hexdigest()
    return Question(text=text, form=form, digest=digest)


def _constant(form: Form) -> str:
    """What is the same for every row of every table, or nothing."""
    match form:
        case Share(Constant(value)):
            return f"the question is always {str(value).lower()}"
        case Mean(operand) | Quantile(operand):
            return _fixed(operand, "the number is always")
        case Histogram(by, weight) | Grouped(by, weight):
            return _fixed_cells(by) or _fixed_weight(weight)
        case Given(of, condition):
            return _constant(of) or _fixed_weight(condition) or _settled(of, condition)
        case _:
            return ""


def _fixed(operand: Numeric, problem: str) -> str:
    match operand:
        case Number(value):
            return f"{problem} {value:g}"
        case Missing():
            return f"{problem} null"
        case _:
            return ""


def _fixed_cells(by: Edges | Values) -> str:
    return _fixed(by.operand, "the number is always") if isinstance(by, Edges) else ""


def _fixed_weight(weight: Predicate | Mean | None) -> str:
    match weight:
        case Constant(value):
            return f"the condition is always {str(value).lower()}"
        case Mean(operand):
            return _fixed(operand, "the mean is of a number that is always")
        case _:
            return ""


def _settled(of: Share | Mean, condition: Predicate) -> str:
    """What the condition decides by itself."""
    if isinstance(of, Mean):
        return ""
    both = canonical(And((of.predicate, condition)))
    if both == Constant(False):
        return "the question is never true where its condition is"
    return "the question is always true where its condition is" if both == condition else ""

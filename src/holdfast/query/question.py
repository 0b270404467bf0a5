"""A question that is ready to be priced, charged and evaluated."""

import hashlib
from dataclasses import dataclass
from typing import final

from holdfast.core.errors import InvalidInput, QuestionError
from holdfast.query.canonical import canonical
from holdfast.query.parser import parse
from holdfast.query.schema import Schema
from holdfast.query.tree import Constant, Predicate
from holdfast.query.wire import to_text


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The share of rows for which `predicate` is true.

    Sensitivity: replacing one record moves the count by at most 1, whatever the predicate.
    `digest` is the same for every spelling that has the same canonical form.
    """

    text: str
    predicate: Predicate
    digest: str


def parse_question(text: str, schema: Schema) -> Question:
    """The question that `text` asks of a table with this schema."""
    if not isinstance(text, str):
        raise InvalidInput(
            argument="question", accepted="text such as 'age > 50'", given=repr(text)[:80]
        )
    try:
        predicate = canonical(parse(text, schema))
    except OverflowError as error:
        raise QuestionError(
            problem="arithmetic on constants overflows", text=text, position=0, length=len(text)
        ) from error
    if isinstance(predicate, Constant):
        raise QuestionError(
            problem=f"the question is always {str(predicate.value).lower()}",
            text=text,
            position=0,
            length=len(text),
            hint="mention a column",
        )
    form = f'["share",{to_text(predicate)}]'
    return Question(
        text=text.strip(),
        predicate=predicate,
        digest=hashlib.sha256(form.encode()).hexdigest(),
    )

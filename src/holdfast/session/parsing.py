"""What analysts write, as questions of the form that a call takes."""

from collections.abc import Iterable

from holdfast.core.errors import InvalidInput
from holdfast.query.form import Histogram, Quantile
from holdfast.query.question import Question, parse_question
from holdfast.query.schema import Schema

_LONGEST_NAME = 100


def parsed(questions: Iterable[str], schema: Schema) -> list[Question]:
    """Questions of any form."""
    if isinstance(questions, str):
        raise InvalidInput(
            argument="questions",
            accepted="a list of questions",
            given=repr(questions),
            hint="use ask for a single one",
        )
    return [parse_question(text, schema) for text in questions]


def of_form(text: str, form: type[Histogram] | type[Quantile], schema: Schema) -> Question:
    """A question of this form."""
    asked = parse_question(text, schema)
    if not isinstance(asked.form, form):
        name = form.__name__.lower()
        raise InvalidInput(
            argument="question",
            accepted=f"a {name}, written {name}(…)",
            given=f"a {type(asked.form).__name__.lower()}",
        )
    return asked


def analyst_name(name: object) -> str:
    """A name that ledgers can record; "" is whoever gives none."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            argument="analyst",
            accepted=f"a printable name of at most {_LONGEST_NAME} characters",
            given=repr(name)[:80],
        )
    if name != name.strip():
        raise InvalidInput(argument="analyst", accepted="without spaces around", given=repr(name))
    return name

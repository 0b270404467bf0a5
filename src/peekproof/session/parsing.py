"""What analysts write, as questions of the form that a call takes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from peekproof.core.errors import InvalidInput
from peekproof.query.cells import MOST_CELLS
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Kind, Schema

_LONGEST_NAME = 100

# In place of a list of complete columns: all of them.
EVERY = "*"

# A question as someone writes it, or one that was read already, by the same schema.
Asked = str | Question


def parsed(questions: Iterable[Asked], schema: Schema) -> list[Question]:
    """Questions of any form; those that were read already are taken as they are."""
    if isinstance(questions, str):
        raise InvalidInput(
            argument="questions",
            accepted="a list of questions",
            given=repr(questions[:80]),
            hint="use ask for a single one",
        )
    return [_parsed(each, schema) for each in questions]


def _parsed(asked: Asked, schema: Schema) -> Question:
    return asked if isinstance(asked, Question) else parse_question(asked, schema)


# What a form is called, how it is written, and which method of a session takes it.
_FORMS: dict[type[Form], tuple[str, str, str]] = {
    Share: ("a share", "a condition", "ask"),
    Mean: ("a mean", "mean(…)", "ask"),
    Histogram: ("a histogram", "histogram(…)", "histogram"),
    Quantile: ("a quantile", "quantile(…)", "quantile"),
    Grouped: ("shares or means by cells", "… by …", "grouped"),
    Given: ("a share or mean of some rows", "… given …", "ask"),
}


def of_form(given: Asked, form: type[Form], schema: Schema) -> Question:
    """A question of this form."""
    asked = _parsed(given, schema)
    if not isinstance(asked.form, form):
        name, written, _ = _FORMS[form]
        found, _, method = _FORMS[type(asked.form)]
        raise InvalidInput(
            argument="question",
            accepted=f"{name}, written {written}",
            given=found,
            hint=f"call session.{method}",
        )
    return asked


def check_scalar(question: Question) -> None:
    """Refuse what has more than one number."""
    if not isinstance(question.form, Share | Mean | Given):
        given, _, method = _FORMS[type(question.form)]
        raise InvalidInput(
            argument="question",
            accepted="a share or a mean",
            given=given,
            hint=f"call session.{method}",
        )


def declared(
    schema: Schema, categories: Mapping[str, Sequence[str]], complete: Iterable[str] = ()
) -> Schema:
    """The schema with the values that text columns are declared to have, and complete columns."""
    known = dict(schema.categories)
    for name, values in categories.items():
        _check_column("categories", name, schema)
        if schema.columns.get(name) is not Kind.TEXT:
            raise InvalidInput(
                argument="categories",
                accepted="for text columns",
                given=repr(name)[:80],
                hint="numbers are cut at edges: histogram(age, (18, 65))",
            )
        listed = () if isinstance(values, str) else tuple(values)
        if not all(isinstance(each, str) for each in listed):
            listed = ()
        if not 0 < len(listed) == len(set(listed)) <= MOST_CELLS:
            raise InvalidInput(
                argument="categories",
                accepted=f"from 1 to {MOST_CELLS:,} different texts for a column",
                given=f"{name}: {values!r}"[:80],
            )
        known[name] = listed
    return replace(schema, categories=known, complete=_complete(schema, complete))


def _complete(schema: Schema, names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(
            argument="complete", accepted="a list of columns", given=repr(names)[:80]
        )
    listed = list(names)
    if listed == [EVERY]:
        listed = [name for name, kind in schema.columns.items() if kind is not Kind.OTHER]
    for name in listed:
        _check_column("complete", name, schema)
        if schema.columns[name] is Kind.OTHER:
            raise InvalidInput(
                argument="complete",
                accepted="columns that questions can use",
                given=repr(name)[:80],
            )
    return schema.complete | frozenset(listed)


def _check_column(argument: str, name: object, schema: Schema) -> None:
    if isinstance(name, str) and name in schema.columns:
        return
    near = get_close_matches(str(name), schema.columns, n=1)
    raise InvalidInput(
        argument=argument,
        accepted="for columns of the data",
        given=repr(name)[:80],
        hint=f"did you mean {near[0]!r}?" if near else "",
    )


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

"""The JSON form of a tree: lists headed by a word, so that it sorts, hashes and travels."""

import json
from json.encoder import encode_basestring_ascii as quoted

from peekproof.query.cells import Edges, Values
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)

Json = None | bool | float | str | list["Json"]


def to_json(node: Numeric | Predicate | Form) -> Json:
    """The node, or a whole form, as nested lists of JSON values."""
    text = form_text(node) if isinstance(node, Form) else to_text(node)
    plain: Json = json.loads(text)
    return plain


def form_text(form: Form) -> str:
    """The JSON form of all that a question asks, as one line; its hash is the question's digest."""
    match form:
        case Share(predicate):
            return f'["share",{to_text(predicate)}]'
        case Mean(operand, low, high, missing):
            return f'["mean",{to_text(operand)},{low!r},{high!r},{missing!r}]'
        case Histogram(by, weight):
            return f'["histogram",{_cells_text(by)},{_weight_text(weight)}]'
        case Grouped(by, weight):
            return f'["by",{_cells_text(by)},{_weight_text(weight)}]'
        case Given(of, condition):
            return f'["given",{form_text(of)},{to_text(condition)}]'
        case Quantile(operand, level, low, high, steps):
            return f'["quantile",{to_text(operand)},"{level}",{low!r},{high!r},{steps}]'


def _cells_text(by: Edges | Values) -> str:
    if isinstance(by, Edges):
        return f'["edges",{to_text(by.operand)},[{",".join(map(repr, by.edges))}]]'
    # In the order as written: an answer lists its numbers in the order of the cells.
    return f'["values",{to_text(by.column)},[{",".join(map(_literal, by.values))}]]'


def _literal(value: str | bool) -> str:
    return quoted(value) if isinstance(value, str) else "true" if value else "false"


def _weight_text(weight: Predicate | Mean | None) -> str:
    match weight:
        case None:
            return "null"
        case Mean():
            return form_text(weight)
        case _:
            return to_text(weight)


def to_text(node: Numeric | Predicate) -> str:
    """The JSON form as one line without spaces: the same tree gives the same bytes.

    Written out by hand, the common cases first, because every question comes here several times.
    """
    match node:
        case Number(value):
            return repr(value)
        case Column(name):
            return f'["column",{quoted(name)}]'
        case Compare(operator, left, right):
            return f'["{operator}",{to_text(left)},{to_text(right)}]'
        case Member(subject, values, negated):
            listed = ",".join(quoted(v) if isinstance(v, str) else repr(v) for v in values)
            return f'["{"not in" if negated else "in"}",{to_text(subject)},[{listed}]]'
        case And(terms):
            return _headed("and", terms)
        case Or(terms):
            return _headed("or", terms)
        case Sum(terms):
            return _headed("+", terms)
        case Product(factors):
            return _headed("*", factors)
        case Quotient(dividend, divisor):
            return f'["/",{to_text(dividend)},{to_text(divisor)}]'
        case Clip(operand, low, high):
            return f'["clip",{to_text(operand)},{low!r},{high!r}]'
        case If(condition, then, otherwise):
            return f'["if",{to_text(condition)},{to_text(then)},{to_text(otherwise)}]'
        case Part(field, column, _):
            return f'["{field}",{to_text(column)}]'
        case Missing():
            return "null"
        case Matches(column, where, text, negated):
            word = f"not {where}" if negated else where
            return f'["{word}",{to_text(column)},{quoted(text)}]'
        case IsNull(operand, negated):
            return f'["{"is not null" if negated else "is null"}",{to_text(operand)}]'
        case Flag(column, negated):
            return f'["{"is false" if negated else "is true"}",{to_text(column)}]'
        case Constant(value):
            return "true" if value else "false"
        case Not(term):
            return f'["not",{to_text(term)}]'


def _headed(word: str, nodes: tuple[Numeric, ...] | tuple[Predicate, ...]) -> str:
    return f'["{word}",{",".join(map(to_text, nodes))}]'

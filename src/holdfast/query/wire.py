"""The JSON form of a tree: lists headed by a word, so that it sorts, hashes and travels."""

import json
from json.encoder import encode_basestring_ascii as quoted

from holdfast.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    Member,
    Not,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
)

Json = None | bool | float | str | list["Json"]


def to_json(node: Numeric | Predicate) -> Json:
    """The node as nested lists of JSON values."""
    plain: Json = json.loads(to_text(node))
    return plain


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
            return f'["/",{to_text(dividend)},{divisor!r}]'
        case IsNull(column, negated):
            return f'["{"is not null" if negated else "is null"}",{to_text(column)}]'
        case Flag(column, negated):
            return f'["{"is false" if negated else "is true"}",{to_text(column)}]'
        case Constant(value):
            return "true" if value else "false"
        case Not(term):
            return f'["not",{to_text(term)}]'


def _headed(word: str, nodes: tuple[Numeric, ...] | tuple[Predicate, ...]) -> str:
    return f'["{word}",{",".join(map(to_text, nodes))}]'

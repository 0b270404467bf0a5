"""The JSON form of a tree: lists headed by a word, so that it sorts, hashes and travels."""

import json

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
    match node:
        case Number(value):
            return value
        case Column(name):
            return ["column", name]
        case Sum(terms):
            return ["+", *map(to_json, terms)]
        case Product(factors):
            return ["*", *map(to_json, factors)]
        case Quotient(dividend, divisor):
            return ["/", to_json(dividend), divisor]
        case Compare(operator, left, right):
            return [operator, to_json(left), to_json(right)]
        case Member(subject, values, negated):
            return ["not in" if negated else "in", to_json(subject), list(values)]
        case IsNull(column, negated):
            return ["is not null" if negated else "is null", to_json(column)]
        case Flag(column, negated):
            return ["is false" if negated else "is true", to_json(column)]
        case Constant(value):
            return value
        case Not(term):
            return ["not", to_json(term)]
        case And(terms):
            return ["and", *map(to_json, terms)]
        case Or(terms):
            return ["or", *map(to_json, terms)]


def to_text(node: Numeric | Predicate) -> str:
    """The JSON form as one line without spaces: the same tree gives the same bytes."""
    return json.dumps(to_json(node), separators=(",", ":"), ensure_ascii=True, allow_nan=False)

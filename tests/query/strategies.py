"""Random trees, rows and spellings over one schema with every kind of column."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from hypothesis import strategies as st

from holdfast.query.schema import Kind, Schema
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
from query.naive import Cell

NUMBERS = ("a", "b", "c")
TEXTS = ("s", "t")
FLAGS = ("f", "g")

SCHEMA = Schema(
    {
        **dict.fromkeys(NUMBERS, Kind.NUMBER),
        **dict.fromkeys(TEXTS, Kind.TEXT),
        **dict.fromkeys(FLAGS, Kind.FLAG),
        "day": Kind.OTHER,
    }
)

# Constant folding and sorting may change how a sum rounds. Few small dyadic numbers add and
# multiply without rounding in any order, so the normal form must agree exactly.
DYADIC = st.integers(-8, 8).map(lambda eighth: eighth / 2)
DYADIC_CELLS = DYADIC | st.sampled_from([inf, -inf, -0.0])
DYADIC_DIVISORS = st.sampled_from([-2.0, 0.5, 1.0, 2.0, 4.0])
WORDS = st.sampled_from(["", "x", "y", "O'Neil", 'say "so"', "é", "a  b", "null"])

COMPARATORS = st.sampled_from(["<", "<=", ">", ">=", "=", "!="])
EQUALITIES = st.sampled_from(["=", "!="])


def numerics(
    literals: st.SearchStrategy[float], divisors: st.SearchStrategy[float]
) -> st.SearchStrategy[Numeric]:
    leaves: st.SearchStrategy[Numeric] = st.one_of(
        st.builds(Number, literals), st.builds(Column, st.sampled_from(NUMBERS))
    )

    def grown(inner: st.SearchStrategy[Numeric]) -> st.SearchStrategy[Numeric]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Sum, several),
            st.builds(Product, several),
            st.builds(Quotient, inner, divisors),
        )

    return st.recursive(leaves, grown, max_leaves=5)


def atoms(
    literals: st.SearchStrategy[float], divisors: st.SearchStrategy[float]
) -> st.SearchStrategy[Predicate]:
    numbers = numerics(literals, divisors)
    texts = st.builds(Column, st.sampled_from(TEXTS))
    flags = st.builds(Column, st.sampled_from(FLAGS))
    columns = st.builds(Column, st.sampled_from([*NUMBERS, *TEXTS, *FLAGS]))

    def listed(values: st.SearchStrategy[Cell]) -> st.SearchStrategy[tuple[Cell, ...]]:
        return st.lists(values, min_size=1, max_size=3).map(tuple)

    return st.one_of(
        st.builds(Compare, COMPARATORS, numbers, numbers),
        st.builds(Compare, EQUALITIES, texts, texts),
        st.builds(Compare, EQUALITIES, flags, flags),
        st.builds(Member, numbers, listed(literals), st.booleans()),
        st.builds(Member, texts, listed(WORDS), st.booleans()),
        st.builds(IsNull, columns, st.booleans()),
        st.builds(Flag, flags, st.booleans()),
        st.builds(Constant, st.booleans()),
    )


def predicates(
    literals: st.SearchStrategy[float] = DYADIC,
    divisors: st.SearchStrategy[float] = DYADIC_DIVISORS,
) -> st.SearchStrategy[Predicate]:
    def grown(inner: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
        several = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(st.builds(Not, inner), st.builds(And, several), st.builds(Or, several))

    return st.recursive(atoms(literals, divisors), grown, max_leaves=6)


def rows(
    numbers: st.SearchStrategy[float] = DYADIC_CELLS,
    texts: st.SearchStrategy[str] = WORDS,
) -> st.SearchStrategy[dict[str, Cell]]:
    return st.fixed_dictionaries(
        {
            **{name: st.none() | numbers for name in NUMBERS},
            **{name: st.none() | texts for name in TEXTS},
            **{name: st.none() | st.booleans() for name in FLAGS},
        }
    )


# Spelling -------------------------------------------------------------------------------------

Choice = Callable[[list[str]], str]


def spelled(node: Numeric | Predicate, choose: Choice) -> str:
    """One of the ways to write `node`; `choose` picks among equivalent spellings."""

    def inner(part: Numeric | Predicate) -> str:
        text = spelled(part, choose)
        plain = isinstance(part, Column | Number) and not text.startswith("-")
        return text if plain else f"({text})"

    match node:
        case Number(number):
            return choose([repr(number), f"{number:g}", f"+{number!r}"])
        case Column(name):
            return choose([name, f"`{name}`"])
        case Sum(terms):
            return choose([" + ", "+"]).join(map(inner, terms))
        case Product(factors):
            return choose([" * ", "*"]).join(map(inner, factors))
        case Quotient(dividend, divisor):
            return f"{inner(dividend)} / {divisor!r}"
        case Compare(operator, left, right):
            signs = {"=": ["=", "=="], "!=": ["!=", "<>"]}.get(operator, [operator])
            return f"{inner(left)}{choose(['', ' '])}{choose(signs)} {inner(right)}"
        case Member(subject, values, negated):
            listed = ", ".join(_literal(each, choose) for each in values)
            word = choose(["NOT IN", "not in"] if negated else ["IN", "in"])
            return f"{inner(subject)} {word} {choose([f'({listed})', f'[{listed}]'])}"
        case IsNull(column, negated):
            return f"{inner(column)} {'IS NOT NULL' if negated else 'is null'}"
        case Flag(column, negated):
            name = inner(column)
            said = ("false", "true") if negated else ("true", "false")
            plain = f"not {name}" if negated else name
            return choose([plain, f"{name} = {said[0]}", f"{name} != {said[1]}"])
        case Constant(fixed):
            return choose(["TRUE", "true"] if fixed else ["False", "false"])
        case Not(term):
            return f"{choose(['not ', 'NOT ', '~', '!', 'not not not '])}{inner(term)}"
        case And(terms):
            return choose([" and ", " AND ", " & ", "&&"]).join(map(inner, terms))
        case Or(terms):
            return choose([" or ", " Or ", " | ", "||"]).join(map(inner, terms))


def _literal(literal: float | str, choose: Choice) -> str:
    if not isinstance(literal, str):
        return repr(literal)
    single = literal.replace("'", "''")
    double = literal.replace('"', '""')
    return choose([f"'{single}'", f'"{double}"'])

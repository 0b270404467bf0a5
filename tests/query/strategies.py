"""Random trees, rows and spellings over one schema with every kind of column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from math import inf

from hypothesis import strategies as st

from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import (
    DAY_FIELDS,
    FIELDS,
    PLACES,
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
from query.naive import Cell

NUMBERS = ("a", "b", "c")
TEXTS = ("s", "t")
FLAGS = ("f", "g")
DATES = ("d", "e")
MOMENTS = ("m",)

SCHEMA = Schema(
    {
        **dict.fromkeys(NUMBERS, Kind.NUMBER),
        **dict.fromkeys(TEXTS, Kind.TEXT),
        **dict.fromkeys(FLAGS, Kind.FLAG),
        **dict.fromkeys(DATES, Kind.DATE),
        **dict.fromkeys(MOMENTS, Kind.MOMENT),
        "day": Kind.OTHER,
    }
)

TIMES: dict[Numeric, Kind] = {
    **{Column(name): Kind.DATE for name in DATES},
    **{Column(name): Kind.MOMENT for name in MOMENTS},
}

# Constant folding and sorting may change how a sum rounds. Few small dyadic numbers add and
# multiply without rounding in any order, so the normal form must agree exactly.
DYADIC = st.integers(-8, 8).map(lambda eighth: eighth / 2)
DYADIC_CELLS = DYADIC | st.sampled_from([inf, -inf, -0.0])
DYADIC_DIVISORS = st.sampled_from([-2.0, 0.5, 1.0, 2.0, 4.0])
WORDS = st.sampled_from(["", "x", "y", "O'Neil", 'say "so"', "é", "a  b", "null"])

# Of the years 1 to 9999 in days, and of 1685 to 2254 in microseconds, which doubles hold exactly.
DAYS = (st.integers(-719_162, 2_932_896) | st.integers(-3, 3)).map(float)
MICROSECONDS = (st.integers(-(2**53), 2**53) | st.integers(-(10**6), 10**6)).map(float)

MATCHES: st.SearchStrategy[Predicate] = st.builds(
    Matches,
    st.builds(Column, st.sampled_from(TEXTS)),
    st.sampled_from(PLACES),
    WORDS.filter(bool),
    st.booleans(),
)
FLAGGED: st.SearchStrategy[Predicate] = st.builds(
    Flag, st.builds(Column, st.sampled_from(FLAGS)), st.booleans()
)
PARTS: st.SearchStrategy[Numeric] = st.one_of(
    st.builds(
        Part, st.sampled_from(DAY_FIELDS), st.builds(Column, st.sampled_from(DATES)), st.just("day")
    ),
    st.builds(
        Part,
        st.sampled_from(FIELDS),
        st.builds(Column, st.sampled_from(MOMENTS)),
        st.just("microsecond"),
    ),
)

COMPARATORS = st.sampled_from(["<", "<=", ">", ">=", "=", "!="])
EQUALITIES = st.sampled_from(["=", "!="])


def numerics(
    literals: st.SearchStrategy[float], divisors: st.SearchStrategy[float]
) -> st.SearchStrategy[Numeric]:
    leaves: st.SearchStrategy[Numeric] = st.one_of(
        st.builds(Number, literals), st.builds(Column, st.sampled_from(NUMBERS)), PARTS
    )
    ends = st.lists(literals, min_size=2, max_size=2).map(sorted)

    def grown(inner: st.SearchStrategy[Numeric]) -> st.SearchStrategy[Numeric]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Sum, several),
            st.builds(Product, several),
            st.builds(Quotient, inner, st.builds(Number, divisors)),
            st.builds(Quotient, inner, inner),
            st.builds(lambda operand, both: Clip(operand, *both), inner, ends),
            st.builds(If, simple, inner, inner | st.just(Missing())),
        )

    simple: st.SearchStrategy[Predicate] = st.one_of(
        st.builds(Compare, COMPARATORS, leaves, leaves), MATCHES, FLAGGED
    )

    return st.recursive(leaves, grown, max_leaves=5)


def atoms(
    literals: st.SearchStrategy[float], divisors: st.SearchStrategy[float]
) -> st.SearchStrategy[Predicate]:
    numbers = numerics(literals, divisors)
    texts = st.builds(Column, st.sampled_from(TEXTS))
    flags = st.builds(Column, st.sampled_from(FLAGS))
    dates = st.builds(Column, st.sampled_from(DATES))
    moments = st.builds(Column, st.sampled_from(MOMENTS))
    every = [*NUMBERS, *TEXTS, *FLAGS, *DATES, *MOMENTS]
    columns = st.builds(Column, st.sampled_from(every))

    def listed(values: st.SearchStrategy[Cell]) -> st.SearchStrategy[tuple[Cell, ...]]:
        return st.lists(values, min_size=1, max_size=3).map(tuple)

    return st.one_of(
        st.builds(Compare, COMPARATORS, numbers, numbers),
        st.builds(Compare, EQUALITIES, texts, texts),
        st.builds(Compare, EQUALITIES, flags, flags),
        st.builds(Member, numbers, listed(literals), st.booleans()),
        st.builds(Member, texts, listed(WORDS), st.booleans()),
        st.builds(IsNull, columns | numbers, st.booleans()),
        st.builds(Compare, COMPARATORS, dates, dates | st.builds(Number, DAYS)),
        st.builds(Compare, COMPARATORS, moments, st.builds(Number, MICROSECONDS)),
        st.builds(Member, dates, listed(DAYS), st.booleans()),
        MATCHES,
        FLAGGED,
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
            **{name: st.none() | DAYS for name in DATES},
            **{name: st.none() | MICROSECONDS for name in MOMENTS},
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
            return f"{inner(dividend)} / {inner(divisor)}"
        case Compare(operator, left, right):
            signs = {"=": ["=", "=="], "!=": ["!=", "<>"]}.get(operator, [operator])
            sides = [
                _time(side.value, other, choose)
                if isinstance(side, Number) and other in TIMES
                else inner(side)
                for side, other in ((left, right), (right, left))
            ]
            return f"{sides[0]}{choose(['', ' '])}{choose(signs)} {sides[1]}"
        case Member(subject, values, negated):
            listed = ", ".join(
                _time(float(each), subject, choose) if subject in TIMES else _literal(each, choose)
                for each in values
            )
            word = choose(["NOT IN", "not in"] if negated else ["IN", "in"])
            return f"{inner(subject)} {word} {choose([f'({listed})', f'[{listed}]'])}"
        case IsNull(column, negated):
            return f"{inner(column)} {'IS NOT NULL' if negated else 'is null'}"
        case Missing():
            return choose(["null", "NULL"])
        case Clip(operand, low, high):
            return f"{choose(['clip', 'CLIP'])}({spelled(operand, choose)}, {low!r}, {high!r})"
        case If(condition, then, otherwise):
            when, yes, no = (spelled(part, choose) for part in (condition, then, otherwise))
            default = isinstance(otherwise, Missing) and choose(["default", ""])
            unless = "" if default else f" else {no}"
            return choose([f"if({when}, {yes}, {no})", f"CASE when {when} THEN {yes}{unless} end"])
        case Part(field, column, _):
            return f"{choose([field, field.upper()])}({inner(column)})"
        case Matches(column, where, text, negated):
            return _matching(inner(column), where, text, negated=negated, choose=choose)
        case Flag(column, negated):
            name = inner(column)
            spoken = ("false", "true") if negated else ("true", "false")
            plain = f"not {name}" if negated else name
            return choose([plain, f"{name} = {spoken[0]}", f"{name} != {spoken[1]}"])
        case Constant(fixed):
            return choose(["TRUE", "true"] if fixed else ["False", "false"])
        case Not(term):
            return f"{choose(['not ', 'NOT ', '~', '!', 'not not not '])}{inner(term)}"
        case And(terms):
            return choose([" and ", " AND ", " & ", "&&"]).join(map(inner, terms))
        case Or(terms):
            return choose([" or ", " Or ", " | ", "||"]).join(map(inner, terms))


def _time(value: float, column: Numeric, choose: Choice) -> str:
    """A date literal, as the kind of the column needs it."""
    start = dt.datetime(1970, 1, 1)
    if TIMES[column] is Kind.DATE:
        day = (start + dt.timedelta(days=value)).date().isoformat()
        return choose([f"'{day}'", f'"{day}"', f"date '{day}'", f"DATE '{day}'"])
    moment = start + dt.timedelta(microseconds=value)
    east = (moment + dt.timedelta(hours=2)).isoformat()
    plain = moment.isoformat()
    spaced = plain.replace("T", " ")
    return choose(
        [f"'{plain}'", f"'{spaced}'", f"'{plain}Z'", f"'{east}+02:00'", f"timestamp '{plain}'"]
    )


def _matching(name: str, where: str, text: str, *, negated: bool, choose: Choice) -> str:
    call = {"begins with": "startswith", "ends with": "endswith", "contains": "contains"}[where]
    called = f"{'not ' if negated else ''}{call}({name}, {_literal(text, choose)})"
    if any(sign in text for sign in "%_\\"):
        return called
    pattern = {"begins with": f"{text}%", "ends with": f"%{text}", "contains": f"%{text}%"}[where]
    liked = f"{name} {choose(['not like', 'NOT LIKE'] if negated else ['like', 'LIKE'])} "
    return choose([called, liked + _literal(pattern, choose)])


def _literal(literal: float | str, choose: Choice) -> str:
    if not isinstance(literal, str):
        return repr(literal)
    single = literal.replace("'", "''")
    double = literal.replace('"', '""')
    return choose([f"'{single}'", f'"{double}"'])

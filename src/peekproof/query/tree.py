"""The expression tree: what a question can say. Frozen values, nothing that runs.

Truth has three values as in SQL: an unknown (null) operand makes a comparison unknown, and a
row counts only if the whole predicate is true. NOT never appears in a canonical tree: every
atom below can be negated by itself. So in a canonical tree unknown and false are the same: no
row counts more for one than for the other, and engines need two values only.

Numbers are doubles, and NaN is null wherever it comes up. A date is the number of days since
1970-01-01, and a moment the number of microseconds since then, in UTC.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Number:
    """A finite double."""

    value: float


@final
@dataclass(frozen=True, slots=True)
class Column:
    """The value of a column in a row."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class Sum:
    """Double-precision addition from left to right."""

    terms: tuple["Numeric", ...]


@final
@dataclass(frozen=True, slots=True)
class Product:
    """Double-precision multiplication from left to right."""

    factors: tuple["Numeric", ...]


@final
@dataclass(frozen=True, slots=True)
class Quotient:
    """Double-precision division; null where the divisor is 0."""

    dividend: "Numeric"
    divisor: "Numeric"


@final
@dataclass(frozen=True, slots=True)
class Missing:
    """No value: null in every row."""


@final
@dataclass(frozen=True, slots=True)
class Clip:
    """The operand moved into [`low`, `high`]; null stays null."""

    operand: "Numeric"
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True)
class If:
    """`then` where the condition is true, `otherwise` where it is false or unknown."""

    condition: "Predicate"
    then: "Numeric"
    otherwise: "Numeric"


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A field of a date or moment: year, month, day, weekday (Monday is 1), hour, minute, second.

    Of the proleptic Gregorian calendar, in UTC. `unit` is that of the column: "day" for dates,
    which have no hour, minute or second, and "microsecond" for moments.
    """

    field: str
    column: Column
    unit: str


Numeric = Number | Column | Sum | Product | Quotient | Missing | Clip | If | Part

DAY_FIELDS = ("year", "month", "day", "weekday")
FIELDS = (*DAY_FIELDS, "hour", "minute", "second")


@final
@dataclass(frozen=True, slots=True)
class Compare:
    """`left operator right` for numbers; `=` and `!=` also for two columns of text or flags."""

    operator: str
    left: Numeric
    right: Numeric


@final
@dataclass(frozen=True, slots=True)
class Member:
    """Whether a number or text is one of `values`, sorted."""

    subject: Numeric
    values: tuple[float | str, ...]
    negated: bool


@final
@dataclass(frozen=True, slots=True)
class Matches:
    """Whether a text column `where` (begins with, ends with, contains) holds `text`, not empty.

    Code point by code point: no case folding, no normalisation.
    """

    column: Column
    where: str
    text: str
    negated: bool


PLACES = ("begins with", "ends with", "contains")


@final
@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether a number, or a column of any kind, is missing; never unknown itself."""

    operand: Numeric
    negated: bool


@final
@dataclass(frozen=True, slots=True)
class Flag:
    """A true/false column by itself."""

    column: Column
    negated: bool


@final
@dataclass(frozen=True, slots=True)
class Constant:
    """The same for every row."""

    value: bool


@final
@dataclass(frozen=True, slots=True)
class Not:
    """Negation; unknown stays unknown."""

    term: "Predicate"


@final
@dataclass(frozen=True, slots=True)
class And:
    """True if all terms are; false if any is false."""

    terms: tuple["Predicate", ...]


@final
@dataclass(frozen=True, slots=True)
class Or:
    """True if any term is; false if all are false."""

    terms: tuple["Predicate", ...]


Predicate = Compare | Member | Matches | IsNull | Flag | Constant | Not | And | Or

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}


Node = Numeric | Predicate


def levels(node: Node) -> Iterator[list[Node]]:
    """The nodes of a tree, level by level from the root."""
    level = [node]
    while level:
        yield level
        level = [child for parent in level for child in children(parent)]


def columns(node: Node) -> set[str]:
    """The names of all columns that a tree mentions."""
    return {each.name for level in levels(node) for each in level if isinstance(each, Column)}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below this one."""
    match node:
        case Sum(terms) | And(terms) | Or(terms) | Product(terms):
            return terms
        case Compare(_, left, right):
            return left, right
        case Quotient(dividend, divisor):
            return dividend, divisor
        case If(condition, then, otherwise):
            return condition, then, otherwise
        case Member(inner, _, _) | IsNull(inner, _) | Clip(inner, _, _) | Not(inner):
            return (inner,)
        case Flag(column, _) | Matches(column, _, _, _) | Part(_, column, _):
            return (column,)
        case _:
            return ()

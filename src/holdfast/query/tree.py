"""The expression tree: what a question can say. Frozen values, nothing that runs.

Truth has three values as in SQL: an unknown (null) operand makes a comparison unknown, and a
row counts only if the whole predicate is true. NOT never appears in a canonical tree: every
atom below can be negated by itself.
"""

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
    """Division by a constant that is not zero, so that no row can make it fail."""

    dividend: "Numeric"
    divisor: float


Numeric = Number | Column | Sum | Product | Quotient


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
class IsNull:
    """Whether a value is missing; never unknown itself."""

    column: Column
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


Predicate = Compare | Member | IsNull | Flag | Constant | Not | And | Or

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}

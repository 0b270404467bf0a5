"""Numbers in which no column takes part, and the depth of trees."""

from typing import TypeVar

from peekproof.query.canonical import numeric
from peekproof.query.cursor import Cursor
from peekproof.query.operand import Operand, as_number
from peekproof.query.times import as_time, moment
from peekproof.query.tokens import Token
from peekproof.query.tree import Column, Number, Numeric, Predicate, Quotient
from peekproof.query.walk import levels

Tree = TypeVar("Tree", Numeric, Predicate)

# Canonical form and evaluation recurse over the tree; chains of divisions make it deep.
MOST_LEVELS = 200

PUBLIC = "they must not come from the data: choose them before you look"


def shallow(node: Tree, start: Token, at: Cursor) -> Tree:
    """The node, unless it has too many levels."""
    # Two levels take a token or more, so short questions need no look.
    if 2 * at.size > MOST_LEVELS and sum(1 for _ in levels(node)) > MOST_LEVELS:
        problem = f"a tree of more than {MOST_LEVELS} levels"
        raise at.error(problem, start, "simplify the question")
    return node


def folded(operand: Operand, token: Token, at: Cursor) -> float:
    """The value of a constant, or of arithmetic on constants."""
    value = numeric(shallow(as_number(operand, token, at), token, at))
    if isinstance(value, Number):
        return value.value
    raise at.mismatch("a column where a constant is needed", token, PUBLIC)


def folded_time(operand: Operand, unit: str, token: Token, at: Cursor) -> float:
    """The value of a constant date in this unit."""
    time = as_time(operand, token, at)
    if unit != time.unit:
        time = moment(time)
    if unit != time.unit:
        raise at.mismatch("a date and time where a date is needed", token)
    return folded(time.tree, token, at)


def quotient(dividend: Numeric, divisor: Numeric, token: Token, at: Cursor) -> Quotient:
    """The quotient, unless the divisor is 0 in every row."""
    if not isinstance(divisor, Number) and _constant(divisor):
        divisor = numeric(shallow(divisor, token, at))
    if divisor == Number(0.0):
        hint = "divide by something that is not always 0"
        raise at.error("division by 0, which is null in every row", token, hint)
    return Quotient(dividend, divisor)


def _constant(node: Numeric) -> bool:
    return not any(isinstance(each, Column) for level in levels(node) for each in level)

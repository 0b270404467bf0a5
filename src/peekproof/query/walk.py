"""Looking over a tree without recursion."""

from collections.abc import Iterator

from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Not,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)

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

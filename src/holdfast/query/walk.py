"""Looking over a tree without recursion."""

from collections.abc import Iterator

from holdfast.query.tree import (
    And,
    Compare,
    Member,
    Not,
    Numeric,
    Or,
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
        level = [child for parent in level for child in _children(parent)]


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Sum(terms) | And(terms) | Or(terms) | Product(terms):
            return terms
        case Compare(_, left, right):
            return left, right
        case Quotient(inner, _) | Member(inner, _, _) | Not(inner):
            return (inner,)
        case _:
            return ()

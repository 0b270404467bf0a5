from __future__ import annotations

from hypothesis import given

from peekproof.query.tree import (
    And,
    Column,
    Compare,
    Flag,
    Member,
    Not,
    Number,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
    levels,
)
from query.strategies import predicates

A, F = Column("a"), Flag(Column("f"), False)


def test_a_tree_is_read_level_by_level() -> None:
    total = Sum((A, Product((Number(2.0), A))))
    small = Compare("<", Quotient(total, Number(4.0)), Number(1.0))
    listed = Member(A, (1.0,), False)
    tree = And((Or((small, F)), Not(listed)))
    assert list(levels(tree)) == [
        [tree],
        [Or((small, F)), Not(listed)],
        [small, F, listed],
        [Quotient(total, Number(4.0)), Number(1.0), Column("f"), A],
        [total, Number(4.0)],
        [A, Product((Number(2.0), A))],
        [Number(2.0), A],
    ]


def test_depth_is_no_matter() -> None:
    deep: Sum | Quotient | Column = A
    for _ in range(20_000):
        deep = Quotient(deep, Number(2.0))
    assert sum(1 for _ in levels(deep)) == 20_001


@given(predicates())
def test_every_name_in_a_tree_is_found(tree: Predicate) -> None:
    """Each node prints its own kind once, so a tree's repr counts them independently."""
    found = [type(node).__name__ for level in levels(tree) for node in level]
    for kind in (
        "Sum", "Product", "Quotient", "Compare", "Member", "And", "Or", "Not", "Number", "Column",
        "Clip", "If", "Part", "Matches", "IsNull", "Flag", "Missing", "Constant",
    ):  # fmt: skip
        assert found.count(kind) == repr(tree).count(f"{kind}(")

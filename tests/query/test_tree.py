from __future__ import annotations

from itertools import product

import pytest

from peekproof.query.tree import FLIPPED, NEGATED, Compare, Number
from query.naive import truth

OPERATORS = ("<", "<=", ">", ">=", "=", "!=")


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_flip_and_negate_as_they_mean(operator: str) -> None:
    for left, right in product((0.0, 1.0, 2.0), repeat=2):
        plain = truth(Compare(operator, Number(left), Number(right)), {})
        flipped = truth(Compare(FLIPPED[operator], Number(right), Number(left)), {})
        negated = truth(Compare(NEGATED[operator], Number(left), Number(right)), {})
        assert plain is flipped
        assert plain is (not negated)


def test_every_operator_flips_and_negates() -> None:
    assert set(FLIPPED) == set(NEGATED) == set(OPERATORS)


def test_trees_are_values() -> None:
    one, other = (Compare("<", Number(1.0), Number(2.0)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)

"""Counting equal parameters, against a loop."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import basic_pure, grouped

some = st.lists(st.integers(0, 4).map(lambda tenths: PureDP(Fraction(tenths, 10))))


@given(some)
def test_each_is_counted_as_often_as_it_occurs(losses: list[PureDP]) -> None:
    assert grouped(losses) == {loss: losses.count(loss) for loss in losses}
    assert grouped(iter(losses)) == grouped(losses)
    assert grouped(grouped(losses)) == grouped(losses)


@given(some)
def test_counted_or_listed_is_the_same_loss(losses: list[PureDP]) -> None:
    assert basic_pure(grouped(losses)) == basic_pure(losses)


def test_the_mapping_given_is_not_the_one_returned() -> None:
    given_counts = {PureDP(Fraction(1)): 2}
    grouped(given_counts)[PureDP(Fraction(1))] = 5
    assert given_counts == {PureDP(Fraction(1)): 2}


@pytest.mark.parametrize("count", [0, -1, True, 1.0, None])
def test_absurd_counts_are_refused(count: int) -> None:
    with pytest.raises(InvalidInput, match=r"^count must be an integer of at least 1"):
        grouped({PureDP(Fraction(1)): count})

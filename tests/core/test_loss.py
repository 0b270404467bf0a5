"""Losses are exact, never negative, and add in any order."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import accumulate
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import FREE, GDP
from peekproof.core.errors import InvalidInput

amounts = st.fractions(min_value=0)


@given(a=amounts, b=amounts)
def test_losses_add_and_compare_as_their_squares_do(a: Fraction, b: Fraction) -> None:
    assert (GDP(a) + GDP(b)).mu_squared == a + b
    assert (GDP(a) <= GDP(b)) == (a <= b)
    assert (GDP(a) == GDP(b)) == (a == b)


@given(amount=amounts, count=st.integers(0, 30))
def test_a_multiple_is_a_repeated_sum(amount: Fraction, count: int) -> None:
    *_, repeated = accumulate([GDP(amount)] * count, initial=FREE)

    assert GDP(amount) * count == repeated


def test_free_is_the_smallest_loss_and_changes_nothing() -> None:
    speck = GDP(Fraction(1, 10**400))

    assert speck > FREE
    assert speck + FREE == speck
    assert speck * 0 == FREE


@pytest.mark.parametrize("amount", [Fraction(-1), Fraction(-1, 10**400)])
def test_a_negative_loss_would_refund(amount: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^mu_squared must be a Fraction of at least 0, got "):
        GDP(amount)


def test_a_negative_multiple_would_refund() -> None:
    with pytest.raises(InvalidInput):
        GDP(Fraction(1)) * -1


@pytest.mark.parametrize("amount", [0.1, nan])
def test_floats_are_no_money(amount: object) -> None:
    with pytest.raises(InvalidInput):
        GDP(amount)  # type: ignore[arg-type]


def test_a_loss_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        FREE.mu_squared = Fraction(1)  # type: ignore[misc]

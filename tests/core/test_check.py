"""Validators accept exactly what they say and name the argument."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core import check
from peekproof.core.errors import InvalidInput


@given(st.integers(min_value=1))
def test_positive_integers_pass_unchanged(value: int) -> None:
    assert check.positive_integer(rows=value) == value


@pytest.mark.parametrize("value", [0, -1, True, False, 1.0, 1.5, "3", None, Fraction(3), nan])
def test_other_values_are_no_positive_integer(value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        check.positive_integer(rows=value)

    assert caught.value.fields() == {
        "argument": "rows",
        "accepted": "an integer of at least 1",
        "given": repr(value),
        "hint": "",
    }


@given(st.fractions(min_value=0).filter(bool))
def test_positive_fractions_pass_unchanged(value: Fraction) -> None:
    assert check.positive_fraction(sigma=value) == value


@pytest.mark.parametrize("value", [Fraction(0), Fraction(-1, 3), 1, 0.5, True, "1/2", None, nan])
def test_other_values_are_no_positive_fraction(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^sigma must be a positive Fraction, got "):
        check.positive_fraction(sigma=value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1.0), (0.5, 0.5), (Fraction(1, 4), 0.25), (5e-324, 5e-324), (1.7e308, 1.7e308)],
)
def test_positive_numbers_pass_as_floats(value: object, expected: float) -> None:
    result = check.positive_float(radius=value)

    assert type(result) is float
    assert result == expected


@pytest.mark.parametrize("value", ["1", None, True, Decimal(1), 1j])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^radius must be a number above 0, got "):
        check.positive_float(radius=value)


@pytest.mark.parametrize("value", [0, 0.0, -0.0, -1, -1e-300, nan, inf, -inf, Fraction(0)])
def test_numbers_that_are_not_finite_and_positive_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^radius must be a finite number above 0, got "):
        check.positive_float(radius=value)


@pytest.mark.parametrize("value", [10**400, Fraction(10**400)], ids=["int", "Fraction"])
def test_numbers_beyond_the_floats_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        check.positive_float(radius=value)


def test_numbers_that_a_float_cannot_tell_from_0_are_refused() -> None:
    with pytest.raises(InvalidInput):
        check.positive_float(radius=Fraction(1, 10**400))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.95, Fraction(19, 20)),
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (0.9999999999999999, 1 - Fraction(1, 10**16)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_float_probability_means_the_decimal_it_prints_as(
    value: object, expected: Fraction
) -> None:
    assert check.probability(confidence=value) == expected


@given(st.decimals(min_value="0.000001", max_value="0.999999", places=6))
def test_six_decimals_are_kept_exactly(value: Decimal) -> None:
    assert check.probability(confidence=float(value)) == Fraction(value)


@pytest.mark.parametrize(
    "value",
    [0, 1, True, False, 0.0, 1.0, 1.5, -0.5, nan, inf, "0.95", None, Decimal("0.95"), Fraction(1)],
)
def test_what_is_not_strictly_between_0_and_1_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^confidence must be strictly between 0 and 1, such"):
        check.probability(confidence=value)


def test_exactly_one_value_is_checked_at_a_time() -> None:
    with pytest.raises(ValueError, match="too many values"):
        check.positive_integer(rows=1, questions=0)

"""Answers of another library, checked before they are believed."""

from fractions import Fraction
from math import inf, nan

import pytest

from peekproof.accounting.library import finite
from peekproof.core.errors import InvalidInput


@pytest.mark.parametrize("value", [0.0, 5e-324, 0.1, 1e308])
def test_amounts_are_taken_exactly(value: float) -> None:
    assert finite(value) == Fraction(value)


@pytest.mark.parametrize("value", [nan, inf, -inf, -5e-324])
def test_what_is_no_amount_is_refused(value: float) -> None:
    with pytest.raises(InvalidInput, match=r"^events must be ones that dp-accounting bounds"):
        finite(value)

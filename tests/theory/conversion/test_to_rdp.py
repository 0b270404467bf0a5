"""Rényi losses of one order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.errors import InvalidInput
from holdfast.core.loss import GDP, RDP, ZCDP
from holdfast.theory.conversion.to_rdp import gdp_to_rdp, zcdp_to_rdp


@given(rho=st.fractions(0, 10**6), order=st.fractions(Fraction(10001, 10000), 10**6))
def test_the_line_through_the_origin(rho: Fraction, order: Fraction) -> None:
    assert zcdp_to_rdp(ZCDP(rho), order=order) == RDP(order=order, epsilon=rho * order)


def test_the_gaussian_mechanism_by_hand() -> None:
    # σ = 2 on a value that moves by 1: μ² = 1/4, and D_3 = 3/(2σ²).
    loss = gdp_to_rdp(GDP(Fraction(1, 4)), order=Fraction(3))

    assert loss == RDP(order=Fraction(3), epsilon=Fraction(3, 8))


@pytest.mark.parametrize("order", [Fraction(1), Fraction(0), Fraction(-2)])
def test_an_order_of_at_most_one_is_refused(order: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^order must be"):
        zcdp_to_rdp(ZCDP(Fraction(1)), order=order)
    with pytest.raises(InvalidInput, match=r"^order must be"):
        gdp_to_rdp(GDP(Fraction(1)), order=order)

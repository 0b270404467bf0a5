"""Divergences add, order by order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import GDP, RDP, ZCDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import gdp, rdp, zcdp
from peekproof.theory.conversion import gdp_to_zcdp, zcdp_to_rdp

amounts = st.lists(st.fractions(0, 10, max_denominator=10**6), min_size=1, max_size=5)
ORDERS = (Fraction(3, 2), Fraction(2), Fraction(32))


@given(amounts)
def test_all_at_once_is_one_at_a_time_in_every_notion(amounts: list[Fraction]) -> None:
    rhos, squares = [ZCDP(x) for x in amounts], [GDP(x) for x in amounts]
    running_rho, running_square = ZCDP(Fraction(0)), GDP(Fraction(0))
    for rho, square in zip(rhos, squares, strict=True):
        running_rho, running_square = zcdp([running_rho, rho]), gdp([running_square, square])

    assert zcdp(rhos) == running_rho == ZCDP(sum(amounts, Fraction(0)))
    assert gdp(squares) == running_square == GDP(sum(amounts, Fraction(0)))
    assert zcdp(map(gdp_to_zcdp, squares)) == gdp_to_zcdp(gdp(squares))


@given(amounts)
def test_composing_then_converting_is_converting_then_composing(amounts: list[Fraction]) -> None:
    curves = [[zcdp_to_rdp(ZCDP(x), order=order) for order in ORDERS] for x in amounts]
    total = zcdp([ZCDP(x) for x in amounts])

    assert rdp(curves) == tuple(zcdp_to_rdp(total, order=order) for order in ORDERS)


def test_only_common_orders_remain_at_their_smaller_loss() -> None:
    def at(order: int, epsilon: int) -> RDP:
        return RDP(order=Fraction(order), epsilon=Fraction(epsilon))

    curves = [[at(2, 5), at(4, 1), at(2, 3)], [at(8, 1), at(2, 10)], [at(2, 100), at(4, 1)]]

    assert rdp(curves) == (at(2, 113),)


@pytest.mark.parametrize(
    "curves",
    [
        [],
        [[]],
        [[RDP(order=Fraction(2), epsilon=Fraction(1))], []],
        [
            [RDP(order=Fraction(2), epsilon=Fraction(1))],
            [RDP(order=Fraction(3), epsilon=Fraction(1))],
        ],
    ],
)
def test_without_a_common_order_nothing_is_known(curves: list[list[RDP]]) -> None:
    with pytest.raises(InvalidInput, match=r"^mechanisms must be losses with an order in common"):
        rdp(curves)


def test_nothing_composes_to_nothing() -> None:
    assert zcdp([]) == ZCDP(Fraction(0))
    assert gdp([]) == GDP(Fraction(0))

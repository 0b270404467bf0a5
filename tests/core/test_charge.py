"""What ledgers add up: exact amounts of one unit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import GDP, Charge, Draws, Offer, PureDP, charge_in, cost_of

THIRD = Fraction(1, 3)
amounts = st.fractions(0, 100, max_denominator=1000)


@pytest.mark.parametrize(
    ("charge", "unit"),
    [(GDP(THIRD), "mu_squared"), (PureDP(THIRD), "epsilon"), (Draws(THIRD), "draws")],
)
def test_charges_are_exact_amounts_of_a_named_unit(charge: Charge, unit: str) -> None:
    assert charge.unit == unit
    assert (charge * 3).amount == 1
    assert charge_in(unit) + charge == charge
    assert charge_in(unit, THIRD) == charge
    assert charge * 1 is charge


def test_units_never_mix() -> None:
    charges: list[Charge] = [GDP(THIRD), Draws(THIRD)]
    with pytest.raises(TypeError, match="mu_squared and draws cannot be added"):
        charges[0] + charges[1]
    assert charges[0] != charges[1]


@given(st.lists(st.tuples(amounts, st.integers(1, 5)), min_size=1, max_size=6))
def test_a_batch_costs_the_sum_of_its_offers(runs: list[tuple[Fraction, int]]) -> None:
    offers = [Offer(cost=GDP(amount)) for amount, count in runs for _ in range(count)]

    assert cost_of(offers).amount == sum(amount * count for amount, count in runs)

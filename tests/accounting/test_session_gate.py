"""The gate of a session is its filter; another unit is a mistake that no charge survives."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.accounting.filters import ClockFilter, DrawsFilter, SessionGate
from peekproof.core.charge import (
    GDP,
    Admitted,
    Charge,
    Draws,
    Refused,
    added,
    amount_of,
    nothing,
    unit_of,
)

amounts = st.fractions(0, 20)


@given(limit=amounts, spent=amounts, cost=amounts)
def test_it_says_what_its_filter_says(limit: Fraction, spent: Fraction, cost: Fraction) -> None:
    for unit in (GDP, Draws):
        verdict = SessionGate.within(unit(limit)).admit(unit(cost), spent=unit(spent))
        if spent + cost <= limit:
            assert verdict == Admitted(unit(spent + cost))
        else:
            assert verdict == Refused(unit(limit))


def test_each_unit_has_its_own_filter() -> None:
    assert SessionGate.within(GDP(Fraction(1))).filter == ClockFilter(GDP(Fraction(1)))
    assert SessionGate.within(Draws(Fraction(1))).filter == DrawsFilter(Draws(Fraction(1)))


def test_units_never_mix() -> None:
    clock, draws = GDP(Fraction(1)), Draws(Fraction(1))
    mixed: list[tuple[Charge, Charge]] = [(clock, draws), (draws, clock), (draws, draws)]
    for cost, spent in mixed:
        with pytest.raises(TypeError, match="another unit"):
            SessionGate.within(clock).admit(cost, spent=spent)
    with pytest.raises(TypeError, match="two units"):
        added(clock, draws)


def test_charges_are_exact_amounts_of_a_named_unit() -> None:
    third = Fraction(1, 3)
    for charge, unit in ((GDP(third), "mu_squared"), (Draws(third), "draws")):
        assert unit_of(charge) == unit
        assert amount_of(charge * 3) == 1
        assert added(nothing(unit), charge) == charge
    assert Draws(third) * 1 == Draws(third)

"""The clock filter admits up to its limit exactly and refuses the least amount beyond."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.accounting.filters import Admitted, ClockFilter, Gate, Refused
from peekproof.core.charge import FREE, GDP
from peekproof.core.theorem import lookup

LIMIT = GDP(Fraction(1, 3))
SPECK = GDP(Fraction(1, 10**30))

amounts = st.fractions(min_value=0, max_value=2)


@given(limit=amounts, spent=amounts, cost=amounts)
def test_a_charge_is_admitted_exactly_while_the_sum_fits(
    limit: Fraction, spent: Fraction, cost: Fraction
) -> None:
    gate: Gate[GDP, GDP] = ClockFilter(GDP(limit))
    outcome = gate.admit(GDP(cost), spent=GDP(spent))

    if spent + cost <= limit:
        assert outcome == Admitted(GDP(spent + cost))
    else:
        assert outcome == Refused(GDP(limit))


@pytest.mark.parametrize("already", [FREE, SPECK, GDP(Fraction(1, 7)), LIMIT])
def test_the_limit_itself_is_admitted_and_a_speck_more_is_not(already: GDP) -> None:
    left = GDP(LIMIT.mu_squared - already.mu_squared)

    assert ClockFilter(LIMIT).admit(left, spent=already) == Admitted(LIMIT)
    assert ClockFilter(LIMIT).admit(left + SPECK, spent=already) == Refused(LIMIT)


def test_a_ledger_that_is_already_over_admits_nothing() -> None:
    assert ClockFilter(LIMIT).admit(FREE, spent=LIMIT + SPECK) == Refused(LIMIT)


def test_amounts_below_the_floats_are_still_charged() -> None:
    # In floating point 1/3 + 10⁻⁴⁰⁰ is 1/3, and such charges would be free for ever.
    tiny = GDP(Fraction(1, 10**400))

    assert ClockFilter(LIMIT).admit(tiny, spent=FREE) == Admitted(tiny)
    assert ClockFilter(LIMIT).admit(tiny, spent=LIMIT) == Refused(LIMIT)


def test_the_limit_cannot_be_raised_later() -> None:
    with pytest.raises(FrozenInstanceError):
        ClockFilter(LIMIT).limit = GDP(Fraction(1))  # type: ignore[misc]


def test_the_filter_is_a_theorem_about_adaptive_charges() -> None:
    found = lookup("T-clock")

    assert found.function == "peekproof.accounting.filters.ClockFilter.admit"
    assert found.holds_when == "each charge is decided before its answer is drawn."

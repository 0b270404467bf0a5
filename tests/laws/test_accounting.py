"""Laws of every filter: batches, order and size of charges make no difference."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.accounting.filters import Admitted, ClockFilter, Gate, Refused
from peekproof.core.charge import FREE, GDP

EVERY_FILTER: tuple[Callable[[GDP], Gate[GDP, GDP]], ...] = (ClockFilter,)
every_filter = pytest.mark.parametrize("make", EVERY_FILTER, ids=lambda make: make.__name__)

losses = st.builds(GDP, st.fractions(min_value=0, max_value=1))
limits = st.builds(GDP, st.fractions(min_value=0, max_value=20))


def one_by_one(gate: Gate[GDP, GDP], charges: Sequence[GDP]) -> Admitted[GDP] | Refused[GDP]:
    """The outcome of the charges in turn, stopping at the first refusal."""
    outcome: Admitted[GDP] | Refused[GDP] = Admitted(FREE)
    for charge in charges:
        if isinstance(outcome, Refused):
            break
        outcome = gate.admit(charge, spent=outcome.spent)
    return outcome


def total(charges: Sequence[GDP]) -> GDP:
    return GDP(sum((charge.mu_squared for charge in charges), Fraction(0)))


@every_filter
@given(limit=limits, cost=losses, count=st.integers(0, 40))
def test_charging_many_at_once_is_charging_one_at_a_time(
    make: Callable[[GDP], Gate[GDP, GDP]],
    limit: GDP,
    cost: GDP,
    count: int,
) -> None:
    gate = make(limit)

    assert gate.admit(cost * count, spent=FREE) == one_by_one(gate, [cost] * count)


@every_filter
@given(limit=limits, charges=st.lists(losses, max_size=30), data=st.data())
def test_the_order_of_charges_does_not_matter(
    make: Callable[[GDP], Gate[GDP, GDP]],
    limit: GDP,
    charges: list[GDP],
    data: st.DataObject,
) -> None:
    gate = make(limit)
    shuffled = data.draw(st.permutations(charges))

    assert one_by_one(gate, charges) == one_by_one(gate, shuffled)
    assert one_by_one(gate, charges) == gate.admit(total(charges), spent=FREE)


@every_filter
@given(charges=st.lists(losses, min_size=1, max_size=30), speck=st.integers(30, 400))
def test_the_limit_is_reached_exactly_and_never_passed(
    make: Callable[[GDP], Gate[GDP, GDP]],
    charges: list[GDP],
    speck: int,
) -> None:
    gate = make(total(charges))
    beyond = GDP(Fraction(1, 10**speck))

    assert one_by_one(gate, charges) == Admitted(total(charges))
    assert isinstance(one_by_one(gate, [*charges, beyond]), Refused)
    assert isinstance(one_by_one(gate, [beyond, *charges]), Refused)


@every_filter
@given(exponent=st.integers(300, 1000), count=st.integers(1, 100))
def test_tiny_charges_never_vanish(
    make: Callable[[GDP], Gate[GDP, GDP]], exponent: int, count: int
) -> None:
    # Beside 1 these are nothing in floating point, so a float would admit them for ever.
    tiny = GDP(Fraction(1, 10**exponent))
    one = GDP(Fraction(1))
    gate = make(one + tiny * count)

    assert isinstance(one_by_one(gate, [one, *[tiny] * count]), Admitted)
    assert isinstance(one_by_one(gate, [one, *[tiny] * (count + 1)]), Refused)


@every_filter
@given(limit=limits, spent=losses, cost=losses)
def test_a_refusal_changes_nothing_and_repeats(
    make: Callable[[GDP], Gate[GDP, GDP]],
    limit: GDP,
    spent: GDP,
    cost: GDP,
) -> None:
    gate = make(limit)
    first = gate.admit(cost, spent=spent)

    assert gate.admit(cost, spent=spent) == first
    if isinstance(first, Refused):
        # More may not fit where less did not.
        assert isinstance(gate.admit(cost + cost, spent=spent), Refused)
        assert isinstance(gate.admit(cost, spent=spent + cost), Refused)

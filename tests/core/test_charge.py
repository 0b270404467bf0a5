"""Offers: what a batch costs."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import GDP, Offer, amount_of, cost_of

amounts = st.fractions(0, 100, max_denominator=1000)


@given(st.lists(st.tuples(amounts, st.integers(1, 5)), min_size=1, max_size=6))
def test_a_batch_costs_the_sum_of_its_offers(runs: list[tuple[Fraction, int]]) -> None:
    offers = [Offer(cost=GDP(amount)) for amount, count in runs for _ in range(count)]

    assert amount_of(cost_of(offers)) == sum(amount * count for amount, count in runs)

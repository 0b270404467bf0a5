"""The best of many, told with its bin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.checking import Selected, Selection
from peekproof.noise.entropy import SystemEntropy

RNG = SystemEntropy()


@given(
    rows=st.integers(1, 50),
    levels=st.integers(1, 3),
    data=st.data(),
)
def test_it_tells_the_first_of_the_largest_and_its_bin(
    rows: int, levels: int, data: st.DataObject
) -> None:
    units = rows * levels
    totals = data.draw(st.lists(st.integers(0, units), min_size=1, max_size=9))
    bins = data.draw(st.integers(1, units + 1))
    made = Selection(rows=rows, candidates=len(totals), bins=bins, levels=levels)
    found = made.release(Exact(tuple(totals)), rng=RNG)

    assert totals[found.index] == max(totals)
    assert all(total < max(totals) for total in totals[: found.index])
    low, high = (units * edge / bins for edge in (found.bin, found.bin + 1))
    assert low <= max(totals) < high or (max(totals) == units and found.bin == bins - 1)
    assert abs(float(made.midpoint(found.bin)) - max(totals) / units) <= 1 / (2 * bins) + 1e-12
    assert made.outcomes == len(totals) * bins


def test_another_number_of_totals_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Selection(rows=9, candidates=3, bins=2).release(Exact((1, 2)), rng=RNG)


def test_what_is_no_choice_is_refused() -> None:
    for nonsense in ({"candidates": 0}, {"bins": 11}, {"bins": 0}, {"rows": 0}, {"levels": 0}):
        with pytest.raises(InvalidInput):
            Selection(**{"rows": 9, "candidates": 3, "bins": 2, **nonsense})
    assert Selection(rows=9, candidates=2, bins=10).release(Exact((9, 9)), rng=RNG) == Selected(
        index=0, bin=9
    )

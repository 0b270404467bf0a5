"""The search for the last integer that fits."""

from math import cosh

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.numerics import argmin, largest


@given(most=st.integers(1, 10**6), data=st.data())
def test_the_search_finds_the_last_that_fits(most: int, data: st.DataObject) -> None:
    last = data.draw(st.integers(0, most + 5))
    asked: list[int] = []

    def fits(candidate: int) -> bool:
        asked.append(candidate)
        return candidate <= last

    assert largest(fits, most=most) == min(last, most)
    assert all(1 <= candidate <= most for candidate in asked)


@pytest.mark.parametrize("bottom", [-2.0, -1.9, 0.1, 2.999, 3.0])
def test_it_finds_the_bottom_of_one_valley(bottom: float) -> None:
    found = argmin(lambda x: cosh(x - bottom), low=-2, high=3)
    assert found == pytest.approx(bottom, abs=1e-3)


def test_a_narrow_bracket_is_its_own_answer() -> None:
    assert argmin(lambda x: -x, low=1.0, high=1.0) == 1.0

"""The search for the last integer that fits."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.search import largest


@given(most=st.integers(1, 10**6), data=st.data())
def test_the_search_finds_the_last_that_fits(most: int, data: st.DataObject) -> None:
    last = data.draw(st.integers(0, most + 5))
    asked: list[int] = []

    def fits(candidate: int) -> bool:
        asked.append(candidate)
        return candidate <= last

    assert largest(fits, most=most) == min(last, most)
    assert all(1 <= candidate <= most for candidate in asked)

"""Ids of rows: predictions find their rows in any order, and nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from peekproof.learn.label_file import RowIds, id_text


@given(st.lists(st.text(max_size=3), unique=True, min_size=1, max_size=20), st.randoms())
def test_values_by_ids_are_brought_into_the_order_of_rows(known: list[str], random: object) -> None:
    shuffled = list(known)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    values = np.array([f"of {each!r}" for each in shuffled])
    found = values[RowIds(known).places(shuffled)]
    assert found.tolist() == [f"of {each!r}" for each in known]


@pytest.mark.parametrize(
    ("given", "told"),
    [(["a"], "1 ids"), (["a", "c"], "'c', which is none"), (["a", "a"], "'a' twice")],
)
def test_all_ids_are_wanted_each_once(given: list[str], told: str) -> None:
    with pytest.raises(peekproof.InvalidInput, match=told):
        RowIds(["a", "b"]).places(given)


def test_rows_have_ids_of_their_own() -> None:
    with pytest.raises(peekproof.InvalidInput, match="twice"):
        RowIds([1, 1.0])


def test_numbers_are_ids_as_long_as_doubles_tell_them_apart() -> None:
    assert [id_text(each) for each in (7, 7.0, 7.5, "7")] == ["7", "7", "7.5", "7"]
    for each in (2.0**54, float("nan"), float("inf"), None, True):
        with pytest.raises(peekproof.InvalidInput, match=r"at most 2\^53"):
            id_text(each)

"""Halving, subsamples and the count of transcripts, against exact integers and enumeration."""

from __future__ import annotations

from typing import cast

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.theory.median import most_failures


@given(size=st.integers(1, 200), domain=st.integers(1, 10**6))
def test_most_failures_is_how_often_everything_can_be_halved(size: int, domain: int) -> None:
    failures, left = most_failures(size=size, domain=domain), domain**size

    assert 2**failures <= left < 2 ** (failures + 1)


@given(size=st.integers(10**5, 10**9), domain=st.integers(3, 10**12))
def test_long_powers_are_rounded_up_a_little(size: int, domain: int) -> None:
    with mpmath.workdps(60):
        exact = size * mpmath.log(domain, 2)
        found = most_failures(size=size, domain=domain)
        assert mpmath.floor(exact) <= found <= mpmath.floor(exact * (1 + mpmath.mpf(2) ** -39)) + 1


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5])
def test_absurd_counts_are_refused(wrong: float) -> None:
    bad = cast("int", wrong)
    with pytest.raises(InvalidInput):
        most_failures(size=bad, domain=2)
    with pytest.raises(InvalidInput):
        most_failures(size=2, domain=bad)

"""Independent failures: survival, what they leave, what they join."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf, mpmathify, workdps

from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import joined, left_over, log_survival

deltas = st.fractions(0, Fraction(1, 100)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(2, 300)
)


@given(deltas, st.integers(1, 50), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_what_is_left_is_never_too_much(each: Fraction, count: int, delta: Fraction) -> None:
    survival = log_survival([(each, count)])
    with workdps(700):
        alive = (1 - mpmathify(each)) ** count
        exact = 1 - (1 - mpmathify(delta)) / alive
        assume(exact > mpf("1e-3"))
        left = left_over(delta, survival=survival)
        assert exact * (1 - mpf("1e-8")) <= left <= exact


@given(deltas, st.integers(1, 50), st.floats(0, 1))
def test_joined_is_never_too_little(each: Fraction, count: int, rest: float) -> None:
    survival = log_survival([(each, count)])
    claimed = mpmathify(joined(rest, survival=survival))
    with workdps(700):
        exact = 1 - (1 - mpmathify(each)) ** count * (1 - mpf(rest))
        assert exact <= claimed <= exact * (1 + mpf("1e-11"))


@given(st.lists(deltas, max_size=5), st.floats(0, 1))
def test_counts_are_repetitions(each: list[Fraction], rest: float) -> None:
    twice = log_survival([(delta, 2) for delta in each])
    listed = log_survival([(delta, 1) for delta in each * 2])

    assert twice == pytest.approx(listed, rel=1e-14)
    assert joined(rest, survival=log_survival([])) == Fraction(rest)


def test_a_certain_failure_leaves_nothing() -> None:
    doomed = log_survival([(Fraction(1), 1), (Fraction(0), 5)])

    assert doomed == -inf
    assert joined(0.0, survival=doomed) == 1
    with pytest.raises(InvalidInput, match=r"^delta must be above 1, the chance"):
        left_over(Fraction(1, 2), survival=doomed)


def test_a_delta_that_is_all_spent_is_refused() -> None:
    survival = log_survival([(Fraction(1, 10), 10)])
    with pytest.raises(InvalidInput, match=r"^delta must be above 0\.65"):
        left_over(Fraction(6, 10), survival=survival)

"""Conversions that are definitions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import TV, ApproxDP, PureDP
from peekproof.theory.conversion import approx_to_tv, pure_to_approx, tv_to_approx


@given(st.fractions(0, 100))
def test_pure_keeps_its_epsilon(epsilon: Fraction) -> None:
    assert pure_to_approx(PureDP(epsilon)) == ApproxDP(epsilon=epsilon, delta=Fraction(0))


@given(st.fractions(0, 1))
def test_there_and_back_is_the_same_distance(distance: Fraction) -> None:
    loss = tv_to_approx(TV(distance))

    assert loss == ApproxDP(epsilon=Fraction(0), delta=distance)
    assert approx_to_tv(loss) == TV(distance)

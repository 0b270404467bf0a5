"""Kinds of statements about the population."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import OnAverage, OneQuestion, Simultaneous
from peekproof.core.errors import InvalidInput

BETA = Fraction(1, 20)


@pytest.mark.parametrize("radius", [nan, inf, -0.1, 1.1, 1])
def test_a_radius_is_a_float_between_0_and_1(radius: float) -> None:
    with pytest.raises(InvalidInput, match="radius"):
        Simultaneous(radius=radius, beta=BETA)
    with pytest.raises(InvalidInput, match="radius"):
        OneQuestion(radius=radius, beta=BETA)
    with pytest.raises(InvalidInput, match="radius"):
        OnAverage(radius=radius)


@pytest.mark.parametrize("beta", [0.05, Fraction(-1, 20), Fraction(21, 20)])
def test_a_failure_probability_is_exact(beta: Fraction) -> None:
    with pytest.raises(InvalidInput, match="beta"):
        Simultaneous(radius=0.1, beta=beta)
    with pytest.raises(InvalidInput, match="beta"):
        OneQuestion(radius=0.1, beta=beta)


def test_beyond_one_nothing_more_is_said() -> None:
    assert Simultaneous.of(inf, beta=Fraction(3)) == Simultaneous(radius=1.0, beta=Fraction(1))
    assert OneQuestion.of(7.5, beta=BETA) == OneQuestion(radius=1.0, beta=BETA)
    assert OnAverage.of(2.0) == OnAverage(radius=1.0)
    assert OnAverage.of(0.25).radius == 0.25


def test_a_bound_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Simultaneous.of(nan, beta=BETA)


@given(radius=st.floats(0, 1), answer=st.fractions(0, 1))
def test_a_simultaneous_bound_gives_an_interval(radius: float, answer: Fraction) -> None:
    interval = Simultaneous(radius=radius, beta=BETA).around(answer)

    assert interval.low <= max(Fraction(0), answer - Fraction(radius))
    assert interval.high >= min(Fraction(1), answer + Fraction(radius))


@pytest.mark.parametrize("kind", [OneQuestion, OnAverage])
def test_no_other_kind_of_bound_gives_an_interval(kind: type[object]) -> None:
    assert not hasattr(kind, "around")

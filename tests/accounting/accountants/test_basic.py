"""Sums, by hand."""

from fractions import Fraction
from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf, mpmathify, workdps

from accounting.accountants.enumerated import exact, losses_of
from peekproof.accounting.accountants import Basic
from peekproof.accounting.events import Approximate, Conversation, Event, Gaussian, Laplace, Pure
from peekproof.core.errors import InvalidInput

amounts = st.fractions(Fraction(1, 100), 3)
failing = st.builds(
    Approximate, epsilon=amounts, delta=st.fractions(0, Fraction(1, 30), max_denominator=900)
)
events = st.builds(Pure, epsilon=amounts) | failing | st.builds(Laplace, scale=amounts)
LAST = 1 - Fraction(1, 10**9)


@settings(max_examples=15)
@given(st.lists(events, max_size=5))
def test_epsilon_and_delta_add(asked: list[Event]) -> None:
    conversation = Conversation.of(*asked)
    losses = losses_of(conversation).items()
    epsilon = sum((loss.epsilon * count for loss, count in losses), Fraction(0))
    delta = sum((loss.delta * count for loss, count in losses), Fraction(0))

    assert Basic().epsilon(conversation, delta=LAST) == epsilon
    assert Basic().delta(conversation, epsilon=epsilon) == delta
    with workdps(50):
        assert exact(conversation, epsilon) <= mpmathify(delta) * (1 + mpf("1e-45"))
    if epsilon:
        assert Basic().delta(conversation, epsilon=epsilon * LAST) == 1


def test_a_delta_below_the_sum_is_refused_and_the_sum_itself_is_not() -> None:
    delta = Fraction(1, 100)
    talk = Conversation.of((Approximate(epsilon=Fraction(1), delta=delta / 4), 4))
    assert Basic().epsilon(talk, delta=delta) == 4
    with pytest.raises(InvalidInput, match=r"^delta must be at least 0.01"):
        Basic().epsilon(talk, delta=delta * LAST)
    with pytest.raises(InvalidInput, match=r"^events must be ones that the basic"):
        Basic().epsilon(Conversation.of(Gaussian(sigma=delta)), delta=delta)


def test_sums_are_exact_however_large() -> None:
    talk = Conversation.of((Pure(epsilon=Fraction(10**400)), 10**400))
    assert Basic().epsilon(talk, delta=LAST) == 10**800
    assert Basic().delta(talk, epsilon=Fraction(10**800)) == 0


@pytest.mark.parametrize("epsilon", [Fraction(-1), nan, "1", None])
def test_an_absurd_epsilon_is_refused(epsilon: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        Basic().delta(Conversation.of(Pure(epsilon=Fraction(1))), epsilon=epsilon)

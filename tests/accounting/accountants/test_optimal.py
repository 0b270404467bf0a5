"""The optimal accountant against brute force, also where parameters differ."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpmathify

from accounting.accountants.enumerated import exact, losses_of
from peekproof.accounting.accountants import Advanced, Basic, Optimal
from peekproof.accounting.events import (
    Approximate,
    Conversation,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
)
from peekproof.core.errors import InvalidInput

DELTA = Fraction(1, 10**6)
sizes = st.fractions(Fraction(1, 20), 2, max_denominator=20)
events = st.one_of(
    st.builds(Pure, epsilon=sizes),
    st.builds(Exponential, epsilon=sizes),
    st.builds(Laplace, scale=sizes),
    st.builds(
        Approximate,
        epsilon=st.just(Fraction(0)) | sizes,
        delta=st.just(Fraction(0)) | st.fractions(Fraction(1, 1000), Fraction(1, 50)),
    ),
)


@settings(max_examples=15)
@given(st.lists(events, min_size=1, max_size=6), st.fractions(0, 8, max_denominator=20))
def test_delta_is_never_below_brute_force(asked: list[Event], epsilon: Fraction) -> None:
    conversation = Conversation.of(*asked)
    least = exact(conversation, epsilon)
    claimed = mpmathify(Optimal().delta(conversation, epsilon=epsilon))
    assert least <= claimed
    if len(losses_of(conversation)) == 1:
        assert claimed <= least * (1 + mpmathify("1e-10")) + mpmathify("1e-299")


@settings(max_examples=15)
@given(st.lists(events, min_size=1, max_size=6), st.integers(2, 12))
def test_epsilon_keeps_its_delta_and_is_close_to_the_least(asked: list[Event], digits: int) -> None:
    conversation = Conversation.of(*asked)
    delta = Fraction(1, 5) + Fraction(1, 10**digits)
    epsilon = Optimal().epsilon(conversation, delta=delta)
    assert exact(conversation, epsilon) <= mpmathify(delta)
    less = epsilon - Fraction(1, 100) * (1 + Basic().epsilon(conversation, delta=delta))
    assert less < 0 or exact(conversation, less) > mpmathify(delta)


def test_it_is_below_the_closed_forms() -> None:
    conversation = Conversation.of(
        (Pure(epsilon=Fraction(1, 10)), 40), (Exponential(epsilon=Fraction(1, 7)), 30)
    )
    for other in (Basic(), Advanced()):
        assert Optimal().epsilon(conversation, delta=DELTA) < other.epsilon(
            conversation, delta=DELTA
        )


def test_nothing_and_certain_failure() -> None:
    assert Optimal().epsilon(Conversation.of(), delta=DELTA) == 0
    assert Optimal().delta(Conversation.of(), epsilon=Fraction(0)) == 0
    broken = Conversation.of(Approximate(epsilon=Fraction(1), delta=Fraction(1)))
    assert Optimal().delta(broken, epsilon=Fraction(9)) == 1
    with pytest.raises(InvalidInput, match=r"^delta must be above"):
        Optimal().epsilon(broken, delta=DELTA)


def test_a_thousand_different_parameters_take_a_moment() -> None:
    conversation = Conversation.of(*(Pure(epsilon=Fraction(i, 10**5)) for i in range(1, 1001)))
    epsilon = Optimal().epsilon(conversation, delta=DELTA)
    assert Optimal().delta(conversation, epsilon=epsilon) <= DELTA
    assert epsilon < Advanced().epsilon(conversation, delta=DELTA)


def test_a_billion_repetitions_are_counted_and_more_are_refused() -> None:
    often = Conversation.of((Pure(epsilon=Fraction(1, 10**5)), 10**9))
    assert 1 < Optimal().epsilon(often, delta=DELTA) < 3
    with pytest.raises(InvalidInput, match=r"^count must be at most"):
        Optimal().epsilon(often.repeated(2), delta=DELTA)


@pytest.mark.parametrize("count", [1, 5])
def test_no_failure_is_too_small_to_count(count: int) -> None:
    speck = Fraction(1, 10**400)
    conversation = Conversation.of((Approximate(epsilon=Fraction(1), delta=speck), count))
    assert Optimal().delta(conversation, epsilon=Fraction(10)) >= 1 - (1 - speck) ** count


def test_absurd_counts_are_refused() -> None:
    with pytest.raises(InvalidInput):
        Optimal().epsilon(Conversation.of((Pure(epsilon=Fraction(1)), 10**400)), delta=DELTA)


def test_noise_without_a_pair_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^events must be ones that the optimal"):
        Optimal().epsilon(Conversation.of(Gaussian(sigma=Fraction(1))), delta=DELTA)

"""The numerical accountant against exact curves and brute force."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpmathify

from accounting.accountants.enumerated import exact
from peekproof.accounting.accountants import GaussianExact, Numerical, Optimal
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
)
from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import LaplacePair

DELTA = Fraction(1, 10**6)
sizes = st.fractions(Fraction(1, 20), 2, max_denominator=20)
failing = st.builds(
    Approximate,
    epsilon=st.just(Fraction(0)) | sizes,
    delta=st.just(Fraction(0)) | st.fractions(Fraction(1, 1000), Fraction(1, 50)),
)
events = st.one_of(st.builds(Pure, epsilon=sizes), st.builds(Exponential, epsilon=sizes), failing)


@settings(max_examples=25)
@given(st.lists(events, min_size=1, max_size=6), st.fractions(0, 6, max_denominator=20))
def test_delta_is_never_below_brute_force(asked: list[Event], epsilon: Fraction) -> None:
    conversation = Conversation.of(*asked)
    claimed = Numerical().delta(conversation, epsilon=epsilon)
    assert exact(conversation, epsilon) <= mpmathify(claimed)


@settings(max_examples=25)
@given(st.lists(events, min_size=1, max_size=6), st.integers(2, 12))
def test_epsilon_keeps_its_delta(asked: list[Event], digits: int) -> None:
    conversation = Conversation.of(*asked)
    delta = Fraction(1, 5) + Fraction(1, 10**digits)
    epsilon = Numerical().epsilon(conversation, delta=delta)
    assert exact(conversation, epsilon) <= mpmathify(delta)


@pytest.mark.parametrize("digits", [1, 3, 10, 100, 300])
@pytest.mark.parametrize("sigma", [Fraction(1, 30), Fraction(1), Fraction(1000)])
def test_gaussian_noise_is_nearly_exact_and_never_below(sigma: Fraction, digits: int) -> None:
    conversation = Conversation.of((Gaussian(sigma=sigma), 7))
    delta = Fraction(1, 10**digits)
    best = GaussianExact().epsilon(conversation, delta=delta)
    ours = Numerical().epsilon(conversation, delta=delta)
    # A grid costs a part of μ, here √7/σ, also where ε is a small part of it.
    allowed = best * (1 + Fraction(1, 500)) + Fraction(3, 1000) / sigma
    assert best * (1 - Fraction(1, 10**11)) <= ours <= allowed


@settings(max_examples=30)
@given(st.fractions(Fraction(1, 2), 20), st.integers(0, 19))
def test_one_laplace_answer_has_its_own_curve(scale: Fraction, part: int) -> None:
    level = part / scale / 20
    reached = LaplacePair(shift=1, scale=scale).hockey_stick(epsilon=level)
    claimed = float(Numerical().delta(Conversation.of(Laplace(scale=scale)), epsilon=level))
    assert reached * (1 - 1e-12) <= claimed <= reached * 1.01


def test_a_vector_of_laplace_noise_is_no_worse_than_its_sum() -> None:
    """The event gives only an L1 sensitivity, however it is spread over coordinates."""
    alone = Conversation.of(Laplace(scale=Fraction(1, 2)))
    for parts in (2, 3, 8):
        spread = Conversation.of((Laplace(scale=Fraction(parts, 2)), parts))
        for tenths in range(0, 20, 3):
            level = Fraction(tenths, 10)
            worst = LaplacePair(shift=2, scale=1).hockey_stick(epsilon=level)
            assert float(Numerical().delta(spread, epsilon=level)) <= worst * (1 + 1e-9)
            assert float(Numerical().delta(alone, epsilon=level)) >= worst * (1 - 1e-12)


def test_mixtures_are_below_what_pairs_alone_can_tell() -> None:
    mixed = Conversation.of((Laplace(scale=Fraction(7)), 30), (Pure(epsilon=Fraction(1, 9)), 20))
    assert Numerical().epsilon(mixed, delta=DELTA) < Optimal().epsilon(mixed, delta=DELTA)


def test_several_thousand_different_parameters_take_a_moment() -> None:
    talk = Conversation.of(*(Pure(epsilon=Fraction(i, 10**6)) for i in range(1, 2501)))
    same = Conversation.of((Pure(epsilon=Fraction(2500, 10**6)), 2500))
    assert Numerical().epsilon(talk, delta=DELTA) < Optimal().epsilon(same, delta=DELTA)


def test_nothing_and_certain_failure() -> None:
    assert Numerical().epsilon(Conversation.of(), delta=DELTA) == 0
    broken = Conversation.of(Approximate(epsilon=Fraction(1), delta=Fraction(1)))
    assert Numerical().delta(broken, epsilon=Fraction(9)) == 1
    with pytest.raises(InvalidInput, match=r"^delta must be above"):
        Numerical().epsilon(broken, delta=DELTA)
    with pytest.raises(InvalidInput, match=r"^events must be ones that the numerical"):
        Numerical().epsilon(Conversation.of(Concentrated(rho=DELTA)), delta=DELTA)


@pytest.mark.parametrize(
    "conversation",
    [
        Conversation.of(Pure(epsilon=Fraction(10**400))),
        Conversation.of(Pure(epsilon=Fraction(10**160))),
        Conversation.of(Gaussian(sigma=Fraction(1, 10**200))),
        Conversation.of((Laplace(scale=Fraction(1)), 10**400)),
        Conversation.of(Pure(epsilon=Fraction(23, 10**163)), Pure(epsilon=Fraction(1, 10**170))),
    ],
    ids=range(5),
)
def test_absurd_amounts_are_refused_or_bounded(conversation: Conversation) -> None:
    try:
        assert Numerical().epsilon(conversation, delta=DELTA) >= 0
    except InvalidInput:
        return


def test_an_absurd_epsilon_is_refused_or_bounded() -> None:
    try:
        Numerical().delta(Conversation.of(Gaussian(sigma=DELTA)), epsilon=Fraction(10**400))
    except InvalidInput:
        return

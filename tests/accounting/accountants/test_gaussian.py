"""Gaussian noise alone, against the closed curve."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, mpf, mpmathify, sqrt, workdps

from peekproof.accounting.accountants import GaussianExact
from peekproof.accounting.events import Conversation, Gaussian, Pure
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput

sigmas = st.fractions(Fraction(1, 10), 50, max_denominator=20)
talks = st.lists(
    st.tuples(st.builds(Gaussian, sigma=sigmas), st.integers(1, 9)), min_size=1, max_size=4
)


def curve(square: Fraction, level: Fraction) -> mpf:
    m, e = sqrt(mpmathify(square)), mpmathify(level)
    return (erfc((e / m - m / 2) / sqrt(2)) - exp(e) * erfc((e / m + m / 2) / sqrt(2))) / 2


def square(talk: list[tuple[Gaussian, int]]) -> Fraction:
    return sum((count / event.sigma**2 for event, count in talk), Fraction(0))


@settings(max_examples=15)
@given(talks, st.fractions(0, 9, max_denominator=7))
def test_delta_is_that_of_one_answer_with_all_the_squares(
    talk: list[tuple[Gaussian, int]], epsilon: Fraction
) -> None:
    conversation = Conversation.of(*talk)
    assert GaussianExact().total(conversation) == GDP(square(talk))
    claimed = GaussianExact().delta(conversation, epsilon=epsilon)
    with workdps(330):
        least = curve(square(talk), epsilon)
        assert least <= mpmathify(claimed) <= least * (1 + mpf("1e-11")) + mpf("2e-304")


@settings(max_examples=15)
@given(talks, st.integers(1, 300))
def test_epsilon_keeps_its_delta_and_is_the_least(
    talk: list[tuple[Gaussian, int]], digits: int
) -> None:
    delta = Fraction(1, 10**digits)
    epsilon = GaussianExact().epsilon(Conversation.of(*talk), delta=delta)
    with workdps(330):
        assert curve(square(talk), epsilon) <= mpmathify(delta)
        less = epsilon * (1 - Fraction(1, 10**9))
        assert epsilon == 0 or curve(square(talk), less) > mpmathify(delta)


def test_nothing_and_absurd_input() -> None:
    delta = Fraction(1, 100)
    assert GaussianExact().epsilon(Conversation.of(), delta=delta) == 0
    assert GaussianExact().delta(Conversation.of(), epsilon=Fraction(0)) == 0
    loud = Conversation.of((Gaussian(sigma=Fraction(1, 10**200)), 10**400))
    with pytest.raises(InvalidInput, match=r"^mu_squared must be at most"):
        GaussianExact().epsilon(loud, delta=delta)
    with pytest.raises(InvalidInput, match=r"^events must be ones that the Gaussian, exact"):
        GaussianExact().epsilon(Conversation.of(Pure(epsilon=delta)), delta=delta)
    quiet = Conversation.of(Gaussian(sigma=Fraction(10**400)))
    assert GaussianExact().epsilon(quiet, delta=delta) == 0
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        GaussianExact().delta(quiet, epsilon=Fraction(10**400))

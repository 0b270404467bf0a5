"""Advanced composition against its formula and brute force."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, sqrt, tanh, workdps

from accounting.accountants.enumerated import exact, losses_of
from peekproof.accounting.accountants import Advanced, Basic
from peekproof.accounting.events import Approximate, Conversation, Event, Pure
from peekproof.core.errors import InvalidInput
from theory.composition.patience import within

sizes = st.fractions(Fraction(1, 50), 2, max_denominator=50)
failing = st.builds(Approximate, epsilon=sizes, delta=st.fractions(0, Fraction(1, 10**4)))
events = st.builds(Pure, epsilon=sizes) | failing
talks = st.lists(st.tuples(events, st.integers(1, 300)), min_size=1, max_size=4)


def sums(conversation: Conversation) -> tuple[mpf, mpf, Fraction]:
    """Σε·tanh(ε/2), Σε² and Σδ."""
    losses = losses_of(conversation).items()
    mean = sum(k * mpmathify(x.epsilon) * tanh(mpmathify(x.epsilon) / 2) for x, k in losses)
    spread = sum(k * mpmathify(x.epsilon) ** 2 for x, k in losses)
    return mean, spread, sum((x.delta * k for x, k in losses), Fraction(0))


@settings(max_examples=30)
@given(talks, st.integers(1, 200))
def test_epsilon_is_the_formula_or_the_sum(talk: list[tuple[Event, int]], digits: int) -> None:
    conversation = Conversation.of(*talk)
    with workdps(50):
        mean, spread, spent = sums(conversation)
        delta = min(Fraction(99, 100), spent + Fraction(1, 10**digits))
        formula = sqrt(-2 * spread * log(mpmathify(delta - spent))) + mean
        least = min(formula, mpmathify(Basic().epsilon(conversation, delta=delta)))
        claimed = mpmathify(Advanced().epsilon(conversation, delta=delta))
        assert least * (1 - mpf("1e-45")) <= claimed <= least * (1 + mpf("1e-11"))


@settings(max_examples=30)
@given(talks, st.fractions(0, 1, max_denominator=30))
def test_delta_is_the_formula(talk: list[tuple[Event, int]], part: Fraction) -> None:
    conversation = Conversation.of(*talk)
    epsilon = part * Basic().epsilon(conversation, delta=Fraction(99, 100))
    with workdps(50):
        claimed = mpmathify(Advanced().delta(conversation, epsilon=epsilon))
        mean, spread, spent = sums(conversation)
        if part == 1:
            assert claimed == mpmathify(spent)
            return
        slack = exp(-(max(mpf(0), mpmathify(epsilon) - mean) ** 2) / (2 * spread))
        least = min(mpf(1), mpmathify(spent) + slack)
        assert least <= claimed <= least * (1 + mpf("3e-6")) + mpf("1e-299")


@settings(max_examples=25)
@given(st.lists(events, min_size=1, max_size=5), st.fractions(0, 6, max_denominator=9))
def test_delta_covers_the_worst_mechanisms(asked: list[Event], epsilon: Fraction) -> None:
    conversation = Conversation.of(*asked)
    claimed = Advanced().delta(conversation, epsilon=epsilon)
    with workdps(50):
        assert exact(conversation, epsilon) <= mpmathify(claimed) * (1 + mpf("1e-45"))


def test_nothing_costs_nothing() -> None:
    assert Advanced().epsilon(Conversation.of(), delta=Fraction(1, 2)) == 0
    assert Advanced().delta(Conversation.of(), epsilon=Fraction(0)) == 0


ABSURD = {
    "tiny": Conversation.of(Pure(epsilon=Fraction(1, 10**200))),
    "huge": Conversation.of(Pure(epsilon=Fraction(10**400))),
    "often": Conversation.of((Pure(epsilon=Fraction(1)), 10**400)),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_amounts_are_refused_or_bounded(name: str) -> None:
    try:
        assert Advanced().delta(ABSURD[name], epsilon=Fraction(0)) == 1
    except InvalidInput:
        return


def test_specks_do_not_take_for_ever() -> None:
    specks = Conversation.of((Pure(epsilon=Fraction(1, 10**150)), 10))
    with within(1):
        delta = Advanced().delta(specks, epsilon=Fraction(9, 10**150))
    assert exact(specks, Fraction(9, 10**150)) <= mpmathify(delta)


def test_more_failures_than_floats_can_count_are_refused() -> None:
    failing = Approximate(epsilon=Fraction(1), delta=Fraction(1, 2))
    with pytest.raises(InvalidInput, match=r"^delta must be above"):
        Advanced().epsilon(Conversation.of((failing, 10**400)), delta=Fraction(1, 2))


def test_an_absurd_epsilon_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        Advanced().delta(Conversation.of(), epsilon=Fraction(-1))

"""The Rényi accountant against moments summed by hand and a minimum over a dense grid."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import cosh, exp, log, mpf, mpmathify, workdps

from accounting.accountants.enumerated import exact
from peekproof.accounting.accountants import Renyi, Zcdp
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
)
from peekproof.core.errors import InvalidInput

DELTA = Fraction(1, 10**6)
sizes = st.fractions(Fraction(1, 20), 3, max_denominator=20)
events = st.one_of(
    st.builds(Pure, epsilon=sizes),
    st.builds(Laplace, scale=sizes),
    st.builds(Gaussian, sigma=sizes),
    st.builds(DiscreteGaussian, sigma=sizes),
    st.builds(Concentrated, rho=sizes),
    st.builds(Exponential, epsilon=sizes),
)
talks = st.lists(st.tuples(events, st.integers(1, 50)), min_size=1, max_size=4)


def moment(event: Event, a: mpf) -> mpf:
    """D_a of the worst mechanism that the event describes, from the literature's closed forms."""
    match event:
        case Pure(epsilon=epsilon):
            e = mpmathify(epsilon)
            return log(cosh((a - mpf(1) / 2) * e) / cosh(e / 2)) / (a - 1)
        case Laplace(scale=scale):
            e = 1 / mpmathify(scale)
            up, down = a / (2 * a - 1), (a - 1) / (2 * a - 1)
            return log(up * exp((a - 1) * e) + down * exp(-a * e)) / (a - 1)
        case Gaussian(sigma=sigma) | DiscreteGaussian(sigma=sigma):
            return a / (2 * mpmathify(sigma) ** 2)
        case Concentrated(rho=rho):
            return a * mpmathify(rho)
        case Exponential(epsilon=epsilon):
            pure = moment(Pure(epsilon=epsilon), a)
            return min(pure, a * mpmathify(epsilon) ** 2 / 8)
    raise TypeError(event)


def summed(talk: list[tuple[Event, int]], a: mpf) -> mpf:
    return sum(count * moment(event, a) for event, count in talk)


@settings(max_examples=15)
@given(talks, st.fractions(Fraction(21, 20), 60, max_denominator=20))
def test_the_curve_is_the_sum_of_the_events(talk: list[tuple[Event, int]], order: Fraction) -> None:
    with workdps(50):
        claimed = mpmathify(Renyi().curve(Conversation.of(*talk), order=order).epsilon)
        least = summed(talk, mpmathify(order))
        assert least * (1 - mpf("1e-40")) <= claimed <= least * (1 + mpf("1e-9"))


@settings(max_examples=15)
@given(talks, st.integers(1, 12))
def test_epsilon_is_the_best_order_and_never_below_it(
    talk: list[tuple[Event, int]], digits: int
) -> None:
    claimed = Renyi().epsilon(Conversation.of(*talk), delta=Fraction(1, 10**digits))
    with workdps(30):
        bounds = []
        for hundredths in range(-900, 1200, 10):
            a = 1 + exp(mpf(hundredths) / 100)
            penalty = log((a - 1) / a) - (log(mpf(10) ** -digits) + log(a)) / (a - 1)
            bounds.append(summed(talk, a) + penalty)
        best = max(mpf(0), min(bounds))
        assert best * (1 - mpf("2e-3")) <= mpmathify(claimed) <= best * (1 + mpf("1e-3")) + 1e-9


@settings(max_examples=15)
@given(
    st.lists(st.builds(Pure, epsilon=sizes), min_size=1, max_size=6),
    st.fractions(0, 6, max_denominator=10),
)
def test_delta_covers_randomised_response(asked: list[Event], epsilon: Fraction) -> None:
    conversation = Conversation.of(*asked)
    claimed = Renyi().delta(conversation, epsilon=epsilon)
    assert exact(conversation, epsilon) <= mpmathify(claimed)


def test_it_is_never_above_zcdp_by_more_than_its_search() -> None:
    talk = Conversation.of((Laplace(scale=Fraction(3)), 40), (Gaussian(sigma=Fraction(5)), 20))
    for digits in (1, 6, 100, 300):
        delta = Fraction(1, 10**digits)
        ours, line = Renyi().epsilon(talk, delta=delta), Zcdp().epsilon(talk, delta=delta)
        assert ours <= line * (1 + Fraction(1, 10**6))


def test_what_has_no_moments_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^events must be ones that the Rényi"):
        Renyi().epsilon(Conversation.of(Approximate(epsilon=Fraction(1), delta=DELTA)), delta=DELTA)


ABSURD = [
    Conversation.of(Gaussian(sigma=Fraction(1, 10**200))),
    Conversation.of(Concentrated(rho=Fraction(10**400))),
    Conversation.of((Pure(epsilon=Fraction(1)), 10**400)),
    Conversation.of((Gaussian(sigma=Fraction(1, 10**150)), 10**9)),
]


@pytest.mark.parametrize("conversation", ABSURD, ids=range(4))
def test_absurd_amounts_are_refused_or_bounded(conversation: Conversation) -> None:
    try:
        assert Renyi().epsilon(conversation, delta=DELTA) > 10**100
    except InvalidInput:
        return


def test_an_absurd_epsilon_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Renyi().delta(Conversation.of(Pure(epsilon=Fraction(1))), epsilon=Fraction(10**400))

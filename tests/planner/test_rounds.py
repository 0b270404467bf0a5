"""Plans by rounds: when they are taken, what they promise, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.mechanisms.fresh_rows import Rounds, Splitting
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.planner.inverse import questions_affordable, rows_needed
from peekproof.planner.plan import plan
from peekproof.planner.price import planned_offer, planned_price, price
from peekproof.planner.remaining import remaining_questions, remaining_rounds
from peekproof.planner.useful import useful_plan

TARGET = Target.of(confidence=0.95, questions=1000)


def draws(count: int) -> Draws:
    return Draws(Fraction(count))


@settings(max_examples=20)
@given(rows=st.integers(1, 10**9), rounds=st.integers(1, 1000))
def test_the_radius_is_hoeffdings_for_the_rows_of_a_round(rows: int, rounds: int) -> None:
    if rounds > rows:
        with pytest.raises(InvalidInput, match=r"^rounds must be at most"):
            plan(rows=rows, target=TARGET, mechanisms=[Rounds], rounds=rounds)
        return
    found = plan(rows=rows, target=TARGET, mechanisms=[Rounds], rounds=rounds)
    by_hand = min(1, sqrt(log(2 * 1000 / 0.05) / (2 * (rows // rounds))))

    assert found.radius == pytest.approx(by_hand, rel=1e-9)
    assert found.radius >= by_hand * (1 - 1e-15)
    assert found.budget == draws(rounds)


def test_rounds_are_taken_where_they_are_the_narrowest() -> None:
    few, many = (plan(rows=100_000, target=TARGET, rounds=rounds) for rounds in (5, 500))

    assert isinstance(few.mechanism, Rounds)
    assert few.mechanism.rounds == 5
    assert few.radius < 0.017 < many.radius
    assert many == plan(rows=100_000, target=TARGET)
    assert isinstance(many.mechanism, Gaussian)


def test_rounds_of_one_question_are_fresh_rows_for_every_question() -> None:
    target = Target.of(confidence=0.95, questions=5)
    by_round = plan(rows=100_000, target=target, mechanisms=[Rounds], rounds=5)
    by_question = plan(rows=100_000, target=target, mechanisms=[Splitting])

    assert by_round.radius == by_question.radius
    assert plan(rows=100_000, target=target, rounds=5) == by_question


def test_a_named_mechanism_is_never_replaced_by_rounds() -> None:
    noisy = plan(rows=100_000, target=TARGET, mechanisms=[Gaussian], rounds=5)

    assert noisy == plan(rows=100_000, target=TARGET, mechanisms=[Gaussian])


@pytest.mark.parametrize("rounds", [0, -1, True, 1.5, 1001])
def test_absurd_rounds_are_refused(rounds: int) -> None:
    for mechanisms in (None, [Rounds], [Gaussian]):
        with pytest.raises(InvalidInput, match=r"^rounds must be"):
            plan(rows=100_000, target=TARGET, mechanisms=mechanisms, rounds=rounds)


def test_a_plan_by_rounds_needs_their_number() -> None:
    with pytest.raises(InvalidInput, match=r"^rounds must be given, for a plan by rounds"):
        plan(rows=100_000, target=TARGET, mechanisms=[Rounds])


def test_a_price_is_of_a_round_and_there_is_one_radius() -> None:
    found = plan(rows=100_000, target=TARGET, rounds=5)
    offer = planned_price(found).offer

    assert (offer.cost, dict(offer.terms)) == (draws(1), {})
    assert planned_offer(found, draw=7, batch=4).cost * 4 == draws(1)
    assert price(found, radius=0.1) == planned_price(found)
    with pytest.raises(InvalidInput, match=r"^radius must be at least 0\.01"):
        price(found, radius=0.01)


def test_what_is_left_is_questions_while_there_are_rounds() -> None:
    found = plan(rows=100_000, target=TARGET, rounds=5)

    assert remaining_questions(found, spent=draws(0), draws=0) == 1000
    assert remaining_questions(found, spent=draws(4), draws=30) == 970
    assert remaining_questions(found, spent=draws(5), draws=30) == 0
    assert remaining_questions(found, spent=draws(4), draws=1000) == 0
    assert [remaining_rounds(found, spent=draws(spent)) for spent in (0, 4, 5)] == [5, 1, 0]
    noisy = plan(rows=100_000, target=TARGET)
    assert remaining_rounds(noisy, spent=noisy.mechanism.cost()) is None


def test_the_inverses_are_exact_at_their_edges() -> None:
    rows = rows_needed(target=TARGET, radius=0.05, mechanisms=[Rounds], rounds=4)
    for size, fits in ((rows, True), (rows - 1, False)):
        found = plan(rows=size, target=TARGET, mechanisms=[Rounds], rounds=4)
        assert (found.radius <= 0.05) is fits
    count = questions_affordable(
        rows=5000, confidence=0.95, radius=0.05, mechanisms=[Rounds], rounds=4
    )
    for questions, fits in ((count, True), (count + 1, False)):
        target = Target.of(confidence=0.95, questions=questions)
        found = plan(rows=5000, target=target, mechanisms=[Rounds], rounds=4)
        assert (found.radius <= 0.05) is fits
    assert count > 10


def test_a_vacuous_plan_by_rounds_says_what_would_do() -> None:
    with pytest.raises(VacuousPlan) as caught:
        useful_plan(100, TARGET, [Rounds], 20)
    needed = caught.value.rows_needed

    assert not useful_plan(needed, TARGET, [Rounds], 20).vacuous
    with pytest.raises(VacuousPlan):
        useful_plan(needed - 1, TARGET, [Rounds], 20)

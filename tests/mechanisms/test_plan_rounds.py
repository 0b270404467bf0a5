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
from peekproof.mechanisms.base import Ask, Mechanism, Past
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan, questions_affordable, rows_needed, useful_plan
from peekproof.session.queries import ANY_SHARE

TARGET = Target.of(confidence=0.95, questions=1000)


def draws(count: int) -> Draws:
    return Draws(Fraction(count))


@settings(max_examples=20)
@given(rows=st.integers(1, 10**9), rounds=st.integers(1, 1000))
def test_the_radius_is_hoeffdings_for_the_rows_of_a_round(rows: int, rounds: int) -> None:
    if rounds > rows:
        with pytest.raises(InvalidInput, match=r"^rounds must be at most"):
            plan(rows=rows, target=TARGET, mechanisms=[FreshRows], rounds=rounds)
        return
    found = plan(rows=rows, target=TARGET, mechanisms=[FreshRows], rounds=rounds)
    by_hand = min(1, sqrt(log(2 * 1000 / 0.05) / (2 * (rows // rounds))))

    assert found.radius == pytest.approx(by_hand, rel=1e-9)
    assert found.radius >= by_hand * (1 - 1e-15)
    assert found.budget == draws(rounds)


def test_rounds_are_taken_where_they_are_the_narrowest() -> None:
    few, many = (plan(rows=100_000, target=TARGET, rounds=rounds) for rounds in (5, 500))

    assert isinstance(few.mechanism, FreshRows)
    assert few.mechanism.rounds == 5
    assert few.radius < 0.017 < many.radius
    assert many == plan(rows=100_000, target=TARGET)
    assert isinstance(many.mechanism, Gaussian)


def test_rounds_of_one_question_are_fresh_rows_for_every_question() -> None:
    target = Target.of(confidence=0.95, questions=5)
    by_round = plan(rows=100_000, target=target, mechanisms=[FreshRows], rounds=5)
    by_question = plan(rows=100_000, target=target, mechanisms=[FreshRows])

    assert by_round.radius == by_question.radius
    assert plan(rows=100_000, target=target, rounds=5) == by_question


def test_a_named_mechanism_is_never_replaced_by_rounds() -> None:
    noisy = plan(rows=100_000, target=TARGET, mechanisms=[Gaussian], rounds=5)

    assert noisy == plan(rows=100_000, target=TARGET, mechanisms=[Gaussian])


@pytest.mark.parametrize("rounds", [0, -1, True, 1.5, 1001])
def test_absurd_rounds_are_refused(rounds: int) -> None:
    choices: tuple[list[type[Mechanism]] | None, ...] = (None, [FreshRows], [Gaussian])
    for mechanisms in choices:
        with pytest.raises(InvalidInput, match=r"^rounds must be"):
            plan(rows=100_000, target=TARGET, mechanisms=mechanisms, rounds=rounds)


def test_without_a_number_of_rounds_every_question_is_one() -> None:
    found = plan(rows=100_000, target=TARGET, mechanisms=[FreshRows])
    assert found.budget == draws(1000)


def test_a_price_is_of_a_round_and_there_is_one_radius() -> None:
    found = plan(rows=100_000, target=TARGET, rounds=5)
    mechanism, before = found.mechanism, found.nothing_asked
    one = mechanism.offer(Ask(what=ANY_SHARE), before)

    assert one.cost == draws(1)
    assert mechanism.offer(Ask(what=ANY_SHARE), before, batch=4).cost == Draws(Fraction(1, 4))
    assert mechanism.offer(Ask(what=ANY_SHARE, radius=0.1), before) == one
    with pytest.raises(InvalidInput, match=r"^radius must be at least 0\.01"):
        mechanism.offer(Ask(what=ANY_SHARE, radius=0.01), before)


def test_what_is_left_is_questions_while_there_are_rounds() -> None:
    mechanism = plan(rows=100_000, target=TARGET, rounds=5).mechanism

    def left(spent: int, drawn: int) -> tuple[int, int | None]:
        past = Past(target=TARGET, spent=Fraction(spent), draws=drawn)
        return mechanism.left(past), mechanism.rounds_left(past, room=Fraction(5 - spent))

    assert left(0, 0) == (1000, 5)
    assert left(4, 30) == (970, 1)
    assert left(5, 30) == (0, 0)
    assert left(4, 1000) == (0, 1)
    noisy = plan(rows=100_000, target=TARGET).mechanism
    assert noisy.rounds_left(Past(target=TARGET), room=Fraction(1)) is None


def test_the_inverses_are_exact_at_their_edges() -> None:
    rows = rows_needed(target=TARGET, radius=0.05, mechanisms=[FreshRows], rounds=4)
    for size, fits in ((rows, True), (rows - 1, False)):
        found = plan(rows=size, target=TARGET, mechanisms=[FreshRows], rounds=4)
        assert (found.radius <= 0.05) is fits
    count = questions_affordable(
        rows=5000, confidence=0.95, radius=0.05, mechanisms=[FreshRows], rounds=4
    )
    for questions, fits in ((count, True), (count + 1, False)):
        target = Target.of(confidence=0.95, questions=questions)
        found = plan(rows=5000, target=target, mechanisms=[FreshRows], rounds=4)
        assert (found.radius <= 0.05) is fits
    assert count > 10


def test_a_vacuous_plan_by_rounds_says_what_would_do() -> None:
    with pytest.raises(VacuousPlan) as caught:
        useful_plan(100, TARGET, [FreshRows], 20)
    needed = caught.value.rows_needed

    assert not useful_plan(needed, TARGET, [FreshRows], 20).vacuous
    with pytest.raises(VacuousPlan):
        useful_plan(needed - 1, TARGET, [FreshRows], 20)

"""Sessions as opponents: their answers, passed on as they are, and asked as attackers want."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import peekproof
from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.opponents.catalogue import CERTIFIED, CONTROLS, OPPONENTS, opponent_by
from peekproof.audit.opponents.ladder import Climbed
from peekproof.audit.opponents.protocol import Opponent, Terms
from peekproof.audit.opponents.sessions import Asked, Opened, Planned
from peekproof.core.errors import (
    BudgetExhausted,
    FailuresExhausted,
    InvalidInput,
    RoundsExhausted,
    VacuousPlan,
)
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.base import every_mechanism
from peekproof.noise.entropy import Seeded

ROWS = 20_000
CONFIDENCE = Fraction(19, 20)
SESSIONS = [each.name for each in CERTIFIED if not isinstance(each, Climbed)]
ROUNDS = "fresh-rows-in-rounds"
EXACT = {"truncation", "fresh-rows", "fresh-rows-in-rounds", "checking", "limited-checking"}


@pytest.fixture(scope="module")
def columns() -> Columns:
    rng = np.random.default_rng(3)
    return {"x": rng.random(ROWS) < 0.3, "a": rng.integers(0, 9, ROWS).astype(float)}


def opened(name: str, columns: Columns, *, questions: int = 20, seed: int = 1) -> Opponent:
    terms = Terms(confidence=CONFIDENCE, questions=questions, seed=seed)
    return OPPONENTS[name].open(columns, terms=terms)


def test_there_are_two_controls_and_eleven_that_are_certified() -> None:
    assert [each.name for each in CONTROLS] == ["plain", "noise-only"]
    assert len(CERTIFIED) == 11
    assert all(each.certified for each in CERTIFIED)
    assert {each.name: each for each in (*CONTROLS, *CERTIFIED)} == OPPONENTS


def test_every_mechanism_that_a_session_takes_is_among_them() -> None:
    kinds = {each.mechanism for each in CERTIFIED if isinstance(each, Opened)}
    assert kinds == set(every_mechanism().values())


@pytest.mark.parametrize("name", SESSIONS)
def test_a_reply_is_the_answer_of_such_a_session(name: str, columns: Columns) -> None:
    opponent = opened(name, columns)
    assert isinstance(opponent, Asked)
    plan = opponent.session.plan
    reply = opponent.reply("x", guess=0.3)
    # To ask again is free, and gets the recorded answer.
    answer = opponent.session.ask("x")
    opponent.close()

    assert (reply.value, reply.low, reply.high) == (answer.value, answer.low, answer.high)
    assert plan.target.confidence == CONFIDENCE
    assert name == "planned" or name.removesuffix("-in-rounds") == plan.mechanism.kind
    assert reply.low <= reply.value <= reply.high
    assert reply.high - reply.low < 1
    assert 0.3 in reply


def test_what_is_planned_is_what_open_takes_by_itself(columns: Columns) -> None:
    reply = opened("planned", columns, seed=5).reply("x")
    with peekproof.open(
        columns, confidence=CONFIDENCE, questions=20, entropy=Seeded(5), ledger=MEMORY
    ) as session:
        answer = session.ask("x")

    assert (reply.value, reply.low, reply.high) == (answer.value, answer.low, answer.high)


@pytest.mark.parametrize("name", SESSIONS)
def test_replies_repeat_with_their_seed(name: str, columns: Columns) -> None:
    first, again, other = (
        opened(name, columns, seed=seed).reply("x", guess=0.4) for seed in (1, 1, 2)
    )

    assert first == again
    assert (first == other) is (name in EXACT - {"fresh-rows", "fresh-rows-in-rounds"})


MEANS = [each for each in SESSIONS if each != "thresholdout"]


@pytest.mark.parametrize("name", MEANS)
def test_means_are_told_in_their_own_units(name: str, columns: Columns) -> None:
    share = opened(name, columns).reply("a >= 4", guess=5 / 9)
    mean = opened(name, columns).reply("mean(a, 0, 8, 0)", guess=4.0)

    assert 4 in mean
    assert mean.high - mean.low < 8
    assert 4 < mean.radius / share.radius < 11  # about 8, the width of the span


def test_thresholdout_answers_shares_alone(columns: Columns) -> None:
    with pytest.raises(InvalidInput, match=r"^question must be a share") as refused:
        opened("thresholdout", columns).reply("mean(a, 0, 8, 0)", guess=4.0)

    assert refused.value.argument == "question"


@pytest.mark.parametrize(
    ("name", "most", "refusal"),
    [
        *((name, 20, BudgetExhausted) for name in SESSIONS if name not in (ROUNDS, "open-ended")),
        (ROUNDS, 10, RoundsExhausted),
    ],
)
def test_after_the_last_question_it_refuses(
    name: str, most: int, refusal: type[Exception], columns: Columns
) -> None:
    opponent = opened(name, columns)
    for number in range(most):
        opponent.reply(f"a >= {number / 4}", guess=round((9 - -(-number // 4)) / 9, 6))

    with pytest.raises(refusal):
        opponent.reply("x", guess=0.3)


def test_an_open_ended_session_goes_on(columns: Columns) -> None:
    opponent = opened("open-ended", columns, questions=2)

    replies = [opponent.reply(f"a >= {number}") for number in range(1, 9)]
    assert len(set(replies)) == 8
    assert replies[-1].radius > replies[0].radius


def test_failed_guesses_end_a_session_that_limits_them(columns: Columns) -> None:
    opponent = opened("limited-checking", columns)
    for number in range(10):
        assert opponent.reply(f"a >= {1 + number / 4}", guess=0.0).value > 0.5

    with pytest.raises(FailuresExhausted):
        opponent.reply("x", guess=0.3)


def test_too_few_rows_are_refused_before_a_question() -> None:
    few = {"x": np.arange(4) % 2 == 0}

    for name in ("planned", "gaussian", "checking"):
        with pytest.raises(VacuousPlan):
            opened(name, few)


def test_a_guess_is_confirmed_to_the_tolerance_that_was_asked_for(
    columns: Columns,
) -> None:
    reply = opened("checking", columns).reply("x", guess=0.31, tolerance=0.2)

    assert reply.value == 0.31
    assert reply.radius == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("tolerance", [1e-9, None])
@pytest.mark.parametrize(("question", "guess"), [("x", 0.31), ("mean(a, 0, 8, 0)", 4.1)])
def test_who_asks_too_narrowly_or_not_at_all_gets_about_the_narrowest(
    question: str, guess: float, tolerance: float | None, columns: Columns
) -> None:
    opponent = opened("checking", columns)
    assert isinstance(opponent, Asked)
    width = 8 if question.startswith("mean") else 1
    proposed = opponent.session.price_of(question, guess=guess).reach(width)

    reply = opponent.reply(question, guess=guess, tolerance=tolerance)
    assert reply.radius <= 0.85 * proposed
    with pytest.raises(InvalidInput, match="tolerance must be at least"):
        opponent.session.ask("a > 3", guess=0.5, tolerance=0.3 * proposed / width)


def test_other_faults_of_a_guess_are_not_hidden(columns: Columns) -> None:
    for name in ("checking", "limited-checking", "thresholdout"):
        with pytest.raises(InvalidInput, match=r"^guess must be from 0 to 1"):
            opened(name, columns).reply("x", guess=7.0)


def test_a_single_answer_is_claimed() -> None:
    opponent = Planned().open(
        {"x": np.arange(20_000) % 2 == 0}, terms=Terms(confidence=CONFIDENCE, questions=2, seed=1)
    )

    assert opponent.claimed([Fraction(1, 4), Fraction(1, 8)]) == Fraction(1, 8)


def test_every_mechanism_has_its_opponent_and_an_unknown_one_is_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, kind in every_mechanism().items():
        assert opponent_by(kind).name == name
    monkeypatch.setattr("peekproof.audit.opponents.catalogue.CERTIFIED", ())
    assert opponent_by(peekproof.Gaussian).name == "planned"

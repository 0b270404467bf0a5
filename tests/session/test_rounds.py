"""Sessions by rounds: a batch is a round, its rows are its own, and nothing is used twice."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import peekproof
from adversary.attacks import correlation, draw_sample
from backends import here
from peekproof.core.charge import Draws
from peekproof.core.errors import (
    BudgetExhausted,
    EvaluationFailed,
    InvalidInput,
    LedgerMismatch,
    RoundsExhausted,
)
from peekproof.data.fingerprint import keyed_order
from peekproof.data.table import Table
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Seeded
from peekproof.session import Session
from peekproof.session.replay import replay
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
ROWS, ROUNDS, QUESTIONS = 2003, 4, 30
NUMBERS = {"a": np.arange(float(ROWS))}


def session_of(
    ledger: Path | str = ":memory:",
    *,
    rounds: int | None = ROUNDS,
    questions: int | None = QUESTIONS,
) -> Session:
    return peekproof.open(
        NUMBERS, questions=questions, rounds=rounds, ledger=ledger, entropy=Seeded(1)
    )


def rounds_of(session: Session) -> FreshRows:
    assert isinstance(session.plan.mechanism, FreshRows)
    return session.plan.mechanism


def naive(session: Session, number: int, below: int) -> Fraction:
    """The share of a < `below` among the rows of a round, counted one by one."""
    size = ROWS // ROUNDS
    order = keyed_order(pl.DataFrame(NUMBERS), rounds_of(session).key)
    values = [float(NUMBERS["a"][row]) for row in order[number * size : (number + 1) * size]]
    assert len(values) == size
    return Fraction(sum(value < below for value in values), size)


def test_every_batch_is_counted_on_the_rows_of_its_own_round() -> None:
    batches = [[1000], [500, 1500, 20], [1001, 7], [900, 901, 902, 903]]
    with session_of() as session:
        for number, batch in enumerate(batches):
            answers = session.ask_many([f"a < {below}" for below in batch])
            assert [each.released for each in answers] == [
                naive(session, number, below) for below in batch
            ]
            for wrong in range(ROUNDS):  # a mutant that reads another round would show
                if wrong != number and len(batch) > 1:
                    assert [each.released for each in answers] != [
                        naive(session, wrong, below) for below in batch
                    ]


def test_rounds_are_disjoint_and_of_equal_size() -> None:
    # Every number between two others is asked for: each row is in at most one round's answers.
    edges = range(0, ROWS, 100)
    with session_of(questions=1000) as session:
        held = []
        for number in range(ROUNDS):
            # Other spellings of nothing new would be free, so each round asks its own edges.
            answers = session.ask_many([f"a < {edge + number / 8}" for edge in edges])
            counts = [int(each.released * (ROWS // ROUNDS)) for each in answers]
            held.append([high - low for low, high in pairwise(counts)])
        order = keyed_order(pl.DataFrame(NUMBERS), rounds_of(session).key)
    size = ROWS // ROUNDS
    parts = [set(order[number * size : (number + 1) * size].tolist()) for number in range(ROUNDS)]

    assert size == 500
    assert len(set().union(*parts)) == size * ROUNDS  # disjoint
    for total in map(sum, zip(*held, strict=True)):
        assert 100 - ROWS % ROUNDS - ROUNDS <= total <= 100 + ROUNDS  # together nearly all rows


def test_the_radius_is_hoeffdings_for_a_round_and_holds() -> None:
    with session_of() as session:
        answer = session.ask("a < 1001")
        by_hand = sqrt(log(2 * QUESTIONS / 0.05) / (2 * (ROWS // ROUNDS)))

        assert answer.certificate.radius == pytest.approx(by_hand, rel=1e-9)
        assert answer.radius <= answer.certificate.radius
        assert 0.5 in answer
        assert answer.certificate.verify() == answer.certificate
        assert answer.certificate.theorems == ("T-split",)


def test_the_questions_of_a_batch_share_the_price_of_a_round() -> None:
    with session_of() as session:
        batch = session.ask_many(["a < 5", "a < 6", "a < 5", "not a >= 6"])

        assert [each.cost.amount for each in batch] == [Fraction(1, 2), Fraction(1, 2), 0, 0]
        assert [each.replayed for each in batch] == [False, False, True, True]
        assert session.ledger.spent() == Draws(Fraction(1))
        assert (session.remaining, session.remaining_rounds) == (QUESTIONS - 2, ROUNDS - 1)
        assert f"{QUESTIONS - 2} left in 3 more rounds" in repr(session)


def test_answers_that_are_known_use_no_round() -> None:
    with session_of() as session:
        first = session.ask("a < 700")
        for _ in range(2 * ROUNDS):
            again = session.ask_many(["a < 700", "700 > a"])
            assert {each.released for each in again} == {first.released}
            assert all(each.replayed for each in again)
        assert session.remaining_rounds == ROUNDS - 1
        mixed = session.ask_many(["a < 700", "a < 701"])  # the new one alone pays, and all of it
        assert [each.cost.amount for each in mixed] == [0, 1]


def test_used_up_rounds_are_refused_and_known_answers_stay_free() -> None:
    with session_of() as session:
        for number in range(ROUNDS):
            session.ask(f"a < {number + 9}")
        before = len(session.ledger.entries())
        with pytest.raises(RoundsExhausted) as caught:
            session.ask_many(["a < 1", "a < 2"])

        assert (caught.value.asked, caught.value.rounds) == (2, ROUNDS)
        assert len(session.ledger.entries()) == before
        assert (session.remaining, session.remaining_rounds) == (0, 0)
        assert session.ask("a < 9").replayed


def test_used_up_questions_are_refused_though_rounds_are_left() -> None:
    with session_of() as session:
        session.ask_many([f"a < {number}" for number in range(QUESTIONS - 1)])
        with pytest.raises(BudgetExhausted) as caught:
            session.ask_many(["a < 100", "a < 101"])

        assert (caught.value.asked, caught.value.remaining) == (2, 1)
        assert session.remaining_rounds == ROUNDS - 1
        session.ask("a < 100")
        assert (session.remaining, session.remaining_rounds) == (0, 2)
        with pytest.raises(BudgetExhausted):
            session.ask("a < 101")


def test_a_crash_before_the_answers_are_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    place = tmp_path / "book"
    with session_of(place) as session, monkeypatch.context() as patch:
        patch.setattr(Ledger, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            session.ask_many(["a < 10", "a < 1200"])
    with session_of(place) as session:
        assert (session.remaining, session.remaining_rounds) == (QUESTIONS, ROUNDS)
        assert session.ask("a < 1200").released == naive(session, 0, 1200)
        assert session.ledger.verify() == 2


def test_rows_that_could_not_be_read_are_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError

    place = tmp_path / "book"
    with session_of(place) as session:
        with monkeypatch.context() as patch:
            patch.setattr(Table, "totals_round", broken)
            with pytest.raises(EvaluationFailed):
                session.ask_many(["a < 10", "a < 1200"])
        assert (session.remaining, session.remaining_rounds) == (QUESTIONS - 2, ROUNDS - 1)
        answer = session.ask("a < 1200")
        assert answer.released == naive(session, 1, 1200) != naive(session, 0, 1200)
        assert [entry.kind for entry in session.ledger.entries()] == ["open", "lost", "answer"]


def test_rows_that_another_read_meanwhile_are_read_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes second takes the next part, and reads that."""
    place = tmp_path / "book"
    with session_of(place) as one, session_of(place) as other:
        totals = Table.totals_round

        def meanwhile(self: Table, *given: Any, **named: Any) -> Any:
            monkeypatch.setattr(Table, "totals_round", totals)
            assert other.ask("a < 800").released == naive(one, 0, 800)
            return totals(self, *given, **named)

        monkeypatch.setattr(Table, "totals_round", meanwhile)
        assert one.ask("a < 300").released == naive(one, 1, 300)
        assert one.remaining_rounds == ROUNDS - 2
        replay(one.ledger)


def test_two_sessions_on_one_ledger_share_its_rounds(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with session_of(place) as one, session_of(place) as other:
        assert rounds_of(one) == rounds_of(other)
        for number, (session, below) in enumerate(
            [(one, 300), (other, 800), (other, 1400), (one, 1900)]
        ):
            assert session.ask(f"a < {below}").released == naive(one, number, below)
        assert one.remaining_rounds == other.remaining_rounds == 0
        assert other.ask("a < 300").replayed
        with pytest.raises(RoundsExhausted):
            other.ask("a < 4")


def test_reopening_continues_and_another_number_of_rounds_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with session_of(place) as session:
        session.ask("a < 10")
        before = session.plan
    for rounds in (None, ROUNDS):
        with session_of(place, rounds=rounds, questions=None) as session:
            assert session.plan == before
            assert session.remaining_rounds == ROUNDS - 1
            assert session.ledger.verify() == 2
    with pytest.raises(LedgerMismatch, match="rounds"):
        session_of(place, rounds=ROUNDS + 1)
    with pytest.raises(LedgerMismatch, match="the mechanism"):
        peekproof.open(NUMBERS, mechanisms=[Gaussian], ledger=place, entropy=Seeded(1))


def test_a_promise_that_counts_no_rounds_takes_any_number_of_them(tmp_path: Path) -> None:
    place = tmp_path / "book"
    for rounds in (20, 20, 3, None):
        with peekproof.open(
            NUMBERS, questions=20, rounds=rounds, mechanisms=[Gaussian], ledger=place
        ) as session:
            assert session.remaining_rounds is None
            assert "rounds" not in repr(session)


@pytest.mark.parametrize("rounds", [0, -1, 1.5, True, QUESTIONS + 1])
def test_absurd_rounds_are_refused_before_a_ledger_is_made(tmp_path: Path, rounds: int) -> None:
    place = tmp_path / "book"
    with pytest.raises(InvalidInput, match=r"^rounds must be"):
        session_of(place, rounds=rounds)
    assert not place.exists()


def test_an_open_ended_session_has_no_rounds() -> None:
    with pytest.raises(InvalidInput, match="OpenEnded alone"):
        peekproof.open(NUMBERS, rounds=3, mechanisms=[peekproof.OpenEnded])


def test_the_key_is_new_for_every_session_and_never_shown() -> None:
    with session_of() as session:
        key = rounds_of(session).key
        for shown in (session, session.plan, session.plan.to_dict(), session.ledger.opening):
            assert key not in repr(shown)
    with peekproof.open(NUMBERS, questions=QUESTIONS, rounds=ROUNDS) as session:
        assert rounds_of(session).key not in (key, "0" * 32)


def test_a_round_beyond_the_last_is_not_counted() -> None:
    with session_of() as session:
        for number in (-1, ROUNDS):
            with pytest.raises(EvaluationFailed):
                here(session).table.totals_round([], number=number, rounds=ROUNDS, key="0" * 32)


def missed(sessions: int) -> int:
    """In how many sessions a vote that was learnt in the first round misses in the second."""
    rng, missing = np.random.default_rng(7), 0
    for number in range(sessions):
        with peekproof.open(
            draw_sample(400, 20, rng),
            questions=20,
            rounds=2,
            mechanisms=[FreshRows],
            entropy=Seeded(number),
            ledger=":memory:",
        ) as session:
            told = correlation(session)
        missing += any(truth not in answer for answer, truth in told)
    return missing


@statistical(false_alarm=FALSE_ALARM)
def test_rounds_that_never_move_on_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: both rounds are counted on the rows of the first."""
    plain = Table.totals_round

    def stuck(self, questions, *, number, rounds, key):  # type: ignore[no-untyped-def]
        return plain(self, questions, number=0 * number, rounds=rounds, key=key)

    assert excess_p_value(missed(20), trials=20, probability=0.05) > FALSE_ALARM
    monkeypatch.setattr(Table, "totals_round", stuck)
    assert excess_p_value(missed(45), trials=45, probability=0.05) < FALSE_ALARM

"""Sessions in a crowd: threads, shares, rounds, restarts, and what they say is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import peekproof
from backends import here
from peekproof.core.errors import LedgerClosed, LedgerUnavailable, ShareExhausted
from peekproof.ledger import log
from peekproof.ledger.snapshot import answers_after
from peekproof.ledger.sqlite import SqliteStore
from peekproof.noise.entropy import Seeded
from peekproof.query.question import Question
from peekproof.session import records as past_module
from peekproof.session.session import Session

ROWS = 20_000
DATA = {"x": np.random.default_rng(1).random(ROWS)}
OTHER = {"x": np.random.default_rng(2).random(ROWS)}


def opened(kind: object, data: object = DATA, **arguments: object) -> Session:
    arguments = {"ledger": ":memory:", "entropy": Seeded(1), "mechanisms": [kind], **arguments}
    return peekproof.open(data, **arguments)  # type: ignore[arg-type]


def until(condition: Callable[[], object], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


def test_an_open_round_is_not_for_those_who_used_more_than_their_share() -> None:
    with opened(peekproof.Thresholdout, questions=100, failures=10) as session:
        session.ledger.set_aside({"ann": Fraction(1, 2)})
        ann = session.as_analyst("ann")
        one = session.plan.budget.amount / 10
        while session.ledger.spent().amount != 3 * one:  # bad guesses end rounds
            ann.ask(f"x > 0.1{session.ledger.draws():03}", guess=0.1)
        ann.ask("x > 0.5", guess=0.5)
        session.ledger.set_aside({"ann": Fraction(1, 5)})  # less than she has used
        told = ann.remaining
        try:
            ann.ask("x > 0.6", guess=0.4)
            asked = True
        except ShareExhausted:
            asked = False
        assert (told > 0) == asked


def test_what_remains_of_a_share_of_an_open_ended_session_can_be_asked() -> None:
    with opened(peekproof.OpenEnded) as session:
        session.ledger.set_aside({"ann": Fraction(1, 100)})
        ann = session.as_analyst("ann")
        told, asked = ann.remaining, 0
        while ann.remaining:
            ann.ask(f"x > 0.1{asked:03}")
            asked += 1
        with pytest.raises(ShareExhausted) as refused:
            ann.ask("x > 0.3")
        assert (refused.value.remaining, asked) == (0, told)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (peekproof.Gaussian, {}),
        (peekproof.LimitedChecking, {"failures": 2}),
        (peekproof.Thresholdout, {}),
        (peekproof.FreshRows, {"rounds": 2}),
    ],
)
def test_nothing_remains_of_a_retired_ledger(kind: object, more: dict[str, object]) -> None:
    with opened(kind, questions=20, **more) as session:
        session.ledger.retire()
        assert session.remaining == 0


def test_a_batch_of_guesses_to_a_retired_ledger_is_told_so() -> None:
    """Passes today; it must still when nothing remains."""
    training = peekproof.Training(OTHER)
    with opened(peekproof.LimitedChecking, questions=20, failures=2, guesser=training) as session:
        session.ledger.retire()
        with pytest.raises(LedgerClosed):
            session.ask_many(["x > 0.5"])


def test_the_rounds_that_remain_are_within_the_share() -> None:
    with opened(peekproof.FreshRows, questions=20, rounds=4) as session:
        session.ledger.set_aside({"ann": Fraction(1, 4)})
        ann = session.as_analyst("ann")
        assert (ann.remaining, ann.remaining_rounds) == (5, 1)
        ann.ask("x > 0.5")
        assert (ann.remaining, ann.remaining_rounds) == (0, 0)


def test_a_price_within_an_open_round_is_what_is_charged() -> None:
    with opened(peekproof.Thresholdout, questions=100) as session:
        session.ask("x > 0.5", guess=0.5)
        told = session.price_of("x > 0.6", guess=0.4).cost
        assert session.ask("x > 0.6", guess=0.4).cost == told


def test_threads_that_guess_well_are_not_told_that_all_failures_are_used_up() -> None:
    """The ledger of one is slow: the other asks while its guess is being checked."""
    with opened(peekproof.LimitedChecking, questions=50, failures=1) as session:
        table, found = here(session).table, list[BaseException]()
        reading, go = threading.Event(), threading.Event()
        totals = table.totals

        def slow(questions: list[Question]) -> object:
            reading.set()
            go.wait(1)
            return totals(questions)

        class Slow:
            charge_first = False

            def __getattr__(self, name: str) -> object:
                return slow if name == "totals" else getattr(table, name)

        here(session).table = Slow()  # type: ignore[assignment]

        def ask(text: str) -> None:
            try:
                session.ask(text, guess=0.5)
            except BaseException as error:
                found.append(error)

        one = threading.Thread(target=ask, args=("x > 0.5",))
        one.start()
        reading.wait(5)
        ask("x < 0.5")
        go.set()
        one.join()
        assert found == []
        assert session.failures == 0


class Exclusive:
    """A guesser that notices when it is called from two threads at once."""

    kind: ClassVar[str] = "exclusive"

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.met = threading.Event()

    def _busy(self) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.inside > 1:
            self.met.set()
        self.met.wait(0.3)
        self.inside -= 1

    def guess(self, question: Question) -> Fraction:
        self._busy()
        return Fraction(1, 2)

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        self._busy()

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


def test_a_guesser_is_asked_and_taught_by_one_thread_at_a_time() -> None:
    guesser = Exclusive()
    with opened(peekproof.Checking, questions=50, guesser=guesser) as session:
        threads = [
            threading.Thread(target=session.as_analyst(name).ask, args=(f"x > 0.5{name}",))
            for name in "12"
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert guesser.most == 1


def test_a_look_at_old_answers_and_a_charge_do_not_wait_for_each_other_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed write the state comes from a snapshot that another process saved meanwhile.

    One thread then counts failures from before that snapshot; another one is being charged.
    """
    monkeypatch.setattr(log, "_DUE", 1)
    place = tmp_path / "l.peekproof"
    session = opened(peekproof.Checking, questions=50, ledger=place)
    other = opened(peekproof.Checking, questions=50, ledger=place)
    inside, go, entered = threading.Event(), threading.Event(), threading.Event()
    write, look = session.ledger.write, here(session)._pasts.look

    def later(*arguments: object, **named: object) -> object:
        inside.set()
        go.wait(5)
        return write(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(session.ledger, "write", later)
    asking = threading.Thread(
        target=lambda: session.ask("x > 0.5", guess=0.5, tolerance=0.4), daemon=True
    )
    asking.start()
    inside.wait(5)
    other.ask("x > 0.1", guess=0.1)  # fails, and a snapshot is saved

    def locked(*_: object, **__: object) -> None:
        raise LedgerUnavailable(ledger=str(place), problem="is locked by another process")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "begin", locked)
        with pytest.raises(LedgerUnavailable):
            session.ledger.override(reason="none", against="none")
    before = answers_after

    def slow(answers: object, count: int) -> object:
        if threading.current_thread() is counting:
            entered.set()
            go.set()
            time.sleep(0.5)  # meanwhile the other thread has the ledger's lock
        return before(answers, count)  # type: ignore[arg-type]

    monkeypatch.setattr(past_module, "answers_after", slow)
    counting = threading.Thread(target=lambda: session.failures, daemon=True)
    counting.start()
    counting.join(5)
    asking.join(1)
    assert not counting.is_alive()
    assert not asking.is_alive()
    assert look(session.ledger.seen).failures == 1


def test_price_is_nothing_for_a_paid_round() -> None:
    with opened(peekproof.Thresholdout, questions=100) as session:
        session.ask("x > 0.5", guess=0.5)
        assert session.ask("x > 0.6", guess=0.4).cost.amount == 0

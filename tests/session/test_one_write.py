"""An answer is one entry: what fails on the way is paid for, and what is paid for is answered."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peekproof
from backends import here
from peekproof.core.errors import EvaluationFailed
from peekproof.data.source import Source
from peekproof.data.statistic import PairStatistic
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.session.queries import ANY_SHARE
from peekproof.session.replay import replay

WAIT = 30


def ages(*, seed: int = 1, rows: int = 1000) -> dict[str, Any]:
    return {"age": np.random.default_rng(seed).uniform(0, 100, rows)}


def kinds(session: peekproof.Session) -> list[str]:
    return [each.kind for each in session.ledger.entries()]


class Around:
    """A source whose reading does something else first."""

    def __init__(
        self, source: Source, *, before: Callable[[], object], charge_first: bool = False
    ) -> None:
        self._source, self._before = source, before
        self.charge_first = charge_first

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        if not name.startswith("totals"):
            return found

        def read(*given: Any, **named: Any) -> Any:
            self._before()
            return found(*given, **named)

        return read


def read_after(
    session: peekproof.Session, before: Callable[[], object], *, charge_first: bool = False
) -> None:
    backend = here(session)
    around: Any = Around(backend.table, before=before, charge_first=charge_first)
    backend.table = around


def fails() -> None:
    raise MemoryError("3,027 rows say so")


# What fails is paid for, and says nothing. -------------------------------------------------------


def test_a_reading_that_fails_is_paid_for_and_its_reason_withheld() -> None:
    with peekproof.open(ages(), questions=20) as session:
        read_after(session, fails)
        for left in (19, 18):
            with pytest.raises(EvaluationFailed) as error:
                session.ask(f"age > {left}")
            assert "3,027" not in f"{error.value!r} {error.value.__cause__!r}"
            assert session.remaining == left
        assert kinds(session) == ["open", "lost", "lost"]
        assert replay(session.ledger).unanswered == 2


def test_a_drawing_that_fails_is_paid_for_and_its_reason_withheld(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leaking(self: Any, exact: Any, *, rng: Any) -> Any:
        raise ValueError(f"cannot round {exact.reveal()}")

    with peekproof.open(ages(), questions=20, mechanisms=[Gaussian]) as session:
        draw = type(session.plan.mechanism.offer(Ask(what=ANY_SHARE), session.past))
        monkeypatch.setattr(draw, "release", leaking)
        with pytest.raises(EvaluationFailed) as error:
            session.ask("age > 50")
        assert "round" not in str(error.value)
        assert (kinds(session), session.remaining) == (["open", "lost"], 19)
        monkeypatch.undo()
        assert session.ask("age > 50").low <= 0.6
        assert replay(session.ledger).entries == 3


@pytest.mark.parametrize(
    ("seed", "value"),
    [*enumerate([(), (Fraction(7, 2),), (float("nan"),), (Fraction(1, 2), Fraction(1, 2))])],
)
def test_what_is_no_answer_is_never_recorded_as_one(
    seed: int, value: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place, data = tmp_path / "l.peekproof", ages(seed=seed)
    with peekproof.open(data, questions=20, mechanisms=[Gaussian], ledger=place) as session:
        draw = type(session.plan.mechanism.offer(Ask(what=ANY_SHARE), session.past))
        monkeypatch.setattr(draw, "release", lambda *_, **__: value)
        with pytest.raises(EvaluationFailed):
            session.ask("age > 50")
        monkeypatch.undo()
        assert kinds(session) == ["open", "lost"]
    with peekproof.open(data, ledger=place) as session:
        assert session.ask("age > 50").confidence == 0.95


def test_fresh_rows_that_fail_when_they_are_read_again_are_paid_for(tmp_path: Path) -> None:
    """Another process took the part that was read first; the next one is read under the lock."""
    place = tmp_path / "l.peekproof"
    named: dict[str, Any] = {"mechanisms": [peekproof.FreshRows], "ledger": place}
    with (
        peekproof.open(ages(), questions=10, **named) as session,
        peekproof.open(ages(), **named) as other,
    ):
        read = 0

        def before() -> None:
            nonlocal read
            read += 1
            if read > 1:
                fails()
            other.ask("age > 40")

        read_after(session, before)
        with pytest.raises(EvaluationFailed):
            session.ask("age > 50")
        assert read == 2
        assert kinds(session) == ["open", "answer", "lost"]
        assert session.remaining == 8
        assert replay(session.ledger).unanswered == 1


# What is paid for is answered, and paid for once. ------------------------------------------------


def test_what_was_lost_is_read_again_and_not_paid_for_twice() -> None:
    """Where failing could tell of rows the charge comes first, and stays what it was."""
    down = True

    def before() -> None:
        if down:
            fails()

    with peekproof.open(ages(), questions=2, mechanisms=[peekproof.Checking]) as session:
        read_after(session, before, charge_first=True)
        for _ in range(3):
            with pytest.raises(EvaluationFailed):
                session.ask("age > 50", guess=0.5, tolerance=0.2)
        assert (session.remaining, session.failures) == (1, 1)  # nobody is sure, so it counts
        with pytest.raises(EvaluationFailed):
            session.ask("age > 60", guess=0.4, tolerance=0.2)
        assert session.remaining == 0
        down = False
        again = session.ask("age > 50", guess=0.5, tolerance=0.2)
        assert (again.value, session.failures) == (0.5, 1)
        session.ask("age > 60", guess=0.4, tolerance=0.2)
        assert (session.remaining, session.failures) == (0, 0)
        assert kinds(session) == ["open", "lost", "lost", "answer", "answer"]
        assert replay(session.ledger).certificates == 2


def test_equal_questions_of_sessions_are_paid_for_once_also_where_the_charge_comes_first(
    tmp_path: Path,
) -> None:
    place = tmp_path / "l.peekproof"
    both = threading.Barrier(2)
    named: dict[str, Any] = {"mechanisms": [peekproof.Checking], "ledger": place}
    sessions = [peekproof.open(ages(), questions=20, **named) for _ in range(2)]
    found: list[float] = []

    def ask(session: peekproof.Session) -> None:
        found.append(session.ask("age > 50", guess=0.5, tolerance=0.2).value)

    for session in sessions:
        read_after(session, lambda: both.wait(WAIT), charge_first=True)
    threads = [threading.Thread(target=ask, args=[each], daemon=True) for each in sessions]
    for each in threads:
        each.start()
    for each in threads:
        each.join(WAIT)
    assert found == [0.5, 0.5]
    assert kinds(sessions[0]) == ["open", "lost", "answer"]
    assert (sessions[0].remaining, sessions[0].failures) == (19, 0)
    for session in sessions:
        session.close()


def test_an_answer_on_its_way_to_the_disk_counts_once() -> None:
    """Two answers in one commit: the first was paid for before, and is not lost any more."""
    reading, go = threading.Event(), threading.Event()

    def counted(rows: Any) -> int:
        reading.set()
        go.wait(WAIT)
        return len(rows) * (len(rows) - 1) // 4

    pairs = PairStatistic(name="pairs", function=counted)
    with peekproof.open(ages(), questions=50, mechanisms=[peekproof.Checking]) as session:
        commits: Any = session.ledger._log._commits
        gathered = threading.Event()
        threads = [
            threading.Thread(target=session.ask, args=[what], kwargs=said, daemon=True)
            for what, said in (
                (pairs, {"guess": 0.5, "tolerance": 0.45}),
                ("age > 50", {"guess": 0.5, "tolerance": 0.3}),
            )
        ]
        threads[0].start()
        assert reading.wait(WAIT)
        with commits._turn:  # somebody else's commit is on its way to the disk
            go.set()
            wait_for(lambda: len(commits._queue) == 1, gathered)
            threads[1].start()
            wait_for(lambda: len(commits._queue) == 2, gathered)
        for each in threads:
            each.join(WAIT)
        last = session.ledger.entries()[-1]
        assert last.body["questions"][0]["text"] == "age > 50"
        assert (session.failures, session.past.values) == (0, 1)
        assert replay(session.ledger).certificates == 2


def wait_for(holds: Callable[[], bool], pause: threading.Event) -> None:
    for _ in range(3000):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("nobody came")


def test_a_look_while_what_was_lost_is_recovered_never_fails() -> None:
    with peekproof.open(ages(), questions=3000, mechanisms=[peekproof.Checking]) as session:
        over, errors = threading.Event(), list[Exception]()

        def look() -> None:
            while not over.wait(0.002):
                try:
                    repr(session)
                except Exception as error:
                    errors.append(error)
                    return

        looking = threading.Thread(target=look, daemon=True)
        read_after(session, lambda: None, charge_first=True)
        looking.start()
        for start in range(0, 300, 100):
            for number in range(start, start + 100):
                session.ask(f"age > {number / 10}", guess=1 - number / 1000, tolerance=0.3)
        over.set()
        looking.join(WAIT)
        assert not [traceback.format_exception(each) for each in errors]


# A refusal is said after a look. -----------------------------------------------------------------


def test_what_others_answered_and_the_room_they_made_is_seen_before_a_refusal(
    tmp_path: Path,
) -> None:
    place = tmp_path / "l.peekproof"
    named: dict[str, Any] = {"mechanisms": [Gaussian], "ledger": place}
    with (
        peekproof.open(ages(), questions=10, analyst="ann", **named) as ann,
        peekproof.open(ages(), analyst="bob", **named) as bob,
    ):
        ann.ledger.set_aside({"ann": Fraction(1, 10), "bob": Fraction(8, 10)})
        ann.ask("age > 1")
        there = bob.ask("age > 40")
        assert ann.ask("age > 40").value == there.value  # though ann has nothing left
        with pytest.raises(peekproof.ShareExhausted):
            ann.ask("age > 41")
        bob.ledger.set_aside({"ann": Fraction(2, 10), "bob": Fraction(8, 10)})
        assert ann.ask("age > 41").cost.amount

"""Ledgers that are interrupted, forked, written to by many at once, or told nonsense."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path

import pytest

from ledger.books import COST, OPENING, answer, at, lose
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput, LedgerUnavailable, PeekproofError
from peekproof.ledger import log
from peekproof.ledger import sqlite as sqlite_module
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.log import Commits, Job
from peekproof.ledger.snapshot import taken
from peekproof.ledger.sqlite import MEMORY, SqliteStore
from peekproof.ledger.state import State


def until(condition: Callable[[], object], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


@pytest.fixture
def snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_DUE", 2)


def test_an_interrupted_waiter_that_was_given_the_lead_wakes_all_others() -> None:
    """SIGINT ends its wait; before the handler returns, the leader hands it the lead."""
    written: list[str] = []
    go, handed = threading.Event(), threading.Event()

    def write(jobs: list[str]) -> None:
        if "first" in jobs:
            go.wait(10)
        written.extend(jobs)

    commits = Commits(write)

    def first() -> None:
        commits.do("first")
        handed.set()

    def interrupt() -> None:
        until(lambda: len(commits._queue) == 2)
        os.kill(os.getpid(), signal.SIGINT)

    def handler(*_: object) -> None:
        go.set()
        handed.wait(10)
        raise KeyboardInterrupt

    def third() -> None:
        until(lambda: len(commits._queue) == 1)
        commits.do("third")

    threads = [threading.Thread(target=each, daemon=True) for each in (first, third, interrupt)]
    before = signal.signal(signal.SIGINT, handler)
    try:
        threads[0].start()
        until(lambda: commits._led)
        threads[1].start()
        threads[2].start()
        with pytest.raises(KeyboardInterrupt):
            commits.do("second")
    finally:
        signal.signal(signal.SIGINT, before)
    threads[1].join(5)
    assert not threads[1].is_alive()
    assert "third" in written


def test_an_interrupt_just_before_leading_does_not_stop_all_writes_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python runs handlers when a function is entered, so also when `_lead` is."""
    written: list[str] = []
    commits = Commits[str](written.extend)
    lead = Commits._lead

    def interrupted(*_: object) -> None:
        monkeypatch.setattr(Commits, "_lead", lead)
        raise KeyboardInterrupt

    monkeypatch.setattr(Commits, "_lead", interrupted)
    with pytest.raises(KeyboardInterrupt):
        commits.do("first")
    thread = threading.Thread(target=commits.do, args=("second",), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    assert "second" in written


def test_what_two_threads_answer_at_once_is_answered_once() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    paid = lose(ledger, "p")
    jobs: list[Job[object]] = []
    log = ledger._log
    log.do = lambda step: jobs.append(Job(step))  # type: ignore[method-assign,assignment,return-value]
    ledger.recover(paid, {"p": Fraction(1, 2)})
    ledger.recover(paid, {"p": Fraction(1, 3)})
    del log.do
    with suppress(Exception):
        log._write(jobs)  # as a group, as it happens when both gather behind another write
    assert ledger.verify() == 3
    assert ledger.answers()["p"].value == Fraction(1, 2)


@pytest.mark.parametrize("share", [float("nan"), True, "1/2", 0.5])
def test_shares_that_are_no_fractions_are_refused_and_never_break_the_ledger(
    share: object, tmp_path: Path
) -> None:
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as ledger, pytest.raises(InvalidInput):
        ledger.set_aside({"ann": share})  # type: ignore[dict-item]
    with closing(Ledger.open(place)) as again:
        assert again.verify() == 1


def test_verify_after_a_failed_write_is_not_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(MEMORY, OPENING)

    def full(*_: object) -> None:
        raise LedgerUnavailable(ledger="l", problem="cannot be used (disk full)")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "commit", full)
        with pytest.raises(LedgerUnavailable):
            lose(ledger, "p")
    assert ledger.verify() == 1


def test_verify_beside_a_writer_that_saves_a_snapshot_is_not_damage(
    tmp_path: Path, snapshots: None
) -> None:
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as one, closing(Ledger.open(place)) as other:
        answer(one, "p")

        def meanwhile(_: int, __: int) -> None:
            if "q" not in other.answers():
                answer(other, "q")

        assert one.verify(progress=meanwhile) == 5


def test_a_slower_process_does_not_replace_a_newer_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read everything and is about to save when others write and save."""
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as ledger:
        answer(ledger, "p")
    monkeypatch.setattr(log, "_DUE", 2)
    save, calls = SqliteStore.save, list[int]()

    def late(self: SqliteStore, snapshot: object, settled: Iterator[tuple[str, int]]) -> None:
        calls.append(1)
        if len(calls) == 1:
            with closing(Ledger.open(place)) as other:
                answer(other, "q")
        save(self, snapshot, settled)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteStore, "save", late)
    with closing(Ledger.open(place)) as slow:
        assert slow.verify() == 5


def test_an_interrupted_look_is_not_taken_in_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as one, closing(Ledger.open(place)) as other:
        lose(other, "p")

        class Interrupted(dict[int, object]):
            def __setitem__(self, *_: object) -> None:
                raise KeyboardInterrupt

        one.seen.unanswered = Interrupted()  # type: ignore[assignment]  # anywhere in `apply`
        with pytest.raises(KeyboardInterrupt):
            one.look()
        with suppress(KeyboardInterrupt):
            one.look()
        assert one.look().spent == COST
        assert one.look().draws == 1
        assert one.look().accounts == other.look().accounts


def test_a_forked_process_is_refused_also_while_a_thread_writes() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    inside, go = threading.Event(), threading.Event()

    def slow(digests: tuple[str, ...]) -> list[Offer]:
        inside.set()
        go.wait(10)
        return [Offer(cost=COST)] * len(digests)

    def write() -> None:
        ledger.lose({"p": "p > 1"}, offers=slow)

    thread = threading.Thread(target=write)
    thread.start()
    inside.wait(5)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(3)
        found = 0
        for act in (lambda: lose(ledger, "q"), ledger.look, ledger.entries):
            try:
                act()
            except LedgerUnavailable:
                found += 1
        os._exit(found)
    go.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


def test_an_interrupt_of_the_leader_is_told_to_all_who_wait_behind_it() -> None:
    """It waits for a thread that reads; the others of its group wait for it."""
    ledger = Ledger.create(MEMORY, OPENING)
    log, told = ledger._log, list[BaseException]()
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with log._lock:
            held.set()
            go.wait(10)

    def follow() -> None:
        until(lambda: log._commits._led)
        try:
            lose(ledger, "q")
        except BaseException as error:
            told.append(error)

    def interrupt() -> None:
        # The leader takes its group when it starts, so let the follower be in it.
        until(gathered.is_set)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    gathered = threading.Event()
    lead = log._commits._lead

    def late(*arguments: object) -> None:
        until(lambda: len(log._commits._queue) == 2)
        log._commits._lead = lead  # type: ignore[method-assign]
        gathered.set()
        lead(*arguments)  # type: ignore[arg-type]

    log._commits._lead = late  # type: ignore[method-assign,assignment]
    threads = [threading.Thread(target=each, daemon=True) for each in (hold, follow, interrupt)]
    threads[0].start()
    held.wait(5)
    for each in threads[1:]:
        each.start()
    with pytest.raises(KeyboardInterrupt):
        lose(ledger, "p")
    go.set()  # not before, or a busy machine might let the leader write first
    threads[1].join(5)
    assert [type(each) for each in told] == [LedgerUnavailable]


def test_answers_come_in_the_same_order_with_and_without_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_DUE", 1)
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as ledger:
        answer(ledger, "z", "a", "m")
        live = [each.text for each in ledger.history("")]
    with closing(Ledger.open(place)) as again:
        assert [each.text for each in again.history("")] == live


def test_a_history_is_read_while_others_are_answered() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    answer(ledger, "p", "q")

    class Name(str):
        """Another thread gets its turn while names are compared."""

        __slots__ = ()
        done = False

        def __eq__(self, other: object) -> bool:
            if not Name.done:
                Name.done = True
                thread = threading.Thread(target=answer, args=(ledger, "r"))
                thread.start()
                thread.join()
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    assert len(ledger.history(Name(""))) in (2, 3)


def test_every_kind_of_state_survives_a_snapshot(tmp_path: Path, snapshots: None) -> None:
    """Passes today: kept as a guard."""
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as one, closing(Ledger.open(place)) as two:
        first, second = lose(one, "p"), lose(two, "p", "q")
        two.recover(second, {"p": Fraction(1, 2), "q": (Fraction(1), Fraction(0))})
        one.recover(first, {"p": Fraction(1, 3)})
        one.set_aside({"ann": Fraction(1, 2)})
        with suppress(PeekproofError):
            one.lose({"x": "x"}, offers=at(COST * 20), analyst="ann")
        one.lose({"y": "y"}, offers=at(COST), analyst="ann")
        one.override(reason="r", against="a")
        one.retire()
        one.verify()
        replayed = State(place)
        for entry in one.entries():
            replayed.apply(entry)
        with closing(Ledger.open(place)) as again:
            for name in set(State.__slots__) - {"unindexed"}:  # which a snapshot has indexed
                assert getattr(again.seen, name) == getattr(replayed, name), name


class Interrupting:
    """A connection whose first transaction is begun, and then the caller interrupted."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real = real
        self.armed = True

    def execute(self, statement: str, *arguments: object) -> object:
        found = self.real.execute(statement, *arguments)  # type: ignore[arg-type]
        if self.armed and statement.startswith("BEGIN"):
            self.armed = False
            raise KeyboardInterrupt
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


def test_an_interrupted_snapshot_leaves_nobody_locked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.2)
    place = str(tmp_path / "l.peekproof")
    with closing(Ledger.create(place, OPENING)) as one, closing(Ledger.open(place)) as other:
        store = one._log._store
        assert isinstance(store, SqliteStore)
        store._connection = Interrupting(store._connection)  # type: ignore[assignment]
        with pytest.raises(KeyboardInterrupt):
            store.save(taken(one.look()), [])
        lose(other, "p")  # was: locked until `one` writes again
        lose(one, "q")  # was: "is damaged (cannot start a transaction within a transaction)"
        assert one.verify() == 3

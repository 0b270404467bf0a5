"""Locks, full disks, processes and threads at a ledger in SQLite."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import peekproof
from ledger.books import (
    AFFORDABLE,
    BUDGET,
    COST,
    OPENING,
    Opened,
    answer,
    at,
    connection,
    lose,
    refused,
    without_privileges,
)
from peekproof.core.charge import FREE, Offer
from peekproof.core.errors import (
    LedgerUnavailable,
)
from peekproof.ledger import sqlite as sqlite_module
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.sqlite import MEMORY

SOURCE = str(Path(peekproof.__file__).parent.parent)

# Trouble that passes --------------------------------------------------------------------------


def test_a_lock_held_by_someone_else_is_named_and_nothing_is_charged(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    ledger = opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable, match="is locked by another process"):
            ledger.lose({"q": "q > 1"}, offers=at(COST))
        other.execute("ROLLBACK")
    assert ledger.spent() == FREE
    answer(ledger, "q")
    assert ledger.verify() == 3


def test_an_answer_that_cannot_be_written_can_be_repeated(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    ledger = opened(path)
    reservation = lose(ledger, "q")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable):
            ledger.recover(reservation, {"q": Fraction(1, 2)})
        other.execute("ROLLBACK")
    assert ledger.spent() == COST
    ledger.recover(reservation, {"q": Fraction(1, 2)})
    assert ledger.answers()["q"].value == Fraction(1, 2)


def test_a_file_that_is_locked_cannot_be_opened(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(closed, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another process" in str(refused(closed))


def test_a_read_only_folder_is_unavailable_and_unchanged(public_folder: Path) -> None:
    path = public_folder / "x.peekproof"
    with closing(Ledger.create(str(path), OPENING)) as ledger:
        answer(ledger, "p")
    path.chmod(0o444)
    before = path.read_bytes()
    with without_privileges(public_folder):
        error = refused(path)
    assert isinstance(error, LedgerUnavailable)
    assert "name another place for the ledger" in str(error)
    assert path.read_bytes() == before
    path.chmod(0o644)


def test_a_failing_commit_charges_nothing(memory: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite_module, "insert", fail)
    with pytest.raises(LedgerUnavailable, match="disk I/O error"):
        memory.lose({"q": "q > 1"}, offers=at(COST))
    monkeypatch.undo()
    assert memory.spent() == FREE
    answer(memory, "q")


def test_a_transaction_that_sqlite_gave_up_charges_nothing(
    memory: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(connection: sqlite3.Connection, _: object) -> None:
        # A full disk makes SQLite roll back by itself: there is no transaction left to end.
        connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(sqlite_module, "insert", full)
    with pytest.raises(LedgerUnavailable, match="disk is full"):
        memory.lose({"q": "q > 1"}, offers=at(COST))
    monkeypatch.undo()
    assert memory.spent() == FREE
    answer(memory, "q")


def test_nothing_is_written_without_a_transaction(memory: Ledger) -> None:
    def losing(digests: tuple[str, ...]) -> list[Offer]:
        connection(memory).execute("ROLLBACK")
        return at(COST)(digests)

    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        memory.lose({"q": "q > 1"}, offers=losing)
    assert memory.spent() == FREE
    assert memory.verify() == 1


# Processes and threads ------------------------------------------------------------------------


def test_the_copy_of_a_ledger_in_another_process_is_refused(
    memory: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    for use in (memory.spent, memory.draws, memory.answers, lambda: lose(memory, "q")):
        with pytest.raises(LedgerUnavailable, match="was opened by another process"):
            use()
    monkeypatch.undo()
    assert memory.verify() == 1


FORKING = """
import os, sys
from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.ledger import Ledger
from ledger.books import COST, OPENING, answer, at
ledger = Ledger.create(sys.argv[1], OPENING)
answer(ledger, "p")
child = os.fork()
if child == 0:
    try:
        ledger.lose({"q": "q > 1"}, offers=at(COST))
    except LedgerUnavailable:
        os._exit(7)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert ledger.spent() == COST
answer(ledger, "r")
assert ledger.verify() == 5
print("done")
"""


def script(text: str, *arguments: str) -> subprocess.Popen[str]:
    tests = str(Path(__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-c", text, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([SOURCE, tests])},
    )


@pytest.mark.parametrize("place", ["file", MEMORY])
def test_a_forked_process_is_refused_and_the_parent_goes_on(place: str, path: Path) -> None:
    child = script(FORKING, str(path) if place == "file" else MEMORY)
    assert child.communicate()[0] == "done\n"
    assert child.returncode == 0


@pytest.mark.parametrize(
    "use",
    [
        lambda ledger: lose(ledger, "q"),
        Ledger.spent,
        Ledger.entries,
        Ledger.verify,
    ],
    ids=["lose", "spent", "entries", "verify"],
)
def test_a_copied_connection_is_never_used(
    use: Callable[[Ledger], object], memory: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    connection(memory).set_trace_callback(used.append)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(LedgerUnavailable):
        use(memory)
    assert used == []


GREEDY = """
import sys, time
from pathlib import Path
from peekproof.ledger.ledger import Ledger, Written
from ledger.books import COST, at
ledger = Ledger.open(sys.argv[1])
print("ready", flush=True)
while not Path(sys.argv[2]).exists():
    time.sleep(0.001)
got = 0
while True:
    name = f"{sys.argv[3]}-{got}"
    found = ledger.lose({name: "x > 1"}, offers=at(COST))
    if not isinstance(found, Written):
        break
    got += 1
print(got)
"""


def test_eight_processes_share_exactly_what_is_affordable(
    path: Path, tmp_path: Path, opened: Opened
) -> None:
    ledger, go = opened(path), tmp_path / "go"
    answer(ledger, "first")
    children = [script(GREEDY, str(path), str(go), str(number)) for number in range(8)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    go.touch()
    got = [int(child.communicate()[0]) for child in children]
    assert [child.returncode for child in children] == [0] * 8
    assert sum(got) == AFFORDABLE - 1
    assert ledger.spent() == BUDGET
    assert ledger.verify() == 3 + AFFORDABLE - 1


@pytest.mark.parametrize("shared", [True, False], ids=["one handle", "a handle each"])
def test_threads_share_exactly_what_is_affordable(shared: bool, path: Path, opened: Opened) -> None:
    ledger = opened(path)
    handles = [ledger if shared else opened(path) for _ in range(8)]
    start, got = threading.Barrier(8), [0] * 8

    def greedy(number: int) -> None:
        start.wait()
        name = f"{number}-0"
        while isinstance(
            found := handles[number].lose({name: "x > 1"}, offers=at(COST)),
            Written,
        ):
            handles[number].recover(found, {name: Fraction(number, 8)})
            got[number] += 1
            name = f"{number}-{got[number]}"

    threads = [threading.Thread(target=greedy, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(got) == AFFORDABLE
    assert ledger.spent() == BUDGET
    assert len(ledger.answers()) == AFFORDABLE
    assert ledger.verify() == 1 + 2 * AFFORDABLE


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_file_that_lost_its_name_answers_nothing_more(how: str, tmp_path: Path) -> None:
    path, other = tmp_path / "a.peekproof", tmp_path / "b.peekproof"
    with closing(Ledger.create(str(path), OPENING)) as ledger:
        pending = lose(ledger, "a")
        if how == "removed":
            path.unlink()
        else:
            path.rename(other)
        if how == "replaced":
            Ledger.create(str(path), OPENING).close()
        for attempt in (
            lambda: lose(ledger, "b"),
            lambda: ledger.recover(pending, {"a": Fraction(1, 2)}),
        ):
            with pytest.raises(LedgerUnavailable, match="was removed or replaced while it was"):
                attempt()


def test_a_file_is_found_again_from_another_folder_and_under_its_name_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with closing(Ledger.create("a.peekproof", OPENING)) as ledger:
        monkeypatch.chdir(tmp_path / "elsewhere")
        lose(ledger, "a")
        path = tmp_path / "a.peekproof"
        path.rename(tmp_path / "b.peekproof")
        with pytest.raises(LedgerUnavailable):
            lose(ledger, "b")
        (tmp_path / "b.peekproof").rename(path)
        lose(ledger, "b")
        assert ledger.draws() == 2

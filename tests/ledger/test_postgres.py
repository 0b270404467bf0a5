from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

import peekproof
from ledger.books import COST, OPENING, answer, at, lose
from ledger.postgres_server import Database
from peekproof.core.errors import (
    LedgerDamaged,
    LedgerMismatch,
    LedgerUnavailable,
)
from peekproof.ledger import postgres as postgres_module
from peekproof.ledger.entry import follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.postgres import PostgresStore
from peekproof.ledger.snapshot import taken
from peekproof.ledger.store import Snapshot

FIRST = follow(None, "open", OPENING.to_body())


@pytest.fixture
def place(database: Database) -> str:
    return database.place("people")


@pytest.fixture
def store(place: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore.create(place, FIRST)) as made:
        yield made


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with closing(Ledger.create(place, OPENING)) as made:
        yield made


def connection(store: PostgresStore) -> psycopg.Connection:
    assert store._connection is not None
    return store._connection


# Making ---------------------------------------------------------------------------------------


def test_looking_for_a_ledger_makes_nothing(place: str, database: Database) -> None:
    assert not Ledger.exists(place)
    with pytest.raises(LedgerUnavailable, match="is not in this database"):
        Ledger.open(place)
    with closing(database.connect()) as direct:
        assert direct.execute("SELECT to_regnamespace('peekproof')").fetchone() == (None,)


def test_ledgers_of_one_database_are_apart(database: Database, ledger: Ledger) -> None:
    other = replace(OPENING, fingerprint="pp1-other")
    with closing(Ledger.create(database.place("other"), other)) as second:
        answer(ledger, "p", "q")
        answer(second, "p")
        assert (ledger.draws(), second.draws()) == (2, 1)
        assert (ledger.verify(), second.verify()) == (3, 3)


def test_the_same_data_has_no_second_name(database: Database, ledger: Ledger) -> None:
    answer(ledger, "p")
    with pytest.raises(LedgerMismatch) as caught:
        Ledger.create(database.place("again"), OPENING)
    told = str(caught.value)
    assert "records this data under the name people, but this session has the name again" in told
    assert "continue with ledger=people" in told
    assert not Ledger.exists(database.place("again"))


COPY = """
    INSERT INTO peekproof.ledger (name, fingerprint) VALUES ('copy', 'something else');
    INSERT INTO peekproof.entry SELECT l.id, e.sequence, e.kind, e.body, e.digest
        FROM peekproof.entry e, peekproof.ledger l WHERE l.name = 'copy' AND e.sequence = 1;
"""


def test_a_copy_under_another_name_is_refused(database: Database, ledger: Ledger) -> None:
    database.execute(COPY)
    with pytest.raises(LedgerMismatch, match="under the name people"):
        Ledger.open(database.place("copy"))
    database.execute("UPDATE peekproof.ledger SET fingerprint = 'moved' WHERE name = 'people'")
    for name in ("copy", "people"):
        with pytest.raises(LedgerDamaged, match="registered for other data"):
            Ledger.open(database.place(name))


def test_a_ledger_without_entries_is_damaged(database: Database, ledger: Ledger) -> None:
    database.execute("DELETE FROM peekproof.entry")
    with pytest.raises(LedgerDamaged, match="has no entries"):
        Ledger.open(database.place("people"))


def in_threads(*jobs: Callable[[], object]) -> list[object]:
    """What each job gave or raised, all run at once."""
    start, results = threading.Barrier(len(jobs)), list[object]([None] * len(jobs))

    def run(index: int, job: Callable[[], object]) -> None:
        start.wait()
        try:
            results[index] = job()
        except BaseException as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=each) for each in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_all_who_make_ledgers_at_once_agree(database: Database) -> None:
    def make(number: int) -> Callable[[], str]:
        opening = replace(OPENING, fingerprint=f"pp1-{number % 4}", rows=number + 1)

        def made() -> str:
            with closing(Ledger.create(database.place(f"data {number % 4}"), opening)) as ledger:
                return f"{ledger.opening.fingerprint} {ledger.opening.rows}"

        return made

    got = in_threads(*(make(number) for number in range(16)))
    assert all(isinstance(each, str) for each in got), got
    assert len(set(got)) == 4


def test_one_of_many_names_for_the_same_data_wins(database: Database) -> None:
    def make(number: int) -> Callable[[], str]:
        def made() -> str:
            with closing(Ledger.create(database.place(f"name {number}"), OPENING)) as ledger:
                return ledger.place

        return made

    got = in_threads(*(make(number) for number in range(8)))
    assert sum(isinstance(each, str) for each in got) == 1
    assert sum(isinstance(each, LedgerMismatch) for each in got) == 7


# Formats --------------------------------------------------------------------------------------


def test_tables_that_lost_their_format_are_damaged(
    place: str, database: Database, ledger: Ledger
) -> None:
    database.execute("DELETE FROM peekproof.format")
    for use in (Ledger.exists, Ledger.open):
        with pytest.raises(LedgerDamaged, match="lost its format"):
            use(place)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE peekproof.entry",
        "DROP TABLE peekproof.ledger CASCADE",
        "ALTER TABLE peekproof.entry RENAME COLUMN body TO text",
    ],
)
def test_changed_tables_are_damage(change: str, database: Database, ledger: Ledger) -> None:
    database.execute(change)
    with pytest.raises(LedgerDamaged, match="is damaged"):
        Ledger.open(database.place("people"))


# Writing --------------------------------------------------------------------------------------


def test_a_write_is_two_round_trips(store: PostgresStore, tmp_path: Path) -> None:
    pgconn = connection(store).pgconn
    with (tmp_path / "trace").open("w+") as trace:
        pgconn.trace(trace.fileno())
        store.begin(after=1)
        store.commit([follow(FIRST, "refuse", {"asked": 1})])
        pgconn.untrace()
        trace.seek(0)
        # The last column but the message tells who speaks: F asks, B answers.
        speakers = [line.split("\t")[1] for line in trace if line.count("\t") > 1]
    turns = sum(a == "F" and b == "B" for a, b in pairwise(speakers))
    assert turns == 2


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("synchronous_commit", "off"),
        ("default_transaction_isolation", "serializable"),
        ("default_transaction_read_only", "on"),
    ],
)
def test_a_write_is_durable_whatever_the_database_prefers(
    setting: str, value: str, database: Database
) -> None:
    uri = f"{database.uri}&options=-c%20{setting}%3D{value}"
    with closing(PostgresStore.create(f"{uri}&ledger=people", FIRST)) as store:
        shown = f"SELECT current_setting('{setting}')".encode()
        assert connection(store).execute(shown).fetchone() == (value,)
        store.begin(after=1)
        asked = "synchronous_commit", "transaction_isolation", "transaction_read_only"
        row = connection(store).execute(
            "SELECT current_setting(%s), current_setting(%s), current_setting(%s)", asked
        )
        assert row.fetchone() == ("on", "read committed", "off")
        store.commit([follow(FIRST, "refuse", {"asked": 1})])
        assert len(store.read(after=0, most=9)) == 2


def test_a_lock_held_by_someone_else_is_named_and_nothing_is_charged(
    store: PostgresStore, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "LOCK_SECONDS", 0.05)
    reservation = lose(ledger, "p")
    store.begin(after=2)
    with pytest.raises(LedgerUnavailable, match="is locked by another process"):
        ledger.lose({"q": "q > 1"}, offers=at(COST))
    with pytest.raises(LedgerUnavailable, match="is locked by another process"):
        ledger.recover(reservation, {"p": Fraction(1, 2)})
    assert ledger.spent() == COST
    store.rollback()
    ledger.recover(reservation, {"p": Fraction(1, 2)})
    answer(ledger, "q")
    assert ledger.verify() == 5


def test_a_process_that_holds_the_lock_and_sleeps_loses_it(
    store: PostgresStore, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "IDLE_SECONDS", 0.05)
    store.begin(after=1)
    answer(ledger, "p")  # waits, and is let in
    with pytest.raises(LedgerUnavailable):
        store.commit([follow(FIRST, "refuse", {"asked": 1})])
    store.rollback()
    assert ledger.verify() == 3
    assert len(store.begin(after=1)) == 2
    store.rollback()


def test_nothing_is_written_without_a_transaction(store: PostgresStore) -> None:
    second = follow(FIRST, "refuse", {"asked": 1})
    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        store.commit([second])
    store.begin(after=1)
    connection(store).execute("ROLLBACK")
    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        store.commit([second])
    store.begin(after=1)
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection(store).execute("SELECT * FROM nowhere")
    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        store.commit([second])  # the server would answer COMMIT with ROLLBACK
    store.rollback()
    assert store.read(after=0, most=9) == [FIRST]


def test_a_commit_that_the_server_did_not_make_is_none(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "_COMMIT", "ROLLBACK")
    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        lose(ledger, "q")
    monkeypatch.undo()
    assert ledger.draws() == 0


def test_a_transaction_is_not_begun_twice(store: PostgresStore) -> None:
    store.begin(after=1)
    with pytest.raises(LedgerUnavailable, match="is being written already"):
        store.begin(after=1)
    store.rollback()
    store.begin(after=1)
    store.rollback()


def test_an_entry_that_is_there_is_not_written_again(store: PostgresStore) -> None:
    store.begin(after=1)
    with pytest.raises(LedgerDamaged, match="duplicate key"):
        store.commit([FIRST])
    store.rollback()
    assert store.read(after=0, most=9) == [FIRST]


def test_entries_that_vanish_stop_the_next_charge(database: Database, ledger: Ledger) -> None:
    answer(ledger, "p")
    database.execute("DELETE FROM peekproof.entry WHERE sequence = 3")
    with pytest.raises(LedgerDamaged, match="lost entry 3"):
        lose(ledger, "q")


def test_an_older_snapshot_does_not_replace_a_newer_one(ledger: Ledger, place: str) -> None:
    answer(ledger, "p")
    older = taken(ledger.look())
    answer(ledger, "q")
    newer = taken(ledger.look())
    with closing(PostgresStore.open(place)) as store:
        store.save(newer, [("p", 3), ("q", 5)])
        store.save(older, [("p", 3)])
        assert store.snapshot() == newer
    assert ledger.verify() == 5


def test_a_snapshot_that_cannot_be_saved_leaves_nothing(store: PostgresStore) -> None:
    with pytest.raises(LedgerDamaged):
        store.save(Snapshot(1, "{}", b""), [("p", None)])  # type: ignore[list-item]
    assert store.snapshot() is None
    store.begin(after=1)
    store.rollback()


def test_a_closed_store_stays_closed(store: PostgresStore) -> None:
    store.close()
    for use in (lambda: store.begin(after=1), lambda: store.read(after=0, most=1), store.snapshot):
        with pytest.raises(LedgerUnavailable, match="was closed"):
            use()
    store.rollback()


# Rights ---------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "share-a-ledger.md"


def granted(role: str) -> str:
    """The statements that the documentation gives the custodian."""
    _, _, rest = PAGE.read_text().partition("```sql\n")
    return rest.partition("```")[0].replace("analysts", role)


@pytest.fixture
def analyst(database: Database, ledger: Ledger) -> Iterator[str]:
    """The place for a user who has only what the documentation grants."""
    role = f"analysts_{os.getpid()}"  # roles belong to the whole server
    database.execute(granted(role))
    yield f"{database.uri}&options=-c%20role%3D{role}&ledger=people"
    database.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_what_the_documentation_grants_is_enough(
    analyst: str, database: Database, ledger: Ledger
) -> None:
    with closing(Ledger.open(analyst)) as mine:
        answer(mine, "p")
        with closing(PostgresStore.open(analyst)) as store:
            for upto in (3, 5):
                store.save(taken(mine.look()), [(f"q{upto}", 3)])
                answer(mine, f"q{upto}")
        assert mine.draws() == ledger.draws() == 3
    other = analyst.replace("ledger=people", "ledger=new")
    with closing(Ledger.create(other, replace(OPENING, fingerprint="pp1-new"))) as made:
        answer(made, "p")
        assert made.verify() == 3


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE peekproof.entry SET body = '{}'",
        "DELETE FROM peekproof.entry",
        "TRUNCATE peekproof.entry",
        "UPDATE peekproof.ledger SET name = 'x'",
        "DELETE FROM peekproof.settled",
        "UPDATE peekproof.format SET version = 0",
        "DROP SCHEMA peekproof CASCADE",
    ],
)
def test_what_the_documentation_grants_is_not_more(
    change: str, analyst: str, ledger: Ledger
) -> None:
    with closing(PostgresStore.open(analyst)) as store, pytest.raises(psycopg.ProgrammingError):
        connection(store).execute(change.encode())
    assert ledger.verify() == 1


def test_missing_rights_are_named(database: Database, ledger: Ledger) -> None:
    role = f"strangers_{os.getpid()}"
    database.execute(f"CREATE ROLE {role}")
    place = f"{database.uri}&options=-c%20role%3D{role}&ledger=people"
    try:
        for use in (Ledger.exists, Ledger.open):
            with pytest.raises(LedgerUnavailable, match="permission denied"):
                use(place)
    finally:
        database.execute(f"DROP ROLE {role}")


# Processes ------------------------------------------------------------------------------------

FORKING = """
import gc, os, sys
from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.ledger import Ledger
from ledger.books import OPENING, answer
ledger = Ledger.create(sys.argv[1], OPENING)
answer(ledger, "p")
child = os.fork()
if child == 0:
    try:
        answer(ledger, "q")
    except LedgerUnavailable:
        ledger.close()
        del ledger
        gc.collect()
        os._exit(7)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
backend = ledger._log._store._connection.info.backend_pid
answer(ledger, "r")
assert ledger._log._store._connection.info.backend_pid == backend
assert ledger.verify() == 5
print("done")
"""


def test_a_forked_process_is_refused_and_the_parent_goes_on(place: str) -> None:
    paths = [Path(peekproof.__file__).parent.parent, Path(__file__).parent.parent]
    child = subprocess.run(
        [sys.executable, "-c", FORKING, place],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
    )
    assert child.stdout == "done\n"

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast.accounting.session_gate import SessionGate
from holdfast.core.charge import Charge, Offer, added
from holdfast.core.errors import (
    HoldfastError,
    LedgerDamaged,
    LedgerError,
    LedgerTooNew,
    LedgerUnavailable,
)
from holdfast.core.gate import Admitted, Refused
from holdfast.core.loss import FREE, GDP
from holdfast.ledger import sqlite as sqlite_module
from holdfast.ledger.entry import Entry
from holdfast.ledger.file import MEMORY
from holdfast.ledger.ledger import Ledger, Reservation
from holdfast.ledger.opening import FORMAT
from holdfast.ledger.record import Settled
from holdfast.ledger.sqlite import SqliteStore
from ledger.books import (
    AFFORDABLE,
    BUDGET,
    COST,
    GATE,
    OPENING,
    Line,
    answer,
    at,
    chained,
    lines,
    overwrite,
    reserve,
    without_privileges,
)

Opened = Callable[[Path], Ledger]


def connection(ledger: Ledger) -> sqlite3.Connection:
    store = ledger._log._store
    if not isinstance(store, SqliteStore):
        raise TypeError("another engine")
    return store._connection


SOURCE = str(Path(holdfast.__file__).parent.parent)


# Charging -------------------------------------------------------------------------------------


def test_a_new_ledger_has_its_whole_budget(memory: Ledger) -> None:
    assert memory.opening == OPENING
    assert (memory.spent(), memory.draws(), dict(memory.answers())) == (FREE, 0, {})
    assert memory.verify() == 1


def test_a_reservation_charges_each_question_exactly(memory: Ledger) -> None:
    reservation = reserve(memory, "p", "q")
    assert reservation == Reservation(2, ("p", "q"), (Offer(cost=COST),) * 2, 0, FREE)
    assert reserve(memory, "r").first == 2
    memory.close()


def test_a_reservation_is_recorded_in_full(memory: Ledger) -> None:
    reserve(memory, "p", "q")
    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.draws() == 2
    assert memory.answers() == {}
    assert lines(memory)[1] == (
        "reserve",
        {
            "questions": [{"digest": "p", "text": "p > 1"}, {"digest": "q", "text": "q > 1"}],
            "cost": "1/3",
            "spent": "2/3",
        },
    )


def test_a_settlement_records_the_answers_and_costs_nothing(memory: Ledger) -> None:
    answer(memory, "p", "q")
    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.answers() == {
        "p": Settled("p > 1", Fraction(1, 2)),
        "q": Settled("q > 1", Fraction(1, 3)),
    }
    assert lines(memory)[2] == ("settle", {"reserve": 2, "answers": {"p": "1/2", "q": "1/3"}})
    assert memory.seen.answers == memory.answers()


def test_settled_questions_are_not_charged_again(memory: Ledger) -> None:
    answer(memory, "p")
    assert reserve(memory, "p") == Reservation(0, ())
    assert reserve(memory, "p", "q").digests == ("q",)
    assert memory.draws() == 2


def test_questions_that_were_never_settled_are_charged_again(memory: Ledger) -> None:
    reserve(memory, "p")
    assert reserve(memory, "p").digests == ("p",)
    assert memory.draws() == 2


def test_nothing_to_settle_writes_nothing(memory: Ledger) -> None:
    memory.settle(Reservation(0, ()), {})
    assert memory.verify() == 1


def test_the_last_unit_is_for_sale_and_a_refusal_is_free(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    answer(ledger, *(f"q{i}" for i in range(AFFORDABLE - 1)))
    before = lines(ledger)
    both = {"y": "y > 1", "z": "z > 1"}
    assert ledger.reserve(both, offers=at(COST), gate=GATE) == Refused(BUDGET)
    refused = {"asked": 2, "questions": [{"digest": k, "text": t} for k, t in both.items()]}
    assert lines(ledger) == [*before, ("refuse", refused)]
    answer(ledger, "z")
    assert ledger.spent() == BUDGET
    assert ledger.reserve({"y": "y > 1"}, offers=at(COST), gate=GATE) == Refused(BUDGET)
    # Nothing new is asked: no gate needs to be passed.
    assert reserve(ledger, "z") == Reservation(0, ())


def test_the_gate_sees_the_whole_charge_and_the_exact_total(memory: Ledger) -> None:
    seen: list[tuple[Charge, Charge]] = []

    class Watching:
        def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
            seen.append((cost, spent))
            return Admitted(added(spent, cost))

    for names in (("p",), ("q", "r")):
        memory.reserve(dict.fromkeys(names, "x > 1"), offers=at(COST), gate=Watching())
    assert seen == [(COST, FREE), (COST * 2, COST)]


def test_two_handles_that_drew_the_same_question_keep_the_first_settled(
    path: Path, opened: Opened
) -> None:
    one, other = opened(path), opened(path)
    first, second = reserve(one, "q"), reserve(other, "q")
    assert one.spent() == other.spent() == COST * 2
    other.settle(second, {"q": Fraction(1, 2)})
    one.settle(first, {"q": Fraction(1, 3)})
    for ledger in (one, other, opened(path)):
        assert ledger.answers()["q"].value == Fraction(1, 2)
        assert ledger.verify() == 5


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),  # which handle acts
        st.lists(st.sampled_from("pqrs"), min_size=1, max_size=3, unique=True),
        st.booleans(),  # whether it settles
    ),
    max_size=12,
)


@given(STEPS)
def test_any_sequence_of_two_handles_agrees_with_a_model(
    steps: list[tuple[int, list[str], bool]],
) -> None:
    # Two ledgers on one in-memory database stand for two processes on one file.
    with closing(Ledger.create(MEMORY, OPENING)) as one:
        handles = [one, Ledger(one._log._store)]
        spent, answers = 0, dict[str, Fraction]()
        for number, (index, names, settles) in enumerate(steps):
            fresh = [name for name in names if name not in answers]
            found = handles[index].reserve(dict.fromkeys(names, "x"), offers=at(COST), gate=GATE)
            if spent + len(fresh) > AFFORDABLE:
                assert found == Refused(BUDGET)
                continue
            assert isinstance(found, Reservation)
            assert list(found.digests) == fresh
            spent += len(fresh)
            if settles:
                values = {name: Fraction(number, 64) for name in fresh}
                handles[index].settle(found, values)
                answers |= values
        for handle in handles:
            assert handle.spent() == COST * spent
            assert handle.draws() == spent
            assert {key: each.value for key, each in handle.answers().items()} == answers
            handle.verify()


def test_reopening_continues(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    answer(ledger, "p")
    pending = reserve(ledger, "q")
    ledger.close()
    again = opened(path)
    assert again.opening == OPENING
    assert again.spent() == COST * 2
    assert set(again.answers()) == {"p"}
    again.settle(pending, {"q": Fraction(1)})
    assert set(again.answers()) == {"p", "q"}


# Misuse ---------------------------------------------------------------------------------------


def test_a_reservation_is_settled_once(memory: Ledger) -> None:
    reservation = reserve(memory, "q")
    memory.settle(reservation, {"q": Fraction(1, 2)})
    with pytest.raises(HoldfastError):
        memory.settle(reservation, {"q": Fraction(1, 3)})
    assert memory.verify() == 3
    assert memory.answers()["q"].value == Fraction(1, 2)


def test_an_unknown_reservation_is_not_settled(memory: Ledger) -> None:
    with pytest.raises(HoldfastError):
        memory.settle(Reservation(99, ("q",)), {"q": Fraction(1, 2)})
    assert memory.verify() == 1


def test_a_gate_wider_than_the_budget_cannot_overspend(memory: Ledger) -> None:
    wide = SessionGate.within(BUDGET * 2)
    found = memory.reserve({"q": "q > 1"}, offers=at(BUDGET * 2), gate=wide)
    assert found == Refused(BUDGET)
    assert memory.spent() == FREE
    assert memory.verify() == 2


@pytest.mark.parametrize("digests", [("z",), ("p",)])
def test_a_reservation_is_settled_for_its_own_questions(
    digests: tuple[str, ...], memory: Ledger
) -> None:
    reservation = reserve(memory, "p", "q")
    other = Reservation(reservation.sequence, digests)
    with pytest.raises(HoldfastError):
        memory.settle(other, dict.fromkeys(digests, Fraction(1, 2)))
    assert memory.verify() == 2


def test_a_gate_that_forgets_the_cost_cannot_make_it_free(memory: Ledger) -> None:
    class Forgetful:
        def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
            return Admitted(spent)

    memory.reserve({"q": "q > 1"}, offers=at(COST), gate=Forgetful())
    assert memory.spent() == COST
    assert memory.verify() == 2


def test_a_missing_value_settles_nothing(memory: Ledger) -> None:
    reservation = reserve(memory, "p", "q")
    with pytest.raises(KeyError):
        memory.settle(reservation, {"p": Fraction(1, 2)})
    assert memory.verify() == 2
    memory.settle(reservation, {"p": Fraction(1, 2), "q": Fraction(1, 2)})
    assert memory.verify() == 3


def test_a_closed_ledger_says_that_it_is_closed() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    ledger.close()
    with pytest.raises(LedgerUnavailable, match="closed"):
        ledger.spent()


# Damage ---------------------------------------------------------------------------------------


def eventful(ledger: Ledger) -> None:
    answer(ledger, "p", "q")
    answer(ledger, "r")
    reserve(ledger, "s")


@pytest.fixture
def closed(path: Path) -> Path:
    """The file of a ledger with six entries that nobody has open."""
    ledger = Ledger.create(str(path), OPENING)
    eventful(ledger)
    ledger.close()
    assert list(path.parent.iterdir()) == [path]
    return path


def refused(path: Path) -> LedgerError:
    with pytest.raises(LedgerError) as caught:
        Ledger.open(str(path)).close()
    assert str(path) in str(caught.value)
    return caught.value


def test_the_damage_tests_start_from_a_sound_file(closed: Path, opened: Opened) -> None:
    assert opened(closed).verify() == 6


@pytest.mark.parametrize("column", ["kind", "body", "digest"])
def test_any_flipped_bit_in_any_field_is_noticed(column: str, memory: Ledger) -> None:
    eventful(memory)
    rows = connection(memory).execute(f"SELECT sequence, {column} FROM entry").fetchall()
    for sequence, content in rows:
        original = content if column == "digest" else content.encode()
        for position in range(len(original)):
            # Text keeps the top bit clear: text that is not UTF-8 has its own test below.
            bit = 1 << ((sequence + position) % (8 if column == "digest" else 7))
            flipped = bytearray(original)
            flipped[position] ^= bit
            value = bytes(flipped) if column == "digest" else flipped.decode()
            change = f"UPDATE entry SET {column} = ? WHERE sequence = ?"
            connection(memory).execute(change, (value, sequence))
            with pytest.raises(LedgerDamaged, match=f"entry {sequence} breaks the chain"):
                memory.verify()
            connection(memory).execute(change, (content, sequence))
    assert memory.verify() == 6


@pytest.mark.parametrize("column", ["kind", "body"])
def test_text_that_is_not_unicode_is_damage(column: str, closed: Path) -> None:
    with closing(sqlite3.connect(closed)) as connection, connection:
        connection.execute(f"UPDATE entry SET {column} = CAST(x'ff' || {column} AS TEXT)")
    assert isinstance(refused(closed), LedgerDamaged)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM entry WHERE sequence = 3", "lacks entry 3"),
        ("DELETE FROM entry WHERE sequence = 1", "lacks entry 1"),
        ("UPDATE entry SET sequence = 9 WHERE sequence = 4", "lacks entry 4"),
        ("UPDATE entry SET sequence = 0 WHERE sequence = 1", "lacks entry 1"),
        ("UPDATE entry SET body = NULL WHERE sequence = 0 OR 1", "constraint"),
        ("INSERT INTO entry SELECT 7, kind, body, digest FROM entry WHERE sequence = 6", "entry 7"),
        ("INSERT INTO entry VALUES (7, 'note', '{}', zeroblob(32))", "entry 7 breaks"),
        ("UPDATE entry SET body = CAST(body AS BLOB) WHERE sequence = 2", "entry 2 breaks"),
        ("UPDATE entry SET digest = zeroblob(32)", "entry 1 breaks"),
        ("DROP TABLE entry", "no such table"),
    ],
)
def test_edited_tables_are_noticed(statement: str, problem: str, closed: Path) -> None:
    with closing(sqlite3.connect(closed)) as connection:
        if problem == "constraint":
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
            return
        connection.execute(statement)
        connection.commit()
    error = refused(closed)
    assert isinstance(error, LedgerDamaged)
    assert problem in str(error)


def test_exchanged_entries_are_noticed(closed: Path) -> None:
    with closing(sqlite3.connect(closed)) as connection, connection:
        connection.execute("UPDATE entry SET sequence = -sequence WHERE sequence IN (2, 4)")
        connection.execute("UPDATE entry SET sequence = 6 + sequence WHERE sequence < 0")
    assert "entry 2 breaks the chain" in str(refused(closed))


def test_an_empty_table_is_noticed(closed: Path) -> None:
    overwrite(closed, [])
    assert isinstance(refused(closed), LedgerDamaged)


def forged(path: Path, change: Callable[[list[Line]], list[Line]]) -> Path:
    """The same file with a changed story and a chain that fits it."""
    with closing(Ledger.open(str(path))) as ledger:
        story = lines(ledger)
    overwrite(path, chained(change(story)))
    return path


def test_a_forged_chain_is_a_chain(closed: Path, opened: Opened) -> None:
    """So that the tests of forgeries below fail for the reason they say."""
    assert opened(forged(closed, lambda story: story)).verify() == 6


FORGERIES: dict[str, tuple[Callable[[list[Line]], list[Line]], str]] = {
    "overspent": (
        lambda s: [
            *s,
            (
                "reserve",
                {"questions": [{"digest": "z", "text": "z"}], "cost": "3", "spent": "13/3"},
            ),
        ],
        "entry 7 (more was reserved",
    ),
    "a charge that shrank": (
        lambda s: [s[0], ("reserve", {**s[1][1], "cost": "1/9"}), *s[2:]],
        "entry 2 (the recorded total",
    ),
    "a total that shrank": (
        lambda s: [*s[:3], ("reserve", {**s[3][1], "spent": "0"}), *s[4:]],
        "entry 4 (the recorded total",
    ),
    "a forgotten reservation": (lambda s: [s[0], *s[3:]], "entry 2 (the recorded total"),
    "a settlement of nothing": (lambda s: [s[0], s[2]], "entry 2"),
    "a second settlement": (lambda s: [*s, s[2]], "entry 7"),
    "a refund": (lambda s: [*s, ("refund", {"cost": "1/3"})], "kind 'refund' is unknown"),
    "a second opening": (lambda s: [*s, s[0]], "kind 'open' is unknown"),
    "a smaller budget": (lambda s: [("open", {**s[0][1], "budget": "1/2"}), *s[1:]], "entry 2"),
}


@pytest.mark.parametrize(("change", "problem"), FORGERIES.values(), ids=FORGERIES.keys())
def test_forgeries_with_a_sound_chain_are_noticed_by_their_sums(
    change: Callable[[list[Line]], list[Line]], problem: str, closed: Path
) -> None:
    error = refused(forged(closed, change))
    assert isinstance(error, LedgerDamaged)
    assert problem in str(error)


def test_a_ledger_of_a_newer_format_is_not_touched(closed: Path) -> None:
    error = refused(forged(closed, lambda s: [("open", {**s[0][1], "format": FORMAT + 1}), *s[1:]]))
    assert isinstance(error, LedgerTooNew)
    with closing(sqlite3.connect(closed)) as connection:
        connection.execute("PRAGMA user_version = 7")
        connection.commit()
    before = closed.read_bytes()
    newer = refused(closed)
    assert isinstance(newer, LedgerTooNew)
    assert newer.found == 7
    assert closed.read_bytes() == before


def test_a_truncated_file_is_never_a_fresh_budget(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    with closing(Ledger.create(str(whole), OPENING)) as ledger:
        for _ in range(AFFORDABLE):
            reserve(ledger, *["long " * 200])
    size = whole.stat().st_size
    assert size > 4 * 4096
    lengths = {0, 1, 15, 16, 99, 100, 511, 512, 1023, 4095, size - 1}
    lengths |= set(range(0, size, 4096)) | set(range(2048, size, 4096))
    for length in sorted(lengths):
        cut = tmp_path / f"cut-{length}"
        shutil.copy(whole, cut)
        os.truncate(cut, length)
        assert isinstance(refused(cut), LedgerDamaged | LedgerUnavailable)


def test_a_schema_that_is_not_unicode_is_damage(closed: Path) -> None:
    content = closed.read_bytes()
    assert content.count(b"TABLE entry") == 1
    closed.write_bytes(content.replace(b"TABLE entry", b"TABL\xc5 entry"))
    assert isinstance(refused(closed), LedgerDamaged)


def test_a_file_with_any_flipped_byte_is_refused_or_says_the_same(
    closed: Path, tmp_path: Path
) -> None:
    """Most bytes of the file are unused; the rest must not buy a single question."""
    with closing(Ledger.open(str(closed))) as ledger:
        story = lines(ledger)
    content = closed.read_bytes()
    used = [position for position, byte in enumerate(content) if byte]
    chance = random.Random(7)
    refusals = 0
    for number, position in enumerate(chance.sample(used, 250)):
        copy = tmp_path / f"flip-{number}"
        changed = bytearray(content)
        changed[position] ^= 1 << chance.randrange(7)  # the eighth: see the test above
        copy.write_bytes(changed)
        try:
            with closing(Ledger.open(str(copy))) as ledger:
                assert ledger.opening == OPENING
                assert lines(ledger) == story
        except LedgerError:
            refusals += 1
    assert refusals > 150


@pytest.mark.parametrize("content", [b"not a database", b"\0" * 8192, os.urandom(5000)])
def test_a_file_that_is_no_database_is_damaged(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert isinstance(refused(path), LedgerDamaged)
    assert path.read_bytes() == content


def test_another_database_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entry (sequence, kind, body, digest)")
    before = path.read_bytes()
    assert "is a database, but not a ledger" in str(refused(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["", "missing.holdfast"])
def test_what_is_no_file_is_unavailable(place: str, tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="is not a file"):
        Ledger.open(str(tmp_path / place))


def test_entries_lost_while_the_ledger_is_open_are_missed(memory: Ledger) -> None:
    eventful(memory)
    connection(memory).execute("DELETE FROM entry WHERE sequence > 4")
    with pytest.raises(LedgerDamaged, match="lost entries that were there before"):
        memory.verify()


def test_a_ledger_emptied_while_it_is_open_is_missed(memory: Ledger) -> None:
    connection(memory).execute("DELETE FROM entry")
    with pytest.raises(LedgerDamaged, match="has no entries"):
        memory.verify()


def test_a_history_exchanged_while_the_ledger_is_open_is_noticed(memory: Ledger) -> None:
    answer(memory, "p")
    with closing(Ledger.create(MEMORY, OPENING)) as other:
        answer(other, "q")
        rows = chained(lines(other))
    connection(memory).execute("DELETE FROM entry")
    connection(memory).executemany("INSERT INTO entry VALUES (?, ?, ?, ?)", rows)
    with pytest.raises(LedgerDamaged):
        memory.verify()


def test_a_thread_that_charges_during_verification_is_not_damage(
    memory: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = memory.entries

    def entries_and_then_a_charge() -> list[Entry]:
        found = entries()
        answer(memory, "q")  # what another thread may do at this moment
        return found

    monkeypatch.setattr(memory, "entries", entries_and_then_a_charge)
    assert memory.verify() == 1


def test_a_foreign_entry_stops_the_next_charge(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO entry VALUES (2, 'reserve', '{}', zeroblob(32))")
    with pytest.raises(LedgerDamaged, match="entry 2 breaks the chain"):
        ledger.reserve({"q": "q > 1"}, offers=at(COST), gate=GATE)
    assert len(ledger.entries()) == 2


# Trouble that passes --------------------------------------------------------------------------


def test_a_lock_held_by_someone_else_is_named_and_nothing_is_charged(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    ledger = opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable, match="is locked by another process"):
            ledger.reserve({"q": "q > 1"}, offers=at(COST), gate=GATE)
        other.execute("ROLLBACK")
    assert ledger.spent() == FREE
    answer(ledger, "q")
    assert ledger.verify() == 3


def test_a_settlement_that_cannot_be_written_can_be_repeated(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    ledger = opened(path)
    reservation = reserve(ledger, "q")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable):
            ledger.settle(reservation, {"q": Fraction(1, 2)})
        other.execute("ROLLBACK")
    assert ledger.spent() == COST
    ledger.settle(reservation, {"q": Fraction(1, 2)})
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
    path = public_folder / "x.holdfast"
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
        memory.reserve({"q": "q > 1"}, offers=at(COST), gate=GATE)
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
        memory.reserve({"q": "q > 1"}, offers=at(COST), gate=GATE)
    monkeypatch.undo()
    assert memory.spent() == FREE
    answer(memory, "q")


def test_nothing_is_written_without_a_transaction(memory: Ledger) -> None:
    class Lost:
        def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
            connection(memory).execute("ROLLBACK")
            return GATE.admit(cost, spent=spent)

    with pytest.raises(LedgerUnavailable, match="lost its transaction"):
        memory.reserve({"q": "q > 1"}, offers=at(COST), gate=Lost())
    assert memory.spent() == FREE
    assert memory.verify() == 1


# Processes and threads ------------------------------------------------------------------------


def test_the_copy_of_a_ledger_in_another_process_is_refused(
    memory: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    for use in (memory.spent, memory.draws, memory.answers, lambda: reserve(memory, "q")):
        with pytest.raises(LedgerUnavailable, match="was opened by another process"):
            use()
    monkeypatch.undo()
    assert memory.verify() == 1


FORKING = """
import os, sys
from holdfast.core.errors import LedgerUnavailable
from holdfast.ledger.ledger import Ledger
from ledger.books import COST, GATE, OPENING, answer, at
ledger = Ledger.create(sys.argv[1], OPENING)
answer(ledger, "p")
child = os.fork()
if child == 0:
    try:
        ledger.reserve({"q": "q > 1"}, offers=at(COST), gate=GATE)
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
        lambda ledger: reserve(ledger, "q"),
        Ledger.spent,
        Ledger.entries,
        Ledger.verify,
    ],
    ids=["reserve", "spent", "entries", "verify"],
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
from holdfast.ledger.ledger import Ledger, Reservation
from ledger.books import COST, GATE, at
ledger = Ledger.open(sys.argv[1])
print("ready", flush=True)
while not Path(sys.argv[2]).exists():
    time.sleep(0.001)
got = 0
while True:
    name = f"{sys.argv[3]}-{got}"
    found = ledger.reserve({name: "x > 1"}, offers=at(COST), gate=GATE)
    if not isinstance(found, Reservation):
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
    refusals = 8
    assert ledger.verify() == 3 + AFFORDABLE - 1 + refusals


@pytest.mark.parametrize("shared", [True, False], ids=["one handle", "a handle each"])
def test_threads_share_exactly_what_is_affordable(shared: bool, path: Path, opened: Opened) -> None:
    ledger = opened(path)
    handles = [ledger if shared else opened(path) for _ in range(8)]
    start, got = threading.Barrier(8), [0] * 8

    def greedy(number: int) -> None:
        start.wait()
        name = f"{number}-0"
        while isinstance(
            found := handles[number].reserve({name: "x > 1"}, offers=at(COST), gate=GATE),
            Reservation,
        ):
            handles[number].settle(found, {name: Fraction(number, 8)})
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
    refusals = 8
    assert ledger.verify() == 1 + 2 * AFFORDABLE + refusals

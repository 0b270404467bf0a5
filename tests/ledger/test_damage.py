"""A ledger in SQLite that was edited, forged, cut or exchanged is noticed."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ledger.books import (
    AFFORDABLE,
    COST,
    OPENING,
    Line,
    Opened,
    answer,
    at,
    chained,
    connection,
    eventful,
    lines,
    lose,
    overwrite,
    refused,
)
from peekproof.core.errors import (
    LedgerDamaged,
    LedgerError,
    LedgerTooNew,
    LedgerUnavailable,
)
from peekproof.ledger.entry import FORMAT, Entry
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY


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
            ("lost", {"questions": [{"digest": "z", "text": "z"}], "cost": "3", "spent": "13/3"}),
        ],
        "entry 7 (more was charged",
    ),
    "a charge that shrank": (
        lambda s: [s[0], ("lost", {**s[1][1], "cost": "1/9"}), *s[2:]],
        "entry 2 (the recorded total",
    ),
    "a total that shrank": (
        lambda s: [*s[:3], ("lost", {**s[3][1], "spent": "0"}), *s[4:]],
        "entry 4 (the recorded total",
    ),
    "a forgotten charge": (lambda s: [s[0], *s[3:]], "entry 2 (the recorded total"),
    "an answer to nothing": (lambda s: [s[0], s[2]], "entry 2"),
    "a second answer": (lambda s: [*s, s[2]], "entry 7"),
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
            lose(ledger, *["long " * 200])
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


@pytest.mark.parametrize("place", ["", "missing.peekproof"])
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
        ledger.lose({"q": "q > 1"}, offers=at(COST))
    assert len(ledger.entries()) == 2

"""Whatever is changed in an export or a stored ledger, someone who verifies it is told."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO, StringIO
from itertools import combinations
from pathlib import Path

import pytest

from ledger.books import COST, OPENING, answer, at, lose
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.entry import follow
from peekproof.ledger.export import (
    Identical,
    SecondContinues,
    difference,
    export,
    numbered,
    read_export,
)
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY, SqliteStore
from peekproof.ledger.state import OverLimit

Row = tuple[int, str, str, bytes]


def fill(ledger: Ledger) -> None:
    """An entry of every kind but `close`; twelve with the first."""
    answer(ledger, "a", "b")
    ledger.set_aside({"Ana": Fraction(1, 10)})
    ledger.override(reason="a test", against="pp1-0")
    answer(ledger, "c")
    texts = {"d": "d > 1", "e": "e > 1"}
    beyond = ledger.lose(texts, offers=at(COST), analyst="Ana")
    assert isinstance(beyond, OverLimit)
    answer(ledger, "f")
    lose(ledger, "g")
    answer(ledger, "h")


# Exports --------------------------------------------------------------------------------------


@pytest.fixture
def exported(memory: Ledger) -> bytes:
    answer(memory, "a")
    memory.retire()
    file = StringIO()
    export(memory, file)
    return file.getvalue().encode()


def detected(content: bytes) -> bool:
    try:
        list(numbered(BytesIO(content), place="people.jsonl"))
    except LedgerDamaged:
        return True
    return False


def test_any_flipped_bit_of_an_export_is_noticed(exported: bytes) -> None:
    assert not detected(exported)
    for index, byte in enumerate(exported):
        for bit in range(8):
            content = exported[:index] + bytes([byte ^ (1 << bit)]) + exported[index + 1 :]
            assert detected(content), (index, bit, content[max(0, index - 9) : index + 9])


def test_any_byte_of_an_export_left_out_or_doubled_is_noticed(exported: bytes) -> None:
    for index in range(len(exported)):
        before, byte, after = exported[:index], exported[index : index + 1], exported[index + 1 :]
        assert detected(before + after), index
        assert detected(before + byte + byte + after), index


def test_any_line_of_an_export_left_out_doubled_or_exchanged_is_noticed(exported: bytes) -> None:
    whole = exported.splitlines(keepends=True)
    for index, line in enumerate(whole):
        assert detected(b"".join(whole[:index] + whole[index + 1 :]))
        assert detected(b"".join([*whole[:index], line, *whole[index:]]))
    for first, second in combinations(range(len(whole)), 2):
        exchanged = list(whole)
        exchanged[first], exchanged[second] = whole[second], whole[first]
        assert detected(b"".join(exchanged))


# Stored ledgers -------------------------------------------------------------------------------


class Stored:
    """A ledger in memory with a snapshot after all but its last entries, to be meddled with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = follow(None, "open", OPENING.to_body())
        self.store = SqliteStore.create(MEMORY, first)
        self.run = self.store._connection.execute
        ledger = Ledger(self.store)
        fill(ledger)
        monkeypatch.setattr("peekproof.ledger.log._DUE", 2)
        ledger.override(reason="another", against="pp1-1")
        monkeypatch.undo()
        answer(ledger, "i")
        self.rows: list[Row] = self.run("SELECT * FROM entry ORDER BY sequence").fetchall()
        self.snapshot = self.run("SELECT * FROM snapshot").fetchone()
        self.index = self.run("SELECT * FROM settled ORDER BY digest").fetchall()

    def sound(self) -> bool:
        """Whether someone who opens and verifies it finds nothing."""
        try:
            Ledger(self.store).verify()
        except LedgerDamaged:
            return False
        return True

    def restore(self) -> None:
        for table in ("entry", "snapshot", "settled"):
            self.run(f"DELETE FROM {table}")
        self.put(self.rows)
        self.run("INSERT INTO snapshot VALUES (?, ?, ?)", self.snapshot)
        for row in self.index:
            self.run("INSERT INTO settled VALUES (?, ?)", row)

    def put(self, rows: list[Row]) -> None:
        self.run("DELETE FROM entry")
        for row in rows:
            self.run("INSERT INTO entry VALUES (?, ?, ?, ?)", row)


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stored]:
    found = Stored(monkeypatch)
    yield found
    found.store.close()


def renumbered(rows: list[Row]) -> list[Row]:
    return [(number, *row[1:]) for number, row in enumerate(rows, start=1)]


def test_the_stored_ledger_is_sound_and_has_a_snapshot_and_an_index(stored: Stored) -> None:
    assert stored.sound()
    assert len(stored.rows) == 15
    assert stored.snapshot[0] == 13
    assert [name for name, _ in stored.index] == ["a", "b", "c", "f", "h"]
    stored.restore()
    assert stored.sound()


def test_any_entry_left_out_doubled_or_exchanged_is_noticed(stored: Stored) -> None:
    rows = stored.rows
    for index in range(len(rows) - 1):
        stored.put(rows[:index] + rows[index + 1 :])
        assert not stored.sound(), index
        stored.put(renumbered(rows[:index] + rows[index + 1 :]))
        assert not stored.sound(), index
    for index, row in enumerate(rows):
        for place in range(len(rows) + 1):
            stored.put(renumbered([*rows[:place], row, *rows[place:]]))
            assert not stored.sound(), (index, place)
    for first, second in combinations(range(len(rows)), 2):
        exchanged = list(rows)
        exchanged[first], exchanged[second] = rows[second], rows[first]
        stored.put(renumbered(exchanged))
        assert not stored.sound(), (first, second)


def test_an_end_that_is_missing_is_told_by_the_snapshot_or_by_an_export(
    stored: Stored, tmp_path: Path
) -> None:
    """A chain cannot miss its own end; whoever keeps an export can."""
    path = tmp_path / "kept.jsonl"
    with path.open("w", encoding="utf-8") as file:
        export(Ledger(stored.store), file)
    for kept in range(1, len(stored.rows)):
        stored.put(stored.rows[:kept])
        if kept < stored.snapshot[0]:
            assert not stored.sound(), kept
            continue
        entries = Ledger(stored.store).entries()
        missing = len(stored.rows) - kept
        assert difference(entries, read_export(path)) == SecondContinues(kept, missing)
    stored.restore()
    entries = Ledger(stored.store).entries()
    assert difference(entries, read_export(path)) == Identical(len(stored.rows))


def flips(content: bytes) -> Iterator[bytes]:
    """One changed bit in each byte; in a letter the one that tells capitals apart."""
    for index, byte in enumerate(content):
        bit = 0x20 if chr(byte).isalpha() else 1 << index % 8
        yield content[:index] + bytes([byte ^ bit]) + content[index + 1 :]


def test_any_changed_byte_of_the_snapshot_is_noticed(stored: Stored) -> None:
    _, text, digest = stored.snapshot
    for changed in flips(text.encode()):
        stored.run("UPDATE snapshot SET body = CAST(? AS TEXT)", (changed,))
        assert not stored.sound(), changed
    stored.restore()
    assert stored.sound()
    for changed in flips(digest):
        stored.run("UPDATE snapshot SET digest = ?", (changed,))
        assert not stored.sound(), changed


def test_a_snapshot_at_another_entry_is_noticed(stored: Stored) -> None:
    for sequence in (*range(-1, stored.snapshot[0]), *range(stored.snapshot[0] + 1, 20), 2**40):
        stored.run("UPDATE snapshot SET sequence = ?", (sequence,))
        assert not stored.sound(), sequence


def test_any_change_of_the_index_is_noticed(stored: Stored) -> None:
    for digest, sequence in stored.index:
        stored.run("DELETE FROM settled WHERE digest = ?", (digest,))
        assert not stored.sound(), digest
        for other in {*range(1, 18), *(number for _, number in stored.index)} - {sequence}:
            stored.run("INSERT OR REPLACE INTO settled VALUES (?, ?)", (digest, other))
            assert not stored.sound(), (digest, other)
        stored.restore()
    for digest in ("d", "g", "i", "A", ""):
        stored.run("INSERT INTO settled VALUES (?, 3)", (digest,))
        assert not stored.sound(), digest
        stored.restore()
    stored.run("DELETE FROM settled")
    assert not stored.sound()


def test_a_lost_snapshot_is_not_missed_and_a_wrong_index_is_noticed_without(
    stored: Stored,
) -> None:
    stored.run("DELETE FROM snapshot")
    assert stored.sound()  # it only saves time, and another process may index meanwhile
    stored.run("UPDATE settled SET sequence = sequence + 2 WHERE sequence < 5")
    assert not stored.sound()
    stored.run("DELETE FROM settled")
    assert stored.sound()


def test_any_changed_byte_of_any_entry_is_noticed_also_behind_the_snapshot(stored: Stored) -> None:
    for sequence, kind, text, digest in stored.rows:
        for column, value, content in (
            ("kind", "CAST(? AS TEXT)", kind.encode()),
            ("body", "CAST(? AS TEXT)", text.encode()),
            ("digest", "?", digest),
        ):
            change = f"UPDATE entry SET {column} = {value} WHERE sequence = {sequence}"
            for changed in flips(content):
                stored.run(change, (changed,))
                assert not stored.sound(), (sequence, column, changed)
            stored.run(change, (content,))
    assert stored.sound()

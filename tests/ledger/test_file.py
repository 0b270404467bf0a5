from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import peekproof
from ledger.books import NOBODY, OPENING, answer, without_privileges
from peekproof.core.errors import LedgerDamaged, LedgerTooNew, LedgerUnavailable
from peekproof.ledger.entry import FORMAT, follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import APPLICATION, check_header, create_file, insert, translated

FIRST = follow(None, "open", OPENING.to_body())


def test_a_new_file_is_a_complete_ledger_and_nothing_else_is_left(path: Path) -> None:
    create_file(path, FIRST)
    assert list(path.parent.iterdir()) == [path]
    with closing(sqlite3.connect(path)) as connection:
        check_header(connection, str(path))
        rows = connection.execute("SELECT * FROM entry").fetchall()
    assert rows == [(1, "open", FIRST.text, FIRST.digest)]


@pytest.mark.parametrize("content", [b"", b"something", b"SQLite format 3\0"])
def test_an_existing_file_is_never_replaced(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    create_file(path, FIRST)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_an_existing_ledger_keeps_what_was_spent(
    path: Path, opened: Callable[[Path], Ledger]
) -> None:
    ledger = opened(path)
    answer(ledger, "q")
    again = Ledger.create(str(path), OPENING)
    assert again.spent() == ledger.spent()
    assert again.answers() == ledger.answers()
    again.close()


def test_a_link_to_nowhere_is_not_followed(tmp_path: Path, path: Path) -> None:
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(LedgerUnavailable, match="is not a file"):
        Ledger.create(str(path), OPENING)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    place = tmp_path / "missing" / "x.peekproof"
    with pytest.raises(LedgerUnavailable, match=r"x\.peekproof cannot be created \(no such file"):
        create_file(place, FIRST)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(public_folder: Path) -> None:
    with (
        without_privileges(public_folder),
        pytest.raises(
            LedgerUnavailable, match=r"cannot be created \(permission denied\)"
        ) as caught,
    ):
        create_file(public_folder / "x.peekproof", FIRST)
    assert "name another place for the ledger" in str(caught.value)
    assert list(public_folder.iterdir()) == []


def test_a_file_system_without_links_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(LedgerUnavailable, match=r"cannot be created \((?i:operation not)"):
        create_file(path, FIRST)
    assert list(path.parent.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("peekproof.ledger.sqlite.insert", full)
    with pytest.raises(LedgerUnavailable, match=r"cannot be used \(database or disk is full\)"):
        create_file(path, FIRST)
    assert list(path.parent.iterdir()) == []


def test_a_ledger_with_two_names_is_refused_under_each_and_stays_whole(
    path: Path, opened: Callable[[Path], Ledger]
) -> None:
    ledger, second = opened(path), path.with_name("second.peekproof")
    answer(ledger, "p")
    os.link(path, second)
    for name in (path, second):
        with pytest.raises(LedgerUnavailable, match=r"has 2 names \(hard links\)") as caught:
            Ledger.open(str(name))
        assert "remove all names but one" in str(caught.value)
    second.unlink()
    again = opened(path)
    assert again.verify() == 3
    assert again.spent() == ledger.spent()


def test_a_ledger_may_have_a_symbolic_link(path: Path, opened: Callable[[Path], Ledger]) -> None:
    ledger, other = opened(path), path.with_name("other.peekproof")
    other.symlink_to(path)
    answer(opened(other), "p")
    assert ledger.draws() == 1


def test_the_name_under_which_a_creator_died_is_removed(path: Path) -> None:
    create_file(path, FIRST)
    left = path.with_name(f".{path.name}.ab_c9xyz")
    os.link(path, left)
    apart = path.with_name(f".{path.name}.ab_c9xy0")  # of a creator that is still at work
    apart.write_bytes(b"")
    Ledger.open(str(path)).close()
    assert set(path.parent.iterdir()) == {path, apart}


def test_a_creator_whose_other_name_was_removed_meanwhile_succeeds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def opened_at_once(source: Path, place: Path) -> None:
        link(source, place)
        Ledger.open(str(place)).close()

    monkeypatch.setattr(os, "link", opened_at_once)
    create_file(path, FIRST)
    assert list(path.parent.iterdir()) == [path]


CREATOR = """
import sys
from peekproof.core.charge import GDP
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.entry import Opening
from fractions import Fraction
ledger = Ledger.create(sys.argv[1], Opening(
    fingerprint=sys.argv[2], rows=1, confidence=Fraction(1, 2), questions=1,
    mechanism={}, budget=GDP(Fraction(1)), entropy="system"))
print(ledger.opening.fingerprint)
"""


def test_processes_that_create_one_file_at_once_agree_on_it(path: Path) -> None:
    source = Path(peekproof.__file__).parent.parent
    creators = [
        subprocess.Popen(
            [sys.executable, "-c", CREATOR, str(path), f"number {i}"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        for i in range(6)
    ]
    said = [creator.communicate()[0].strip() for creator in creators]
    assert [creator.returncode for creator in creators] == [0] * 6
    assert len(set(said)) == 1
    assert said[0].startswith("number ")


def header(application: int, version: int) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"PRAGMA application_id = {application}")
    connection.execute(f"PRAGMA user_version = {version}")
    return connection


def test_the_header_tells_a_ledger_from_other_databases_and_newer_ones() -> None:
    with closing(header(APPLICATION, FORMAT)) as right:
        check_header(right, "L")
    not_ours = pytest.raises(LedgerDamaged, match="is a database, but not a ledger")
    with closing(header(APPLICATION + 1, FORMAT)) as other, not_ours:
        check_header(other, "L")
    too_new = pytest.raises(LedgerTooNew, match="has format 2, this version reads up to 1")
    with closing(header(APPLICATION, FORMAT + 1)) as newer, too_new:
        check_header(newer, "L")


@pytest.mark.parametrize(
    ("fault", "kind", "problem"),
    [
        (sqlite3.OperationalError("database is locked"), LedgerUnavailable, "is locked by another"),
        (sqlite3.OperationalError("disk I/O error"), LedgerUnavailable, "cannot be used"),
        (sqlite3.DatabaseError("file is not a database"), LedgerDamaged, "is damaged"),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), LedgerDamaged, "is damaged"),
    ],
)
def test_the_faults_of_sqlite_become_ours(
    fault: sqlite3.Error, kind: type[LedgerDamaged | LedgerUnavailable], problem: str
) -> None:
    with pytest.raises(kind, match=problem) as caught, translated("the/place"):
        raise fault
    assert caught.value.ledger == "the/place"
    assert caught.value.__cause__ is fault


def test_a_missing_table_is_damage() -> None:
    damaged = pytest.raises(LedgerDamaged, match="no such table")
    with closing(sqlite3.connect(":memory:")) as empty, damaged, translated("the/place"):
        empty.execute("SELECT * FROM entry")


def test_a_closed_ledger_is_not_damaged() -> None:
    connection = sqlite3.connect(":memory:")
    connection.close()
    with pytest.raises(LedgerUnavailable, match="was closed"), translated("the/place"):
        connection.execute("SELECT 1")


def test_other_faults_pass() -> None:
    with pytest.raises(KeyError), translated("the/place"):
        raise KeyError


def test_digests_of_the_wrong_length_do_not_fit(path: Path) -> None:
    create_file(path, FIRST)
    with closing(sqlite3.connect(path)) as connection:
        second = follow(FIRST, "reserve", {})
        short = type(second)(2, "reserve", second.text, second.digest[:-1])
        with pytest.raises(sqlite3.IntegrityError):
            insert(connection, [short])


def test_the_tests_of_permissions_can_fail(public_folder: Path) -> None:
    with without_privileges(public_folder):
        assert os.geteuid() != 0
        with pytest.raises(PermissionError):
            (public_folder / "x").touch()
    assert NOBODY != 0
    (public_folder / "x").touch()

"""Entries that are replaced under those who have the ledger open, as a logical restore does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.books import OPENING, answer, lose
from ledger.postgres_server import Database
from peekproof.core.errors import LedgerDamaged, LedgerRolledBack
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import Witness


def forget(place: Path, *, after: int) -> None:
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("DELETE FROM entry WHERE sequence > ?", (after,))


def test_a_database_that_went_back_and_on_gets_no_entry_that_breaks_its_chain(
    database: Database,
) -> None:
    place = database.place("people")
    with (
        closing(Ledger.create(place, OPENING)) as one,
        closing(Ledger.open(place)) as two,
    ):
        answer(two, "a")
        database.execute("DELETE FROM peekproof.entry WHERE sequence > 1")
        answer(one, "b")
        with pytest.raises(LedgerDamaged, match="lost entr"):
            lose(two, "c")
    with closing(Ledger.open(place)) as again:
        assert again.verify() == 3


@pytest.mark.parametrize("regrown", [True, False])
def test_a_file_that_went_back_gets_no_entry_that_breaks_its_chain(
    regrown: bool, tmp_path: Path
) -> None:
    place = tmp_path / "people.peekproof"
    with (
        closing(Ledger.create(str(place), OPENING)) as one,
        closing(Ledger.open(str(place))) as two,
    ):
        answer(two, "a")
        forget(place, after=1)
        if regrown:
            answer(one, "b")
        with pytest.raises(LedgerDamaged, match="lost entr"):
            lose(two, "c")
    with closing(Ledger.open(str(place))) as again:
        assert again.verify() == (3 if regrown else 1)


def test_who_saw_what_is_gone_does_not_go_on_with_what_came_instead(tmp_path: Path) -> None:
    place = tmp_path / "people.peekproof"
    with (
        closing(Ledger.create(str(place), OPENING)) as one,
        closing(Ledger.open(str(place))) as two,
    ):
        two.attend(Witness(tmp_path / "w"))
        answer(two, "a")
        forget(place, after=1)
        answer(one, "b")
        answer(one, "c")
        with pytest.raises(LedgerDamaged):
            two.spent()
        for _ in range(2):  # also when it has looked again
            with pytest.raises(LedgerRolledBack, match="went on by itself"):
                lose(two, "d")
        assert one.draws() == 2

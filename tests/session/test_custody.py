"""What the custodian does, and what the witness and the certificates know of it."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.errors import LedgerError, LedgerUnavailable
from peekproof.ledger.ledger import Ledger
from peekproof.session.custody import UNWATCHED
from peekproof.session.receipt import receipts

DATA = {"age": np.random.default_rng(6).uniform(0, 100, 3000)}


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def place(tmp_path: Path) -> Path:
    found = tmp_path / "book.peekproof"
    with peekproof.open(DATA, questions=10, ledger=found) as session:
        session.ask("age > 50")
    return found


@pytest.mark.parametrize("command", [["close", "--yes"], ["share", "ann=0"]])
def test_a_backup_from_before_the_custodian_decided_is_refused(
    command: list[str], place: Path
) -> None:
    backup = place.with_name("backup")
    shutil.copy(place, backup)
    assert run("ledger", command[0], str(place), *command[1:]) == 0
    shutil.copy(backup, place)
    with pytest.raises(peekproof.LedgerRolledBack):
        peekproof.open(DATA, ledger=place)


@pytest.mark.parametrize("command", [["close", "--yes"], ["share", "ann=1/2"]])
def test_the_custodian_decides_about_the_ledger_that_was_seen(
    command: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = place.with_name("old.peekproof")
    shutil.copy(place, backup)
    with peekproof.open(DATA, ledger=place) as session:
        session.ask("age > 60")
    assert run("ledger", command[0], str(backup), *command[1:]) == 4
    assert str(place) in capsys.readouterr().err


@pytest.mark.parametrize("command", [["close", "--yes"], ["share", "ann=1/2"]])
def test_an_export_that_is_to_be_written_leads_to_its_ledger(
    command: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = place.with_name("book.jsonl")
    assert run("ledger", "export", str(place), "--out", str(out)) == 0
    assert run("ledger", command[0], str(out), *command[1:]) == 4
    told = capsys.readouterr().err
    assert "is an export, which is only read" in told
    assert ":memory:" not in told
    with peekproof.open(DATA, ledger=place) as session:  # and the witness has not seen it there
        assert session.ledger.place == str(place)


def test_an_export_is_not_called_a_damaged_ledger(place: Path) -> None:
    out = place.with_name("book.jsonl")
    assert run("ledger", "export", str(place), "--out", str(out)) == 0
    with pytest.raises(LedgerError, match="is an export, which is only read"):
        peekproof.open(DATA, ledger=out)


def test_adopting_an_export_says_that_it_is_one(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = place.with_name("book.jsonl")
    assert run("ledger", "export", str(place), "--out", str(out)) == 0
    assert run("ledger", "adopt", str(out), "--reason", "it is mine") == 4
    assert "is an export, which is only read" in capsys.readouterr().err


def test_a_ledger_that_is_named_like_an_export_is_read(tmp_path: Path) -> None:
    place = tmp_path / "book.jsonl"
    with peekproof.open(DATA, questions=10, ledger=place) as session:
        session.ask("age > 50")
    assert run("ledger", "verify", str(place)) == 0


def test_overrides_of_several_processes_are_in_the_order_of_the_ledger(place: Path) -> None:
    with closing(Ledger.open(str(place))) as one, closing(Ledger.open(str(place))) as two:
        one.override(reason="first", against="a")
        two.override(reason="second", against="b")
        assert two.overrides == tuple(two.look().overrides)


def test_a_receipt_assumes_what_the_certificate_assumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    with peekproof.open(DATA, questions=10, ledger=tmp_path / "book.peekproof") as session:
        answer = session.ask("age > 50")
        (found,) = receipts(session.ledger)
    assert UNWATCHED in answer.certificate.assumptions
    assert found.certificate == answer.certificate
    assert "nothing tells" in " ".join(found.text().split())


def test_a_session_that_is_at_work_names_a_later_override(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peekproof.open(DATA, ledger=place) as first:
        before = first.ask("age > 50").certificate
        monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "of another machine"))
        peekproof.open(DATA, ledger=place).close()
        (record,) = (tmp_path / "of another machine").glob("*.json")
        record.write_text("damaged")
        peekproof.open(DATA, ledger=place, override="we looked").close()
        later = first.ask("age > 60").certificate
        assert "the budget was overridden: we looked" in later.assumptions
        assert before.verify() == before
        assert later.verify() == later


def test_a_ledger_that_nobody_may_read_is_told_as_such(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", closed)
    place.chmod(0)
    code = run("ledger", "verify", str(place))
    assert code in (0, 4)  # 0 for a user to whom permissions do not apply
    assert "Traceback" not in capsys.readouterr().err


def test_an_answer_that_the_witness_was_not_told_of_is_kept_back_and_paid_for_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peekproof.open(DATA, ledger=place) as session:
        before = session.remaining
        monkeypatch.setattr(os, "pwrite", lambda *_: 0)  # the disk is full, or read-only by now
        for _ in range(3):
            with pytest.raises(LedgerUnavailable, match="needs a witness"):
                session.ask("age > 60")
        assert session.remaining == before - 1
        monkeypatch.undo()
        assert session.ask("age > 60").replayed
        assert session.remaining == before - 1

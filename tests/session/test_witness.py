"""One budget for one content: renamed, copied, deleted, restored, forked, moved, overridden."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import peekproof
from ledger.books import without_privileges
from peekproof.cli.main import main
from peekproof.core.errors import (
    BudgetElsewhere,
    InvalidInput,
    LedgerMismatch,
    LedgerRolledBack,
    LedgerUnavailable,
    WitnessDamaged,
)
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import Witness
from peekproof.session import Session
from peekproof.session.custody import UNWATCHED
from session.people import people, write_csv

Opener = Callable[..., Session]
SOURCE = Path(peekproof.__file__).parent.parent


@pytest.fixture
def spent(csv: Path, place: Path, opened: Opener) -> Path:
    """A data file about which three questions were asked; its ledger has seven entries."""
    with opened(csv, questions=7) as session:
        for age in (20, 30, 40):
            session.ask(f"age > {age}")
    assert place.exists()
    return csv


def untouched(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_data_under_another_name_has_no_second_budget(
    spent: Path, place: Path, opened: Opener
) -> None:
    renamed = spent.rename(spent.with_name("persons.csv"))
    before = untouched(spent.parent)
    with pytest.raises(BudgetElsewhere) as caught:
        opened(renamed)
    assert (caught.value.place, caught.value.entries) == (str(place.resolve()), 4)
    for piece in (str(place), "persons.csv.peekproof", f'ledger="{place.resolve()}"', "override"):
        assert piece in str(caught.value)
    assert untouched(spent.parent) == before  # refused before a file is made
    assert opened(renamed, ledger=caught.value.place).remaining == 4


def test_a_copy_of_the_data_has_no_second_budget(
    spent: Path, tmp_path: Path, opened: Opener
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    copy = Path(shutil.copy(spent, elsewhere))
    with pytest.raises(BudgetElsewhere):
        opened(copy)
    reordered = write_csv(elsewhere / "reordered.csv", people()[::-1])
    with pytest.raises(BudgetElsewhere):
        opened(reordered, questions=1)
    assert untouched(elsewhere) == [copy, reordered]


def test_the_same_rows_in_a_frame_with_a_ledger_of_its_own_are_refused(
    spent: Path, tmp_path: Path, opened: Opener
) -> None:
    frame = {"age": list(range(100))}
    with opened(frame, ledger=tmp_path / "a.peekproof", questions=7) as session:
        session.ask("age > 20")
    with pytest.raises(BudgetElsewhere):
        opened(frame, ledger=tmp_path / "b.peekproof", questions=7)
    other = {"age": list(range(1, 101))}
    assert opened(other, ledger=tmp_path / "b.peekproof", questions=7).remaining == 7


def test_a_ledger_in_memory_is_not_witnessed(
    spent: Path, opened: Opener, witness_folder: Path
) -> None:
    before = [file.read_bytes() for file in witness_folder.iterdir()]
    assert opened(spent, ledger=":memory:", questions=7).ask("age > 20").remaining == 6
    assert [file.read_bytes() for file in witness_folder.iterdir()] == before


def test_a_deleted_ledger_is_not_made_anew(spent: Path, place: Path, opened: Opener) -> None:
    kept = place.rename(place.with_name("kept"))
    with pytest.raises(BudgetElsewhere, match="put it back if it is gone"):
        opened(spent, questions=7)
    assert not place.exists()
    kept.rename(place)
    assert opened(spent).remaining == 4


def test_a_ledger_that_was_made_anew_elsewhere_is_not_taken_for_the_first(
    spent: Path, place: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place.unlink()
    with monkeypatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "another machine"))
        with opened(spent, questions=7) as session:
            for age in (20, 30, 40, 50):
                session.ask(f"age > {age}")
    with pytest.raises(BudgetElsewhere):  # the same data and promise, and more entries
        opened(spent)


def test_an_older_ledger_is_refused_with_what_it_lacks(
    spent: Path, place: Path, opened: Opener
) -> None:
    backup = place.read_bytes()
    with opened(spent) as session:
        session.ask("age > 50")
    newest = place.read_bytes()
    place.write_bytes(backup)
    with pytest.raises(LedgerRolledBack, match="lacks 1 entry seen since") as caught:
        opened(spent)
    assert caught.value.missing == 1
    assert place.read_bytes() == backup
    place.write_bytes(newest)
    assert opened(spent).remaining == 3


def test_of_two_copies_only_the_first_to_go_on_goes_on(
    spent: Path, place: Path, opened: Opener, tmp_path: Path
) -> None:
    fork = Path(shutil.copy(place, tmp_path / "fork.peekproof"))
    with opened(spent, ledger=fork) as session:
        session.ask("age > 50")
    with pytest.raises(LedgerRolledBack, match=str(fork)):
        opened(spent)
    assert opened(spent, ledger=fork).remaining == 3


def test_two_copies_that_both_went_on_are_told_apart(
    spent: Path, place: Path, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = Path(shutil.copy(place, tmp_path / "fork.peekproof"))
    with monkeypatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "another machine"))
        with opened(spent, ledger=fork) as session:
            for age in (60, 70, 80):
                session.ask(f"age > {age}")
    with opened(spent) as session:
        session.ask("age > 50")
    with pytest.raises(LedgerRolledBack, match="another entry 5 than was seen"):
        opened(spent, ledger=fork)


def test_both_may_be_open_and_only_one_answers(
    spent: Path, place: Path, opened: Opener, tmp_path: Path
) -> None:
    fork = Path(shutil.copy(place, tmp_path / "fork.peekproof"))
    one, two = opened(spent), opened(spent, ledger=fork)
    one.ask("age > 50")
    with pytest.raises(LedgerRolledBack):
        two.ask("age > 60")
    assert two.ledger.draws() == 3
    assert two.ask("age > 20").replayed  # what was answered before the copy stays free
    assert one.ask("age > 60").remaining == 2


def test_a_ledger_may_move_and_is_found_where_it_went(
    spent: Path, place: Path, opened: Opener, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    moved = Path(shutil.move(spent, tmp_path / "new/people.csv"))
    new = Path(shutil.move(place, tmp_path / "new/people.csv.peekproof"))
    assert opened(moved).remaining == 4
    with pytest.raises(BudgetElsewhere) as caught:
        opened(moved, ledger=tmp_path / "other.peekproof")
    assert caught.value.place == str(new.resolve())


def test_another_promise_or_other_data_is_still_told_first(
    spent: Path, place: Path, opened: Opener
) -> None:
    with pytest.raises(LedgerMismatch, match="questions"):
        opened(spent, questions=8, override="a reason")
    other = write_csv(spent.with_name("other.csv"), people(seed=2))
    with pytest.raises(LedgerMismatch, match="fingerprint"):
        opened(other, ledger=place, override="a reason")
    assert opened(spent).ledger.overrides == ()


# Each forked child opens the data for itself; what they share is only what was imported.
CREATORS = """
import os, pathlib, sys, time
import peekproof, peekproof.session.opening
children = []
for number in range(6):
    child = os.fork()
    children.append(child)
    if not child:
        break
else:
    pathlib.Path(sys.argv[1] + ".go").touch()
    sys.exit(any([os.waitpid(each, 0)[1] for each in children]))
while not pathlib.Path(sys.argv[1] + ".go").exists():
    time.sleep(0.0005)
with peekproof.open(sys.argv[1], questions=50) as data:
    left = data.ask(f"age > {20 + number}").remaining
    os.write(1, f"{data.ledger.entries()[0].digest.hex()} {left}\\n".encode())
"""


def test_processes_that_open_new_data_at_once_share_its_ledger(csv: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CREATORS, str(csv)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    said = [line.split() for line in done.stdout.splitlines()]
    assert len(said) == 6
    assert len({identity for identity, _ in said}) == 1
    assert min(int(left) for _, left in said) == 44


def test_a_ledger_that_appears_between_two_looks_is_opened(
    csv: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, made = Ledger.exists, list[Session]()

    def just_before(_: str) -> bool:
        monkeypatch.setattr(Ledger, "exists", plain)
        made.append(opened(csv, questions=7))  # as another process may, just after the look
        return False

    monkeypatch.setattr(Ledger, "exists", just_before)
    session = opened(csv, questions=7)
    assert session.ledger.opening == made[0].ledger.opening


def test_an_override_is_recorded_and_every_certificate_says_it(
    spent: Path, place: Path, opened: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    place.unlink()
    with opened(spent, questions=7, override="the disk died") as session:
        assert session.remaining == 7
        answer = session.ask("age > 50")
    line = "the budget was overridden: the disk died"
    assert line in answer.certificate.assumptions
    assert line in session.plan.certificate.explain()
    assert answer.certificate.verify() == answer.certificate
    assert kinds_in(place) == ["open", "override", "answer"]

    with opened(spent) as again:  # adopted: no doubt is left, and nothing to override
        assert line in again.ask("age > 60", radius=0.45).certificate.assumptions
        own = again.ask("age > 60", radius=0.45).certificate
        assert own.verify() == own
    with pytest.raises(InvalidInput, match="nothing to override"):
        opened(spent, override="once more")
    with pytest.raises(SystemExit):
        main(["ledger", "show", str(spent)])
    shown = capsys.readouterr().out
    assert "overridden (the disk died): the budget of this data at" in shown
    assert "with 4 entries" in shown


def kinds_in(place: Path) -> list[str]:
    with closing(Ledger.open(str(place))) as book:
        return [entry.kind for entry in book.entries()]


def test_what_was_certified_before_an_override_still_verifies(
    spent: Path, place: Path, opened: Opener
) -> None:
    with opened(spent) as session:
        early = session.ask("age > 20").certificate
        backup = Path(shutil.copy(place, place.with_name("backup")))
        late = session.ask("age > 50").certificate
    shutil.copy(backup, place)
    with opened(spent, override="the newest is lost") as session:
        after = session.ask("age > 60").certificate
    assert early.verify() == early
    assert late.verify() == late  # the terms are planned, so nothing is missing for them
    assert after.verify() == after != early
    assert [each["reason"] for each in session.ledger.overrides] == ["the newest is lost"]
    assert "lacks 1 entry" in session.ledger.overrides[0]["against"]


@pytest.mark.parametrize("reason", ["", "  ", 7])
def test_an_override_needs_words(reason: object, csv: Path, place: Path, opened: Opener) -> None:
    with pytest.raises(InvalidInput, match="a reason in words"):
        opened(csv, override=reason)
    assert not place.exists()


@pytest.mark.parametrize("ledger", [None, ":memory:"])
def test_nothing_to_override_makes_no_ledger(
    ledger: str | None, csv: Path, place: Path, opened: Opener
) -> None:
    with pytest.raises(InvalidInput, match="nothing to override"):
        opened(csv, ledger=ledger, override="a reason")
    assert not place.exists()


def test_going_without_a_witness_is_recorded(
    csv: Path,
    place: Path,
    opened: Opener,
    monkeypatch: pytest.MonkeyPatch,
    witness_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    with opened(csv, questions=7) as session:
        certificate = session.ask("age > 50").certificate
    assert session.ledger.opening.witness == "none"
    assert UNWATCHED in certificate.assumptions
    assert certificate.verify() == certificate
    with pytest.raises(SystemExit):
        main(["ledger", "show", str(csv)])
    assert "opened without a witness" in capsys.readouterr().out
    place.rename(place.with_name("hidden"))
    assert opened(csv, questions=7).remaining == 7  # nothing tells
    with pytest.raises(InvalidInput, match="nothing to override"):
        opened(csv, override="a reason")
    assert not witness_folder.exists()


def test_a_watched_ledger_says_nothing_of_a_witness(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    body = json.loads(session.ledger.entries()[0].text)
    assert "witness" not in body
    assert session.plan.certificate.assumptions == session.ask("age > 50").certificate.assumptions
    assert UNWATCHED not in session.plan.certificate.assumptions


def test_a_witness_that_cannot_be_written_is_named_and_no_ledger_is_made(
    csv: Path,
    place: Path,
    opened: Opener,
    public_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    public = write_csv(public_folder / "people.csv", people())
    locked = public_folder / "locked"
    locked.mkdir()
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(locked / "state"))
    with without_privileges(locked), pytest.raises(LedgerUnavailable) as caught:
        opened(public)
    for piece in (str(locked / "state"), "PEEKPROOF_WITNESS", f"{public}.peekproof", "permission"):
        assert piece in str(caught.value)
    assert untouched(public_folder) == [locked, public]
    assert opened(public).remaining == 1000


def test_a_damaged_witness_is_refused_until_the_custodian_answers_for_it(
    spent: Path, place: Path, opened: Opener, witness_folder: Path
) -> None:
    (record,) = witness_folder.glob("*.json")
    record.write_bytes(b"x" + record.read_bytes()[1:])
    for arguments in ({}, {"ledger": spent.with_name("new.peekproof")}):
        with pytest.raises(WitnessDamaged, match=record.name):
            opened(spent, **arguments)
    assert not spent.with_name("new.peekproof").exists()
    with opened(spent, override="it is the only ledger") as session:
        assert session.remaining == 4
    assert opened(spent).remaining == 4


def test_damaged_marks_of_columns_are_refused_until_the_custodian_answers_for_it(
    spent: Path, opened: Opener, witness_folder: Path, tmp_path: Path
) -> None:
    (marks,) = witness_folder.glob("columns*")
    marks.write_text("damaged\n")
    other = {"age": [random.Random(each).random() for each in range(len(people()))]}
    place = tmp_path / "other.peekproof"
    with pytest.raises(WitnessDamaged, match="columns"):
        opened(other, ledger=place, questions=7)
    assert not place.exists()
    session = opened(other, ledger=place, questions=7, override="I looked")
    assert marks.name in str(session.ledger.overrides[0]["against"])
    assert opened(other, ledger=place).remaining == 7
    assert marks.with_name(f"{marks.name}.damaged").exists()


def test_a_session_stops_when_its_witness_is_damaged(
    spent: Path, opened: Opener, witness_folder: Path
) -> None:
    session = opened(spent)
    (record,) = witness_folder.glob("*.json")
    with record.open("r+b") as file:
        file.write(b"x")
    with pytest.raises(WitnessDamaged):
        session.ask("age > 50")
    assert session.ledger.draws() == 3


# The command line.


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    captured = capsys.readouterr()
    return ended.value.code, captured.out + captured.err


def test_adopt_goes_on_with_an_older_ledger(
    spent: Path, place: Path, opened: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = place.read_bytes()
    with opened(spent) as session:
        session.ask("age > 50")
    for path in (spent, place):
        place.write_bytes(backup)
        code, said = run(capsys, "ask", str(spent), "age > 60")
        assert (code, "lacks" in said) == (4, True)
        code, said = run(capsys, "ledger", "adopt", str(path), "--reason", "a dead disk")
        assert code == 0
        assert f"{place}: adopted (a dead disk), overriding" in said
        assert "lacks" in said
        assert run(capsys, "ask", str(spent), "age > 60")[0] == 0
    code, said = run(capsys, "ledger", "show", str(spent), "--json")
    assert [each["reason"] for each in json.loads(said)["overrides"]] == ["a dead disk"]


def test_adopt_makes_a_ledger_for_data_that_lost_it(
    spent: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place.unlink()
    adopt = ("ledger", "adopt", str(spent), "--reason", "lost", "--questions", "9", "--json")
    code, said = run(capsys, *adopt)
    assert code == 0
    assert json.loads(said)["reason"] == "lost"
    assert "with 4 entries" in json.loads(said)["against"]
    with closing(Ledger.open(str(place))) as book:
        assert book.opening.questions == 9


def test_adopt_without_need_or_words_changes_nothing(
    spent: Path, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.read_bytes()
    for path in (spent, place):
        code, said = run(capsys, "ledger", "adopt", str(path), "--reason", "why not")
        assert (code, "nothing to override" in said) == (2, True)
    code, said = run(capsys, "ledger", "adopt", str(place), "--reason", " ")
    assert (code, "--reason must be a reason in words" in said) == (2, True)
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    code, said = run(capsys, "ledger", "adopt", str(place), "--reason", "why not")
    assert (code, "nothing to override" in said) == (2, True)
    assert place.read_bytes() == before


def test_a_witness_knows_the_ledger_and_its_last_entry(
    spent: Path, place: Path, witness_folder: Path, opened: Opener
) -> None:
    session = opened(spent)
    entries = session.ledger.entries()
    seen = Witness(witness_folder).known(session.ledger.opening.fingerprint, ledger="")
    assert seen
    assert (seen.ledger, seen.sequence) == (entries[0].digest.hex(), 4)
    assert (seen.digest, seen.place) == (entries[-1].digest.hex(), str(place.resolve()))

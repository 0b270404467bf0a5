"""The witness: what it remembers, in what order, and what it says when it cannot."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.books import OPENING, answer, lose, overwrite, without_privileges
from peekproof.core.errors import (
    BudgetElsewhere,
    InvalidInput,
    LedgerDamaged,
    LedgerRolledBack,
    LedgerUnavailable,
    WitnessDamaged,
)
from peekproof.core.shared_columns import ColumnMark, Marked
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import (
    SIZE,
    VARIABLE,
    Seen,
    Watch,
    Witness,
    default_witness,
    shortened,
)

DATA = OPENING.fingerprint
PLACE = "/somewhere/people.csv.peekproof"


def at(sequence: int, *, ledger: str = "a", fork: str = "", place: str = PLACE) -> Seen:
    digest = hashlib.sha256(f"{ledger}{fork}{sequence}".encode()).hexdigest()
    return Seen(ledger * 64, sequence, digest, place)


def known(folder: Path, fingerprint: str = DATA) -> Seen | None:
    """What someone finds who comes afterwards."""
    return Witness(folder).known(fingerprint, ledger=PLACE)


def test_what_was_seen_is_known_to_all_who_come_later(tmp_path: Path) -> None:
    witness = Witness(tmp_path / "state" / "peekproof")
    assert witness.known(DATA, ledger=PLACE) is None
    assert witness.saw(DATA, at(1)) == at(1)
    assert witness.known(DATA, ledger=PLACE) == known(witness.folder) == at(1)
    assert witness.saw(DATA, at(7)) == at(7)
    assert known(witness.folder) == at(7)
    assert known(witness.folder, "pp1-other") is None
    assert [file.name for file in witness.folder.iterdir()] == [f"{DATA}.json"]


def test_what_was_seen_never_goes_back(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.saw(DATA, at(7))
    assert witness.saw(DATA, at(6, place="/elsewhere")) == at(7)
    assert witness.saw(DATA, at(7, fork="b")) == at(7)
    assert witness.saw(DATA, at(9, ledger="b")) == at(7)
    assert known(tmp_path) == at(7)


def test_a_ledger_that_moves_is_followed(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.saw(DATA, at(7))
    assert witness.saw(DATA, at(7, place="/new")) == at(7, place="/new") == known(tmp_path)


def test_an_adopted_ledger_replaces_what_was_seen(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.saw(DATA, at(7))
    witness.adopt(DATA, at(2, ledger="b"))
    assert known(tmp_path) == at(2, ledger="b")


def test_a_record_is_one_line_of_json_in_a_page(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    for sequence in (1, 10**9):
        witness.saw(DATA, at(sequence))
        raw = witness.file(DATA).read_bytes()
        assert len(raw) == SIZE
        line, padding = raw[: raw.index(b"\n")], raw[raw.index(b"\n") :]
        assert padding.strip(b"\n") == b""
        said = json.loads(line)
        assert said.pop("check")
        assert said == {
            "ledger": "a" * 64,
            "sequence": sequence,
            "digest": at(sequence).digest,
            "place": PLACE,
        }


@pytest.mark.parametrize("place", ["/x" * 5000, "/𝔘" * 5000, "/\udcff\n\"'" * 900, ""])
def test_a_place_of_any_length_and_letters_fits(place: str, tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    seen = at(1, place=shortened(place))
    witness.saw(DATA, seen)
    assert known(tmp_path) == seen
    assert seen.place == place or (seen.place[0] == "…" and place.endswith(seen.place[1:]))
    assert shortened(PLACE) == PLACE


def test_any_text_can_be_a_fingerprint_and_stays_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    names = ["../../x", "", "a/b", "é", "\udcff", "x" * 500, DATA]
    witness = Witness(folder)
    for number, name in enumerate(names):
        witness.saw(name, at(number + 1))
    assert [known(folder, name) for name in names] == [at(i + 1) for i in range(len(names))]
    assert len(list(folder.iterdir())) == len(names)
    assert list(tmp_path.iterdir()) == [folder]


def _cut(raw: bytes) -> bytes:
    return raw[:-1]


def _longer(raw: bytes) -> bytes:
    return raw + b"\n"


def _later(raw: bytes) -> bytes:
    return raw.replace(b'"sequence": 7', b'"sequence": 2')


def _empty(_: bytes) -> bytes:
    return b""


def _zeros(_: bytes) -> bytes:
    return bytes(SIZE)


@pytest.mark.parametrize("change", [_cut, _longer, _later, _empty, _zeros])
def test_a_damaged_record_is_an_error_until_another_is_adopted(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    witness = Witness(tmp_path)
    witness.saw(DATA, at(7))
    file = witness.file(DATA)
    file.write_bytes(change(file.read_bytes()))
    looks: list[Callable[[], object]] = [
        lambda: witness.known(DATA, ledger=PLACE),
        lambda: known(tmp_path),
        lambda: witness.saw(DATA, at(8)),
    ]
    for doubtful in looks:
        with pytest.raises(WitnessDamaged, match="peekproof ledger adopt") as caught:
            doubtful()
        assert str(file) in str(caught.value)
        assert PLACE in str(caught.value)
    witness.adopt(DATA, at(3))
    assert known(tmp_path) == at(3)


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.saw(DATA, at(7))
    file, raw = witness.file(DATA), witness.file(DATA).read_bytes()
    for index in [*range(raw.index(b"\n") + 1), SIZE - 1]:
        file.write_bytes(raw[:index] + bytes([raw[index] ^ 1]) + raw[index + 1 :])
        with pytest.raises(WitnessDamaged):
            known(tmp_path)


def test_a_record_that_is_being_written_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Witness(tmp_path).saw(DATA, at(7))
    reads: list[bytes] = []
    plain = os.pread

    def torn(*arguments: int) -> bytes:
        raw = plain(*arguments)
        reads.append(raw)
        return raw if len(reads) > 1 else raw[:100] + b"x" * (SIZE - 100)

    monkeypatch.setattr(os, "pread", torn)
    assert known(tmp_path) == at(7)
    assert len(reads) == 2


def test_a_record_for_other_data_is_not_taken(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.saw("pp1-other", at(7))
    witness.file("pp1-other").rename(witness.file(DATA))
    with pytest.raises(WitnessDamaged):
        known(tmp_path)


INCOME, MEMBER = ColumnMark("aa", 900.0, "income"), ColumnMark("bb", 9.0, "member")
MARKED = Marked(100, (INCOME, MEMBER))


def alike(folder: Path, marked: Marked, *, besides: str = "") -> object:
    return Witness(folder).alike(marked, besides=besides, ledger=PLACE)


def test_columns_are_recognised_in_data_with_as_many_rows(tmp_path: Path) -> None:
    witness = Witness(tmp_path / "state")
    assert alike(witness.folder, MARKED) is None
    witness.note(DATA, MARKED, ledger=PLACE)
    assert alike(witness.folder, MARKED) is None  # no ledger was ever seen
    witness.saw(DATA, at(7))
    witness.note(DATA, MARKED, ledger=PLACE)
    renamed = replace(INCOME, column="x")
    assert alike(witness.folder, Marked(100, (renamed,))) == (at(7), ("x",))
    assert alike(witness.folder, MARKED) == (at(7), ("income", "member"))
    assert alike(witness.folder, MARKED, besides=DATA) is None
    assert alike(witness.folder, Marked(101, (renamed,))) is None
    assert alike(witness.folder, Marked(100, (MEMBER,))) is None  # others may have as many
    assert alike(witness.folder, Marked(100)) is None
    (file,) = witness.folder.glob("columns*")
    assert len(file.read_text().splitlines()) == 1


def test_columns_without_marks_leave_no_file(tmp_path: Path) -> None:
    Witness(tmp_path).note(DATA, Marked(100), ledger=PLACE)
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_was_cut_off_is_dropped_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    witness = Witness(tmp_path)
    witness.note(DATA, MARKED, ledger=PLACE)
    witness.saw(DATA, at(7))
    (file,) = tmp_path.glob("columns*")
    whole = file.read_text()
    file.write_text(whole + whole[:20])
    assert alike(tmp_path, MARKED) == (at(7), ("income", "member"))
    witness.note("pp1-other", Marked(100, (MEMBER,)), ledger=PLACE)
    assert [json.loads(line)["fingerprint"] for line in file.read_text().splitlines()] == [
        DATA,
        "pp1-other",
    ]
    file.write_text("damaged\n" + whole)
    with pytest.raises(WitnessDamaged) as caught:
        alike(tmp_path, MARKED)
    assert caught.value.file == str(file)


def test_marks_of_columns_are_shared_like_records(tmp_path: Path) -> None:
    for mode in (0o700, 0o770):
        folder = tmp_path / oct(mode)
        folder.mkdir()
        folder.chmod(mode)
        Witness(folder).note(DATA, MARKED, ledger=PLACE)
        (file,) = folder.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == mode & 0o666


def test_all_marks_are_kept(tmp_path: Path) -> None:
    many = tuple(ColumnMark(f"{number:04}", float(number), "x") for number in range(400))
    Witness(tmp_path).note(DATA, Marked(100, many), ledger=PLACE)
    (file,) = tmp_path.iterdir()
    assert set(json.loads(file.read_text())["marks"]) == {each.digest for each in many}


def test_a_folder_that_cannot_be_written_is_named_with_the_variable(public_folder: Path) -> None:
    with without_privileges(public_folder), pytest.raises(LedgerUnavailable) as caught:
        known(public_folder)
    for piece in (PLACE, str(public_folder), VARIABLE, "permission denied"):
        assert piece in str(caught.value)


def test_a_record_that_cannot_be_written_is_an_error(public_folder: Path) -> None:
    Witness(public_folder).saw(DATA, at(7))
    with without_privileges(public_folder), pytest.raises(LedgerUnavailable):
        known(public_folder)


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(LedgerUnavailable, match="file exists"):
        known(tmp_path / "state")


def test_a_full_disk_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda *_: 100)
        with pytest.raises(LedgerUnavailable, match="no space left"):
            witness.saw(DATA, at(7))
        assert list(tmp_path.iterdir()) == []
    witness.saw(DATA, at(7))
    monkeypatch.setattr(os, "pwrite", lambda *_: 0)
    with pytest.raises(LedgerUnavailable, match="no space left"):
        witness.saw(DATA, at(8))


def test_whoever_shares_the_folder_shares_its_records(tmp_path: Path) -> None:
    for mode in (0o700, 0o770, 0o777):
        folder = tmp_path / f"{mode:o}"
        folder.mkdir()
        folder.chmod(mode)
        witness = Witness(folder)
        witness.saw(DATA, at(7))
        assert stat.S_IMODE(witness.file(DATA).stat().st_mode) == mode & 0o666


def test_the_folder_is_the_users_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folder() -> Path | None:
        witness = default_witness(ledger=PLACE)
        return witness and witness.folder

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    assert folder() == tmp_path / "named"
    monkeypatch.setenv(VARIABLE, "none")
    assert folder() is None
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert folder() == tmp_path / ".local/state/peekproof"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert folder() == tmp_path / ".local/state/peekproof"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert folder() == tmp_path / "state/peekproof"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder() == tmp_path / "Library/Application Support/peekproof"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert folder() == tmp_path / "Local/peekproof"
    assert list(tmp_path.iterdir()) == []


def test_a_user_without_a_home_is_told_of_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(VARIABLE)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(LedgerUnavailable, match=VARIABLE):
        default_witness(ledger=PLACE)


def _write_and_watch(folder: Path, start: int) -> None:
    """Write every fourth sequence, and die if what is known ever goes back."""
    witness, other, last = Witness(folder), Witness(folder), 0
    for sequence in range(start, 2000, 4):
        witness.saw(DATA, at(sequence))
        found = other.known(DATA, ledger=PLACE)
        if found is None or found.sequence < max(last, sequence) or found != at(found.sequence):
            sys.exit(1)
        last = found.sequence


def test_many_processes_at_once_only_go_forward(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_write_and_watch, args=(tmp_path, start)) for start in range(1, 5)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert known(tmp_path) == at(1999)


def test_an_opening_says_only_what_is_out_of_the_ordinary() -> None:
    assert not {"witness", "name"} & OPENING.to_body().keys()
    for opening in (OPENING, replace(OPENING, name="a1"), replace(OPENING, witness="none")):
        assert type(opening).from_body(opening.to_body()) == opening
    assert replace(OPENING, witness="none").to_body()["witness"] == "none"


# A ledger under the eyes of a witness.


def head(ledger: Ledger) -> tuple[int, str]:
    last = ledger.entries()[-1]
    return last.sequence, last.digest.hex()


def test_each_write_is_seen_once_it_is_on_disk(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    ledger = opened(path)
    assert ledger.attend(Witness(tmp_path / "w")) is None
    for name in ("a", "b", "c"):
        answer(ledger, name)
        seen = known(tmp_path / "w")
        assert seen
        assert (seen.sequence, seen.digest) == head(ledger)
        assert seen.place == str(path.resolve())
        assert seen.ledger == ledger.entries()[0].digest.hex()


def test_a_ledger_on_disk_may_have_more_than_was_seen(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    first = opened(path)
    first.attend(Witness(tmp_path / "w"))
    answer(first, "a")
    before = Witness(tmp_path / "w").file(DATA).read_bytes()
    answer(first, "b")
    Witness(tmp_path / "w").file(DATA).write_bytes(before)  # as a power cut may
    answer(first, "c")
    Witness(tmp_path / "w").file(DATA).write_bytes(before)
    again = opened(path)
    assert again.attend(Witness(tmp_path / "w")) is None
    assert known(tmp_path / "w") is not None
    answer(again, "d")
    answer(first, "e")
    seen = known(tmp_path / "w")
    assert seen
    assert (seen.sequence, seen.digest) == head(first)


def test_a_copy_that_goes_on_at_the_same_time_is_stopped_before_it_charges(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    one = opened(path)
    one.attend(Witness(tmp_path / "w"))
    answer(one, "a")
    one.close()
    copy = path.with_name("copy.peekproof")
    copy.write_bytes(path.read_bytes())
    one, two = opened(path), opened(copy)
    one.attend(Witness(tmp_path / "w"))
    two.attend(Witness(tmp_path / "w"))
    answer(one, "b")
    before = two.spent()
    with pytest.raises(LedgerRolledBack) as caught:
        lose(two, "c")
    assert (caught.value.seen, caught.value.found, caught.value.missing) == (5, 3, 2)
    assert two.spent() == before
    answer(one, "d")


def test_copies_that_charge_in_the_same_moment_do_not_both_answer(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(path).close()
    copy = path.with_name("copy.peekproof")
    copy.write_bytes(path.read_bytes())
    one, two = opened(path), opened(copy)
    one.attend(Witness(tmp_path / "w"))
    two.attend(Witness(tmp_path / "w"))
    with monkeypatch.context() as patch:  # both have looked before either has written
        patch.setattr(Watch, "check", lambda *_, **__: None)
        answer(one, "b")
        lose(two, "c", "d")
        with pytest.raises(LedgerRolledBack, match="went on by itself"):
            lose(two, "e")
    with pytest.raises(LedgerRolledBack, match="went on by itself") as caught:
        lose(two, "f")
    assert caught.value.missing == 1
    assert two.draws() == 3  # paid for; nothing was answered
    assert not two.answers()
    lose(one, "c")


def test_of_two_ledgers_made_in_the_same_moment_one_is_refused(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = opened(path)
    two = Ledger.create(str(path.with_name("two.peekproof")), replace(OPENING, name="two"))
    one.attend(Witness(tmp_path / "w"))
    with monkeypatch.context() as patch:  # it has looked before the other was seen
        patch.setattr(Watch, "check", lambda *_, **__: None)
        with pytest.raises(BudgetElsewhere, match=str(path)):
            two.attend(Witness(tmp_path / "w"))
    two.close()
    answer(one, "a")


def test_a_record_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Witness(tmp_path), Witness(tmp_path)
    plain = os.fsync

    def just_before(handle: int) -> None:
        monkeypatch.setattr(os, "fsync", plain)
        two.saw(DATA, at(5))
        plain(handle)

    monkeypatch.setattr(os, "fsync", just_before)
    assert one.saw(DATA, at(3)) == at(5) == known(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [f"{DATA}.json"]


def test_a_record_that_vanishes_as_it_is_made_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "hardlink_to", lambda *_: None)
    with pytest.raises(LedgerUnavailable, match="it vanished"):
        Witness(tmp_path).saw(DATA, at(3))


def test_an_emptied_ledger_is_not_attended(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    ledger = opened(path)
    overwrite(path, [])
    with pytest.raises(LedgerDamaged, match="has no entries"):
        ledger.attend(Witness(tmp_path / "w"))


def test_a_ledger_that_was_replaced_by_another_stops(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    one = opened(path)
    one.attend(Witness(tmp_path / "w"))
    reservation = lose(one, "a")
    Witness(tmp_path / "w").adopt(DATA, at(3, ledger="b"))
    with pytest.raises(BudgetElsewhere, match=PLACE) as caught:
        one.recover(reservation, {"a": 1})  # type: ignore[dict-item]
    assert caught.value.entries == 3
    assert not one.answers()
    with pytest.raises(BudgetElsewhere):
        opened(path).attend(Witness(tmp_path / "w"))


def test_a_witness_that_is_lost_while_a_write_is_on_its_way_keeps_the_charge(
    path: Path,
    opened: Callable[[Path], Ledger],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = opened(path)
    ledger.attend(Witness(tmp_path / "w"))
    monkeypatch.setattr(os, "pwrite", lambda *_: 0)
    with pytest.raises(LedgerUnavailable, match="needs a witness"):
        lose(ledger, "a")
    assert ledger.draws() == 1
    monkeypatch.undo()
    lose(ledger, "b")
    assert ledger.draws() == opened(path).draws() == 2


def test_nothing_to_override_is_an_error_and_leaves_no_entry(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    ledger = opened(path)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="nothing to override"):
            ledger.attend(Witness(tmp_path / "w"), override="why not")
    assert len(ledger.entries()) == 1


def test_an_override_is_an_entry_that_names_what_stood_against_it(
    path: Path, opened: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    Witness(tmp_path / "w").saw(DATA, at(8, ledger="b"))
    ledger = opened(path)
    doubt = ledger.attend(Witness(tmp_path / "w"), override="the disk died")
    assert isinstance(doubt, BudgetElsewhere)
    (said,) = ledger.overrides
    assert said == {"reason": "the disk died", "against": doubt.against}
    assert PLACE in doubt.against
    assert "8 entries" in doubt.against
    again = opened(path)
    assert again.attend(Witness(tmp_path / "w")) is None
    assert again.overrides == (said,)
    assert again.verify() == 2

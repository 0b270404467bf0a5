"""Ledgers restored from exports and damaged files never allow more than was left before."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest

from ledger.books import COST, OPENING, answer, at, eventful, lose
from peekproof.core.errors import (
    BudgetElsewhere,
    InvalidInput,
    LedgerClosed,
    LedgerDamaged,
    LedgerError,
    LedgerMismatch,
    LedgerRolledBack,
    LedgerUnavailable,
)
from peekproof.ledger import restoration
from peekproof.ledger.entry import Body, follow
from peekproof.ledger.export import export
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.log import load
from peekproof.ledger.restoration import Restored, restore
from peekproof.ledger.snapshot import taken
from peekproof.ledger.sqlite import SqliteStore
from peekproof.ledger.state import State
from peekproof.ledger.witness import Witness


@dataclass
class Book:
    """A ledger that was in use under the eyes of a witness, and what it said."""

    path: Path
    folder: Path
    state: State

    @property
    def witness(self) -> Witness:
        return Witness(self.folder)

    def restored(self, source: Path | None = None, **given: object) -> Restored:
        return restore(source or self.path, self.path, witness=self.witness, **given)  # type: ignore[arg-type]

    def opened(self) -> Ledger:
        """The restored ledger as a session opens it."""
        ledger = Ledger.open(str(self.path))
        ledger.attend(self.witness)
        return ledger


def fill(ledger: Ledger) -> None:
    """Seven of ten questions, one of them never answered, over several pages."""
    answer(ledger, "p", "q" * 900)
    ledger.set_aside({"Ana": Fraction(1, 10)})
    answer(ledger, "r")
    ledger.override(reason="a test", against="a copy")
    answer(ledger, "s" * 3000)
    lose(ledger, "t")
    answer(ledger, "u" * 700)
    answer(ledger, "v")


ENTRIES = 14
LEFT = 2  # and one for Ana alone


@pytest.fixture
def book(path: Path, tmp_path: Path) -> Book:
    folder = tmp_path / "witness"
    with closing(Ledger.create(str(path), OPENING)) as ledger:
        ledger.attend(Witness(folder))
        fill(ledger)
        state = ledger.look()
        assert state.last
        assert state.last.sequence == ENTRIES
    return Book(path, folder, state)


def flip(path: Path, position: int, *, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1 << bit
    path.write_bytes(content)


def exported(book: Book, name: str = "people.jsonl") -> Path:
    place = book.path.with_name(name)
    with closing(Ledger.open(str(book.path))) as ledger, place.open("w") as file:
        export(ledger, file)
    return place


def grants(ledger: Ledger) -> int:
    """How many new questions it pays for."""
    paid = 0
    while True:
        try:
            found = ledger.lose({f"new {paid}": "x > 1"}, offers=at(COST))
        except LedgerClosed:
            return paid
        if not isinstance(found, Written):
            return paid
        paid += 1


def check_never_more(ledger: Ledger, before: State) -> None:
    """All that was spent is spent, and no answer is another."""
    after = ledger.look()
    assert after.spent.amount >= before.spent.amount
    assert after.draws >= before.draws
    for digest, settled in after.answers.items():
        assert before.answers[digest] == settled
    assert set(after.answers) == set(before.answers) or after.closed
    assert grants(ledger) <= 10 - before.draws


# One flipped bit ------------------------------------------------------------------------------


def test_a_flipped_bit_in_an_entry_is_undone_and_nothing_is_lost(book: Book) -> None:
    flip(book.path, _body(book.path, 6))
    with pytest.raises(LedgerDamaged):
        Ledger.open(str(book.path))
    found = book.restored()
    assert (found.entries, found.lost, found.mended) == (ENTRIES, 0, 1)
    with closing(book.opened()) as ledger:
        assert ledger.verify() == ENTRIES + 1
        assert ledger.look().spent == book.state.spent
        assert dict(ledger.answers()) == dict(book.state.answers)
        assert ledger.look().unanswered.keys() == book.state.unanswered.keys()
        assert grants(ledger) == LEFT
        (mine,) = [each for each in ledger.overrides if "restored" in each]
        assert "14 entries" in mine["reason"]
        assert "one flipped bit" in mine["reason"]


def _body(path: Path, sequence: int) -> int:
    """A byte within the body of an entry."""
    with closing(sqlite3.connect(path)) as connection:
        (digest,) = connection.execute(
            "SELECT digest FROM entry WHERE sequence = ?", (sequence,)
        ).fetchone()
    return path.read_bytes().index(digest) - 20


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_in_a_digest_is_undone_if_the_next_entry_tells(book: Book, bit: int) -> None:
    flip(book.path, _body(book.path, 6) + 25, bit=bit)
    assert (book.restored().lost, grants(book.opened())) == (0, LEFT)


def test_two_flipped_bits_of_an_entry_end_what_is_intact(book: Book) -> None:
    place = _body(book.path, 6)
    flip(book.path, place)
    flip(book.path, place - 3)
    found = book.restored()
    assert (found.entries, found.lost, found.mended) == (5, ENTRIES - 5, 0)
    with closing(book.opened()) as ledger:
        check_never_more(ledger, book.state)
        with pytest.raises(LedgerClosed, match="9 entries or more could not be"):
            lose(ledger, "w")
        assert lose(ledger, "p").digests == ()  # what is known stays free
        assert ledger.look().spent == OPENING.budget


def test_the_damaged_file_is_kept_as_it_was(book: Book) -> None:
    flip(book.path, _body(book.path, 6))
    content = book.path.read_bytes()
    first = book.restored().kept
    assert first
    assert Path(first).read_bytes() == content
    assert first.startswith(f"{book.path}.damaged-")
    flip(book.path, _body(book.path, 6))
    second = book.restored().kept
    assert second
    assert second != first
    assert Path(first).read_bytes() == content


def regions(path: Path) -> dict[str, list[int]]:
    """Used bytes of the file by the page they are on, and all of the header."""
    content = path.read_bytes()
    found = {"header": list(range(100))}
    for page in range(len(content) // 4096):
        start = page * 4096 + (100 if page == 0 else 0)
        used = [at for at in range(start, (page + 1) * 4096) if content[at]]
        found[f"page {page + 1}"] = used
    return found


def test_no_flipped_bit_of_a_file_buys_a_question(book: Book, tmp_path: Path) -> None:
    """The file has entries, overflow pages, a snapshot with its index, and free pages."""
    with closing(SqliteStore.open(str(book.path))) as store:
        state, _ = load(store, lock=threading.RLock())
        store.save(taken(state), state.unindexed)
    with closing(sqlite3.connect(book.path)) as connection:
        connection.execute("CREATE TABLE gone (text)")
        connection.execute("INSERT INTO gone VALUES (?)", ("x" * 9_000,))
        connection.execute("DROP TABLE gone")
        connection.commit()
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 1
    content = book.path.read_bytes()
    chance, outcomes = random.Random(11), {"whole": 0, "mended": 0, "closed": 0, "refused": 0}
    for number, used in enumerate(regions(book.path).values()):
        for position in chance.sample(used, min(6, len(used))):
            trial = tmp_path / f"trial-{number}-{position}"
            trial.mkdir()
            place = trial / "ledger.peekproof"
            place.write_bytes(content)
            flip(place, position, bit=chance.randrange(8))
            outcomes[outcome(place, book)] += 1
            shutil.rmtree(trial)
    assert all(outcomes.values()), outcomes


def outcome(place: Path, book: Book) -> str:
    """What became of a damaged file; whatever it is, nothing was gained."""
    folder = place.with_name("witness")
    seen = book.witness.known(OPENING.fingerprint, ledger="")
    assert seen
    Witness(folder).adopt(OPENING.fingerprint, replace(seen, place=str(place)))
    try:
        found = restore(place, place, witness=Witness(folder))
        said = "closed" if found.lost else "mended"
    except InvalidInput:
        said = "whole"
    except LedgerError:
        return "refused"
    with closing(Ledger.open(str(place))) as ledger:
        ledger.attend(Witness(folder))
        ledger.verify()
        check_never_more(ledger, book.state)
    return said


def test_no_flipped_bit_of_a_log_buys_a_question(book: Book, tmp_path: Path) -> None:
    ledger = Ledger.open(str(book.path))
    ledger.attend(book.witness)
    answer(ledger, "w")
    lose(ledger, "x")
    book.state = ledger.look()
    log = Path(f"{book.path}-wal")
    used = [at for at, byte in enumerate(log.read_bytes()) if byte]
    chance, outcomes = random.Random(12), dict[str, int]()
    for position in [8, 20, 24, 30, 40, *chance.sample(used, 20)]:
        trial = tmp_path / f"trial-{position}"
        trial.mkdir()
        place = trial / "ledger.peekproof"
        shutil.copyfile(book.path, place)
        shutil.copyfile(log, f"{place}-wal")
        flip(Path(f"{place}-wal"), position, bit=chance.randrange(8))
        found = outcome(place, book)
        outcomes[found] = outcomes.get(found, 0) + 1
        shutil.rmtree(trial)
    ledger.close()
    assert outcomes.get("closed", 0) > 12, outcomes


def test_a_damaged_first_page_loses_nothing(book: Book) -> None:
    content = bytearray(book.path.read_bytes())
    content[:4096] = os.urandom(4096)
    book.path.write_bytes(content)
    found = book.restored()
    assert (found.entries, found.lost, found.mended) == (ENTRIES, 0, 0)
    assert grants(book.opened()) == LEFT


# What was lost --------------------------------------------------------------------------------


def test_an_export_that_has_all_that_was_seen_loses_nothing(book: Book) -> None:
    source = exported(book)
    book.path.unlink()
    found = book.restored(source)
    assert (found.entries, found.lost, found.kept) == (ENTRIES, 0, None)
    with closing(book.opened()) as ledger:
        assert [each.digest for each in ledger.entries()[:ENTRIES]] == digests(source)
        assert ledger.opening == OPENING
        assert grants(ledger) == LEFT


def digests(source: Path) -> list[bytes]:
    lines = [json.loads(line) for line in source.read_text().splitlines()[:-1]]
    return [bytes.fromhex(line["digest"]) for line in lines]


def test_an_export_older_than_what_was_seen_allows_nothing_new(book: Book) -> None:
    source = exported(book)
    with closing(book.opened()) as ledger:
        answer(ledger, "w")
    book.path.unlink()
    assert book.restored(source).lost == 2
    with closing(book.opened()) as ledger:
        assert grants(ledger) == 0
        assert "2 or more entries that were written are lost" in ledger.overrides[-1]["against"]


def test_a_cut_export_is_refused(book: Book) -> None:
    source = exported(book)
    source.write_text("".join(source.read_text().splitlines(keepends=True)[:-1]))
    flip(book.path, _body(book.path, 6))
    before = book.path.read_bytes()
    with pytest.raises(LedgerDamaged, match="cut off"):
        book.restored(source)
    assert book.path.read_bytes() == before


def test_entries_after_the_damage_count_even_if_nobody_saw_them(book: Book) -> None:
    record = next(book.folder.iterdir()).read_bytes()
    with closing(book.opened()) as ledger:
        answer(ledger, "w")
    next(book.folder.iterdir()).write_bytes(record)  # as after a power cut
    place = _body(book.path, ENTRIES + 1)
    flip(book.path, place)
    flip(book.path, place - 3)
    assert book.restored().lost == 2
    assert grants(book.opened()) == 0


def test_without_a_witness_the_custodian_has_to_say_why(book: Book, tmp_path: Path) -> None:
    flip(book.path, _body(book.path, 6))
    for witness in (None, Witness(tmp_path / "knows nothing")):
        with pytest.raises(InvalidInput, match="reason must be given"):
            restore(book.path, book.path, witness=witness)
    restore(book.path, book.path, witness=None, reason="nobody asked after May")
    with closing(Ledger.open(str(book.path))) as ledger:
        assert grants(ledger) == LEFT
        assert "nobody asked after May" in ledger.overrides[-1]["reason"]


def test_a_reason_does_not_bring_back_what_is_visibly_lost(book: Book) -> None:
    place = _body(book.path, 6)
    flip(book.path, place)
    flip(book.path, place - 3)
    restore(book.path, book.path, witness=None, reason="nobody asked after May")
    with closing(Ledger.open(str(book.path))) as ledger:
        assert grants(ledger) == 0


def test_a_reason_where_a_witness_tells_is_refused(book: Book) -> None:
    flip(book.path, _body(book.path, 6))
    with pytest.raises(InvalidInput, match="nothing to override"):
        book.restored(reason="it is all there")


def test_a_damaged_witness_needs_a_reason_and_is_recorded(book: Book) -> None:
    flip(book.path, _body(book.path, 6))
    (record,) = book.folder.iterdir()
    record.write_bytes(b"x" + record.read_bytes()[1:])
    with pytest.raises(InvalidInput, match="reason must be given"):
        book.restored()
    book.restored(reason="it is the only one")
    with closing(book.opened()) as ledger:
        assert "a damaged witness" in ledger.overrides[-1]["against"]
        assert grants(ledger) == LEFT


# What is refused ------------------------------------------------------------------------------


def test_a_whole_ledger_is_not_restored(book: Book) -> None:
    source = exported(book)
    before = book.path.read_bytes()
    for each in (book.path, source):
        with pytest.raises(InvalidInput, match="is whole"):
            book.restored(each)
    with pytest.raises(InvalidInput, match="is whole"):
        restore(source, book.path.with_name("other"), witness=book.witness)
    with pytest.raises(InvalidInput, match="is whole"):
        restore(source, book.path, witness=None, reason="a reason")
    assert book.path.read_bytes() == before


def test_a_ledger_that_is_out_of_date_may_be_replaced_by_a_full_export(book: Book) -> None:
    old = book.path.read_bytes()
    with closing(book.opened()) as ledger:
        answer(ledger, "w")
    source = exported(book)
    book.path.write_bytes(old)
    with pytest.raises(LedgerRolledBack):
        book.opened()
    found = book.restored(source)
    assert found.kept
    assert Path(found.kept).read_bytes() == old
    assert grants(book.opened()) == LEFT - 1


def test_another_ledger_of_the_data_is_not_displaced(book: Book, tmp_path: Path) -> None:
    source = exported(book)
    other = tmp_path / "other.peekproof"
    with closing(Ledger.create(str(other), replace(OPENING, name="b"))) as new:
        new.attend(book.witness, override="the first is lost")
    book.path.unlink()
    with pytest.raises(BudgetElsewhere):
        book.restored(source)
    assert not book.path.exists()


def test_a_copy_that_went_on_by_itself_is_refused(book: Book) -> None:
    copy = shutil.copyfile(book.path, book.path.with_name("copy.peekproof"))
    with closing(book.opened()) as ledger:
        answer(ledger, "w")
    with closing(Ledger.open(str(copy))) as ledger:
        answer(ledger, "other")
        answer(ledger, "another")
    book.path.unlink()
    with pytest.raises(LedgerRolledBack, match="went on by itself"):
        book.restored(copy)


def test_neither_other_data_nor_other_files_are_set_aside(book: Book, tmp_path: Path) -> None:
    source = exported(book)
    book.path.unlink()
    csv, other = tmp_path / "people.csv", tmp_path / "other.peekproof"
    csv.write_text("age\n1\n")
    Ledger.create(str(other), replace(OPENING, fingerprint="pp1-2")).close()
    with pytest.raises(InvalidInput, match="a ledger to be replaced"):
        restore(source, csv, witness=book.witness)
    with pytest.raises(LedgerMismatch, match="fingerprint"):
        restore(source, other, witness=book.witness)
    with pytest.raises(LedgerUnavailable, match="is not a file"):
        restore(tmp_path / "nothing", other, witness=book.witness)
    assert csv.read_text() == "age\n1\n"


def test_a_file_that_can_only_be_read_is_restored(book: Book) -> None:
    flip(book.path, 18, bit=2)  # which version may write it
    assert book.restored().lost == 0
    assert grants(book.opened()) == LEFT


@pytest.mark.parametrize("content", [b"", b"x" * 9000])
def test_a_file_without_a_first_entry_gives_nothing(book: Book, content: bytes) -> None:
    book.path.write_bytes(content)
    with pytest.raises(LedgerDamaged, match="no first entry") as caught:
        book.restored()
    assert book.path.read_bytes() == content
    assert "what is intact" not in str(caught.value)  # that is what was tried
    for command in ("ledger restore EXPORT --to PATH", "ledger adopt PATH"):
        assert command in str(caught.value)


# Those who have it open -----------------------------------------------------------------------


def test_who_still_has_the_old_ledger_open_is_refused(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = exported(book)
    with closing(book.opened()) as old:
        pending = lose(old, "w")
        book.path.unlink()
        assert book.restored(source).lost == 1
        with closing(book.opened()) as new:
            with pytest.raises(LedgerUnavailable, match="removed or replaced"):
                lose(old, "y")
            monkeypatch.setattr(SqliteStore, "_check_there", lambda _: None)
            with pytest.raises(BudgetElsewhere):  # by the witness, also if the file did not tell
                lose(old, "y")
            with pytest.raises(BudgetElsewhere):
                old.recover(pending, {"w": Fraction(1, 2)})
            check_never_more(new, book.state)


def test_a_ledger_that_goes_on_while_it_is_restored_keeps_the_budget(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the witness and the restored file, someone with the old one asks.

    As if the name had gone only just after that.
    """
    monkeypatch.setattr(SqliteStore, "_check_there", lambda _: None)
    source = exported(book)
    plain = restoration._set_aside
    with closing(book.opened()) as old:
        book.path.unlink()

        def late(target: Path) -> str | None:
            answer(old, "w")
            return plain(target)

        monkeypatch.setattr(restoration, "_set_aside", late)
        with pytest.raises(BudgetElsewhere):
            book.restored(source)
        with pytest.raises(BudgetElsewhere):
            book.opened()
        answer(old, "x")


def test_what_was_restored_before_a_crash_is_taken_up_by_whoever_opens_it(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = exported(book)
    book.path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "attend", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            book.restored(source)
    assert grants(book.opened()) == LEFT
    seen = book.witness.known(OPENING.fingerprint, ledger="")
    assert seen
    assert seen.sequence > ENTRIES


def test_a_ledger_can_be_restored_again(book: Book) -> None:
    for _ in range(2):
        flip(book.path, _body(book.path, 6))
        assert book.restored().lost == 0
    with closing(book.opened()) as ledger:
        assert ledger.verify() == ENTRIES + 2
        assert grants(ledger) == LEFT


@pytest.mark.parametrize("linked", ["source", "target", "both"])
def test_through_a_link_the_log_beside_the_file_itself_counts(
    linked: str, book: Book, tmp_path: Path
) -> None:
    real, link = tmp_path / "real" / "people.peekproof", tmp_path / "link.peekproof"
    real.parent.mkdir()
    link.symlink_to(real)
    position = _body(book.path, 6)
    with closing(Ledger.open(str(book.path))) as ledger:
        lose(ledger, "w")  # is in the log only
        for end in ("", "-wal"):
            shutil.copyfile(f"{book.path}{end}", f"{real}{end}")
    book.path.unlink()
    flip(real, position)
    source, target = (real if linked == "target" else link), (real if linked == "source" else link)
    found = restore(source, target, witness=None, reason="nobody asked")
    assert found.kept
    assert Path(f"{found.kept}-wal").exists()
    assert not Path(f"{real}-wal").exists()
    assert link.is_symlink()
    with closing(Ledger.open(str(link))) as ledger:
        assert ledger.draws() == book.state.draws + 1
        assert grants(ledger) == LEFT - 1


def test_a_log_beside_no_ledger_is_not_met_by_the_new_one(book: Book) -> None:
    source = exported(book)
    ledger = Ledger.open(str(book.path))
    lose(ledger, "w")
    log = Path(f"{book.path}-wal").read_bytes()
    ledger.close()
    book.path.unlink()
    Path(f"{book.path}-wal").write_bytes(log)
    found = book.restored(source)
    assert found.kept
    assert Path(f"{found.kept}-wal").read_bytes() == log
    with closing(book.opened()) as ledger:
        assert ledger.verify() == ENTRIES + 1


# The fold -------------------------------------------------------------------------------------


def folded(ledger: Ledger, **changes: object) -> State:
    state = State("x")
    for entry in ledger.entries():
        state.apply(entry)
    assert state.last
    body: Body = {
        "format": 1,
        "source": "an export",
        "continues": "00",
        "entries": state.last.sequence,
        "digest": state.last.digest.hex(),
        "lost": 0,
        "reason": "",
        "against": "nothing",
        **changes,
    }
    state.apply(follow(state.last, "restore", body))
    return state


def test_a_restoration_that_lost_nothing_changes_no_sum(memory: Ledger) -> None:
    eventful(memory)
    state, before = folded(memory), memory.look()
    assert (state.spent, state.draws, state.closed) == (before.spent, before.draws, False)
    assert state.origin == 7
    assert (memory.seen.origin, state.why_closed) == (1, "")


def test_a_restoration_that_lost_an_entry_spends_everything(memory: Ledger) -> None:
    eventful(memory)
    state = folded(memory, lost=1)
    assert (state.spent, state.draws, state.closed) == (OPENING.budget, OPENING.questions, True)
    assert "an entry or more" in state.why_closed


@pytest.mark.parametrize(
    "changes",
    [{"entries": 5}, {"entries": 7}, {"digest": "00" * 32}, {"lost": -1}, {"lost": "0"}],
)
def test_a_restoration_of_something_else_is_damage(
    changes: dict[str, object], memory: Ledger
) -> None:
    eventful(memory)
    with pytest.raises(LedgerDamaged, match="restored"):
        folded(memory, **changes)


def test_a_snapshot_remembers_what_was_lost(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    place = _body(book.path, 6)
    flip(book.path, place)
    flip(book.path, place - 3)
    book.restored()
    monkeypatch.setattr("peekproof.ledger.log._DUE", 2)
    for _ in range(2):  # the second opens from the snapshot that the first took
        with closing(book.opened()) as ledger:
            assert (ledger.seen.origin, ledger.seen.lost) == (6, ENTRIES - 5)
            assert ledger.verify() == 6
            with pytest.raises(LedgerClosed, match="when it was restored"):
                lose(ledger, "w")

"""A ledger moves between a file and PostgreSQL, and only one of the two ever goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from crash.harness import Child, deadly
from ledger.books import OPENING, answer, eventful, lose
from ledger.postgres_server import Database
from peekproof.core.errors import (
    InvalidInput,
    LedgerDamaged,
    LedgerError,
    LedgerMismatch,
    LedgerMoved,
    LedgerUnavailable,
)
from peekproof.ledger import postgres, sqlite
from peekproof.ledger.export import export
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.move import move
from peekproof.ledger.postgres import Arrival, PostgresStore
from peekproof.ledger.postgres_place import Address
from peekproof.ledger.restoration import restore
from peekproof.ledger.sqlite import FileArrival, SqliteStore
from peekproof.ledger.witness import Seen, Witness

ENTRIES = 6
MOVE = 3  # entries: that it goes, which copy goes on, that it has arrived


@pytest.fixture
def witness(tmp_path: Path) -> Callable[[], Witness]:
    return lambda: Witness(tmp_path / "witness")


@pytest.fixture
def file(path: Path, witness: Callable[[], Witness]) -> str:
    with closing(Ledger.create(str(path), OPENING)) as ledger:
        ledger.attend(witness())
        eventful(ledger)
    return str(path)


@pytest.fixture
def target(database: Database) -> str:
    return database.place("people")


def goes_on(place: str, witness: Witness | None) -> bool:
    """Whether a session could ask something new there."""
    if not Ledger.exists(place):
        return False
    with closing(Ledger.open(place)) as ledger:
        try:
            if witness:
                ledger.attend(witness)
            lose(ledger, f"new {ledger.draws()}")
        except LedgerError:
            return False
    return True


def digests(place: str) -> list[bytes]:
    with closing(Ledger.open(place)) as ledger:
        return [entry.digest for entry in ledger.entries()]


def test_all_entries_are_carried_over_and_the_file_says_where(
    file: str, target: str, witness: Callable[[], Witness]
) -> None:
    before = digests(file)
    found = move(file, target, witness=witness())
    assert found.entries == ENTRIES + MOVE
    assert digests(target) == digests(file)
    assert digests(target)[:ENTRIES] == before
    with closing(Ledger.open(file)) as old:  # it can still be read
        assert old.verify() == ENTRIES + MOVE
        for attempt in (lambda: old.attend(witness()), lambda: lose(old, "x"), old.check_here):
            with pytest.raises(LedgerMoved) as caught:
                attempt()
            assert caught.value.to == found.ledger
    seen = witness().known(OPENING.fingerprint, ledger="")
    assert seen
    assert seen.place == found.ledger
    with closing(Ledger.open(target)) as ledger:
        ledger.attend(witness())
        assert ledger.draws() == 4
        answer(ledger, "x")
        assert ledger.verify() == ENTRIES + MOVE + 2


def test_moving_again_changes_nothing_and_elsewhere_is_refused(
    file: str, target: str, database: Database, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    with closing(Ledger.open(target)) as ledger:
        answer(ledger, "x")
    before = digests(target)
    move(file, target, witness=witness())
    assert digests(target) == before
    with pytest.raises(LedgerMoved):
        move(file, database.place("other"), witness=witness())
    assert not Ledger.exists(database.place("other"))


def test_there_and_back_and_there_again(
    file: str, target: str, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    with closing(Ledger.open(target)) as ledger:
        answer(ledger, "x")
    move(target, file, witness=witness())
    assert not goes_on(target, None)
    with closing(Ledger.open(file)) as ledger:
        ledger.attend(witness())
        answer(ledger, "y")
        assert ledger.draws() == 6
    move(file, target, witness=witness())
    assert not goes_on(file, None)
    assert goes_on(target, witness())


def test_to_a_new_file_and_what_is_there_is_not_replaced(
    file: str, target: str, tmp_path: Path, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    other = str(tmp_path / "other.peekproof")
    Ledger.create(other, replace(OPENING, name="another")).close()
    with pytest.raises(LedgerMismatch):
        move(target, other, witness=witness())
    assert goes_on(target, witness())
    new = str(tmp_path / "new.peekproof")
    move(target, new, witness=witness())
    assert digests(new) == digests(target)
    assert Path(new).stat().st_mode & 0o077 == 0
    assert goes_on(new, witness())
    assert not goes_on(target, None)


def test_names_and_data_that_are_taken_leave_the_file_as_it_is(
    file: str, target: str, database: Database, witness: Callable[[], Witness]
) -> None:
    Ledger.create(target, replace(OPENING, fingerprint="pp1-2")).close()
    with pytest.raises(LedgerMismatch, match="other data under the name"):
        move(file, target, witness=witness())
    other = database.place("other")
    Ledger.create(other, replace(OPENING, name="another")).close()
    for place in (other, database.place("third")):
        with pytest.raises(LedgerMismatch):
            move(file, place, witness=witness())
    assert goes_on(file, witness())


def test_a_move_within_one_kind_is_refused(file: str, target: str, tmp_path: Path) -> None:
    for source, to in ((file, str(tmp_path / "x")), (target, target)):
        with pytest.raises(InvalidInput, match="TARGET"):
            move(source, to, witness=None)


def test_a_damaged_ledger_does_not_move(
    file: str, target: str, witness: Callable[[], Witness]
) -> None:
    content = bytearray(Path(file).read_bytes())
    content[content.index(b"r > 1")] ^= 1
    Path(file).write_bytes(content)
    with pytest.raises(LedgerDamaged):
        move(file, target, witness=witness())
    assert not Ledger.exists(target)


@contextmanager
def unreachable() -> Iterator[None]:
    """No database answers meanwhile."""

    def connect(address: Address) -> None:
        raise LedgerUnavailable(ledger=address.shown, problem="cannot be reached")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres, "connect", connect)
        yield


def test_a_retired_file_is_only_restored_for_a_reason(
    file: str, target: str, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    for each in (witness(), None):
        with pytest.raises(InvalidInput, match="other machines may go on"):
            restore(Path(file), Path(file), witness=each)
    with unreachable():
        restore(Path(file), Path(file), witness=witness(), reason="the server burnt down")
    assert goes_on(file, witness())
    assert not goes_on(target, witness())


def test_a_ledger_in_a_database_that_is_whole_is_not_restored(
    file: str, target: str, tmp_path: Path, witness: Callable[[], Witness]
) -> None:
    saved = tmp_path / "saved.jsonl"
    with closing(Ledger.open(file)) as ledger, saved.open("w") as out:
        export(ledger, out)
    move(file, target, witness=witness())
    new = tmp_path / "new.peekproof"
    with pytest.raises(InvalidInput, match="which is whole; go on with it"):
        restore(saved, new, witness=witness(), reason="I believe that it is lost")
    assert not new.exists()
    assert goes_on(target, witness())


def test_a_ledger_that_was_taken_elsewhere_is_not_delivered_again(
    file: str, target: str, tmp_path: Path, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    new, taken = tmp_path / "new.peekproof", tmp_path / "taken.peekproof"
    move(target, str(new), witness=witness())
    with closing(Ledger.open(str(new))) as ledger:
        answer(ledger, "x")
    new.rename(taken)
    for each in (witness(), Witness(tmp_path / "of another host"), None):
        with pytest.raises(LedgerMoved, match="delivered only once") as caught:
            move(target, str(new), witness=each)
        assert caught.value.delivered
        assert not new.exists()
    assert goes_on(str(taken), witness())


@pytest.mark.parametrize("completed", ["the first", "the second"])
def test_of_copies_on_two_hosts_only_one_is_ever_usable(
    completed: str, file: str, target: str, tmp_path: Path, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    new, first, second = (tmp_path / f"{each}.peekproof" for each in ("new", "1", "2"))

    def other() -> Witness:
        return Witness(tmp_path / "of another host")

    died(FileArrival, "commit", "after", lambda: move(target, str(new), witness=witness()))
    assert not goes_on(str(new), None)  # nobody is answered by a copy that was not released
    new.rename(first)
    died(FileArrival, "commit", "after", lambda: move(target, str(new), witness=other()))
    new.rename(second)
    one, two = (first, second) if completed == "the first" else (second, first)
    one.rename(new)
    move(target, str(new), witness=witness() if completed == "the first" else other())
    new.rename(one)
    two.rename(new)
    for each in (witness(), other(), None):
        with pytest.raises(LedgerMoved):
            move(target, str(new), witness=each)
    assert [goes_on(str(each), None) for each in (one, new)] == [True, False]


def test_a_copy_that_has_not_arrived_says_how_to_complete_the_move(
    file: str, target: str, witness: Callable[[], Witness]
) -> None:
    died(Ledger, "arrive", "before", lambda: move(file, target, witness=witness()))
    with closing(Ledger.open(target)) as copy:
        for attempt in (lambda: copy.attend(witness()), lambda: lose(copy, "x")):
            with pytest.raises(LedgerUnavailable, match=r"has not arrived yet.*ledger move again"):
                attempt()
    move(file, target, witness=witness())
    assert goes_on(target, witness())


def test_a_copy_that_has_not_arrived_is_only_restored_for_a_reason(
    file: str, target: str, tmp_path: Path, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    new = tmp_path / "new.peekproof"
    died(Ledger, "arrive", "before", lambda: move(target, str(new), witness=None))
    mine = Witness(tmp_path / "of another host")
    mine.adopt(OPENING.fingerprint, Seen(digests(file)[0].hex(), 1, digests(file)[0].hex(), file))
    with pytest.raises(InvalidInput, match="other machines may go on"):
        restore(new, tmp_path / "restored.peekproof", witness=mine)


STEPS: dict[str, tuple[object, str]] = {
    "delivering": (Arrival, "deliver"),
    "retiring the file": (SqliteStore, "commit"),
    "showing it": (Arrival, "commit"),
    "telling the witness": (Ledger, "attend"),
    "opening it there": (PostgresStore, "open"),
    "releasing it": (Ledger, "release"),
    "arriving": (Ledger, "arrive"),
    "concluding": (Ledger, "conclude"),
}
BACK: dict[str, tuple[object, str]] = {
    "delivering": (FileArrival, "deliver"),
    "retiring the database": (PostgresStore, "commit"),
    "showing it": (FileArrival, "commit"),
    "naming it": (sqlite, "linked"),
    "releasing it": (Ledger, "release"),
    "arriving": (Ledger, "arrive"),
    "concluding": (Ledger, "conclude"),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_after_a_death_at_any_step_at_most_one_goes_on(
    step: str, when: str, file: str, target: str, witness: Callable[[], Witness]
) -> None:
    home, attribute = STEPS[step]
    died(home, attribute, when, lambda: move(file, target, witness=witness()))
    check_one(file, target, witness)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", BACK)
def test_after_a_death_on_the_way_back_at_most_one_goes_on(
    step: str, when: str, file: str, target: str, witness: Callable[[], Witness]
) -> None:
    move(file, target, witness=witness())
    Path(file).unlink()
    home, attribute = BACK[step]
    died(home, attribute, when, lambda: move(target, file, witness=witness()))
    check_one(target, file, witness)


def died(home: object, attribute: str, when: str, work: Callable[[], object]) -> None:
    def child(_: int) -> None:
        deadly(home, attribute, when=when, nth=1)()
        work()

    Child(child).last_words()


def check_one(source: str, target: str, witness: Callable[[], Witness]) -> None:
    """Also for those who have no witness. Moving again completes it, and nothing is forgotten."""
    for each in (witness, lambda: None):
        assert [goes_on(source, each()), goes_on(target, each())].count(True) <= 1
    with closing(Ledger.open(source)) as ledger:
        drawn = ledger.draws()
    if Ledger.exists(target):
        with closing(Ledger.open(target)) as ledger:
            drawn = max(drawn, ledger.draws())
    move(source, target, witness=witness())
    assert not goes_on(source, None)
    with closing(Ledger.open(target)) as ledger:
        assert ledger.draws() == drawn
    assert goes_on(target, witness())

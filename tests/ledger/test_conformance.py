"""Every kind of store obeys the laws, and stores that lie do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, final

import pytest

from ledger.engines import files, memory, postgres
from peekproof.ledger.entry import Entry
from peekproof.ledger.places import create_store, open_store
from peekproof.ledger.store import Snapshot, Store
from peekproof.testing.ledgers import LASTING, LAWS, TAMPERING, Engine, Law

T = TypeVar("T")

EVERYWHERE = (*LAWS, *TAMPERING)
every_law = pytest.mark.parametrize("law", EVERYWHERE, ids=lambda law: law.__name__)
every_lasting_law = pytest.mark.parametrize(
    "law", [*EVERYWHERE, *LASTING], ids=lambda law: law.__name__
)


@every_law
def test_the_law_holds_in_memory(law: Law) -> None:
    law(memory())


@every_lasting_law
def test_the_law_holds_in_files(law: Law, tmp_path: Path) -> None:
    law(files(tmp_path))


@every_lasting_law
def test_the_law_holds_in_postgresql(law: Law, request: pytest.FixtureRequest) -> None:
    law(postgres(request.getfixturevalue("database")))


@final
@dataclass
class Bent:
    """A store of which one part is bent; what is not given is as the store within has it."""

    within: Store
    written: Callable[[Sequence[Entry]], Sequence[Entry]] = lambda entries: entries
    locks: bool = True
    commits: bool = True
    indexed: Callable[[Iterable[tuple[str, int]]], Iterable[tuple[str, int]]] = lambda rows: rows
    found: Callable[[list[Entry]], list[Entry]] = lambda entries: entries

    @property
    def place(self) -> str:
        return self.within.place

    def begin(self, *, after: int) -> list[Entry]:
        if self.locks:
            return self.within.begin(after=after)
        return self.within.read(after=after, most=10**6)

    def commit(self, entries: Sequence[Entry]) -> None:
        if not self.locks:
            self.within.begin(after=1)
        if self.commits:
            self.within.commit(self.written(entries))
        else:
            self.within.rollback()

    def rollback(self) -> None:
        self.within.rollback()

    def read(self, *, after: int, most: int) -> list[Entry]:
        return self.found(self.within.read(after=after, most=most))

    def snapshot(self) -> Snapshot | None:
        return self.within.snapshot()

    def save(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:
        self.within.save(snapshot, self.indexed(settled))

    def settled(self, digest: str) -> int | None:
        return self.within.settled(digest)

    def index(self) -> Iterator[tuple[str, int]]:
        return self.within.index()

    def close(self) -> None:
        self.within.close()


def bent(folder: Path, bend: Callable[[Store], Bent]) -> Engine:
    def forge(store: Store, entries: Sequence[Entry]) -> None:
        assert isinstance(store, Bent)
        straight.forge(store.within, entries)

    straight = files(folder)
    return replace(
        straight,
        create=lambda place, first: bend(create_store(place, first)),
        open=lambda place: bend(open_store(place)),
        forge=forge,
    )


def broken(engine: Engine, *laws: str) -> set[str]:
    """Which of these laws it breaks; of all if none is named."""
    names = set()
    for law in (*EVERYWHERE, *LASTING):
        if not laws or law.__name__ in laws:
            try:
                law(engine)
            except Exception:
                names.add(law.__name__)
    return names


def test_the_unbent_one_passes(tmp_path: Path) -> None:
    assert broken(bent(tmp_path, Bent)) == set()


CHEATS: dict[str, tuple[Callable[[Store], Bent], set[str]]] = {
    "drops the last entry": (
        lambda store: Bent(store, written=lambda entries: entries[:-1]),
        {"entries_come_back_as_they_were_written", "charges_are_exact", "what_was_written_lasts"},
    ),
    "drops the last entry of many": (
        lambda store: Bent(store, written=lambda some: some[:-1] or some),
        {"entries_come_back_as_they_were_written"},
    ),
    "forgets a commit": (
        lambda store: Bent(store, commits=False),
        {"charges_are_exact", "what_was_written_lasts", "two_handles_see_each_other"},
    ),
    "does not lock": (
        lambda store: Bent(store, locks=False),
        {"a_writer_keeps_others_out"},
    ),
    "forgets its index": (
        lambda store: Bent(store, indexed=lambda _: ()),
        {"a_snapshot_gives_the_same_state"},
    ),
    "reads in any order": (
        lambda store: Bent(store, found=lambda rows: rows[::-1]),
        {"entries_come_back_as_they_were_written", "replay_gives_the_same_state"},
    ),
}


@pytest.mark.parametrize(("bend", "laws"), CHEATS.values(), ids=CHEATS.keys())
def test_a_store_that_lies_is_caught(
    bend: Callable[[Store], Bent], laws: set[str], tmp_path: Path
) -> None:
    assert broken(bent(tmp_path, bend), *laws) == laws


def test_a_store_that_makes_a_second_budget_is_caught(tmp_path: Path) -> None:
    def anew(place: str, first: Entry) -> Store:
        Path(place).unlink(missing_ok=True)
        return create_store(place, first)

    law = "a_place_is_there_once_it_is_made"
    assert broken(replace(files(tmp_path), create=anew), law) == {law}


def test_a_store_that_reads_what_is_newer_is_caught(tmp_path: Path) -> None:
    law = "a_newer_place_is_refused"
    assert broken(replace(files(tmp_path), newer=lambda place: None), law) == {law}
    assert broken(memory(), law) == {law}

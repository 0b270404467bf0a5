"""A ledger whose writers are killed at every labelled step, and at random, again and again.

The default number of random deaths is small; `make crash` asks for thousands.
"""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from crash.harness import Child, Told, check, deadly, quick_snapshots, worker
from ledger.books import OPENING
from peekproof.core.charge import GDP
from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger import sqlite
from peekproof.ledger.entry import follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.log import Log
from peekproof.ledger.postgres import PostgresStore
from peekproof.ledger.sqlite import SqliteStore, create_file

KILLS = int(os.environ.get("PEEKPROOF_KILLS", "40"))
LARGE = replace(OPENING, questions=10**6, budget=GDP(Fraction(10**6)))


ENGINES = {"SQLite": SqliteStore, "PostgreSQL": PostgresStore}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def made(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[int], str]:
    """Makes ledgers, each of other data."""

    def make(number: int) -> str:
        place = str(tmp_path / f"{number}.peekproof")
        if engine == "PostgreSQL":
            place = request.getfixturevalue("database").place(f"killed {number}")
        Ledger.create(place, replace(LARGE, fingerprint=f"pp1-{number:032x}")).close()
        return place

    return make


@pytest.fixture
def place(made: Callable[[int], str]) -> str:
    return made(0)


STEPS = {
    "begin": ("store", "begin"),
    "commit": ("store", "commit"),
    "show": (Log, "_finish"),
    "write": (Log, "_write"),
    "answer": (Ledger, "write"),
    "lose": (Ledger, "lose"),
    "recover": (Ledger, "recover"),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("nth", [1, 2, 6])
@pytest.mark.parametrize("step", STEPS)
def test_a_writer_killed_at_a_step(step: str, nth: int, when: str, engine: str, place: str) -> None:
    home, attribute = STEPS[step]
    if home == "store":
        home = ENGINES[engine]
    child = Child(worker(place, "a", armed=deadly(home, attribute, when=when, nth=nth)))
    told = [child.last_words()]
    assert told[0].asked
    check(place, told).close()
    told.append(Child(worker(place, "b", most=3)).last_words())
    assert len(told[1].answered) == 3
    check(place, told).close()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["save", "snapshot"])
def test_a_writer_killed_while_it_saves_or_opens(
    step: str, when: str, engine: str, place: str
) -> None:
    with quick_snapshots():
        armed = deadly(ENGINES[engine], step, when=when, nth=1)
        told = [Child(worker(place, "a", most=40, armed=armed)).last_words()]
        told.append(Child(worker(place, "b", most=40)).last_words())
        assert len(told[1].answered) == 40
        check(place, told).close()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["_link", "insert"])
def test_a_creator_killed_at_a_step(step: str, when: str, tmp_path: Path) -> None:
    place = tmp_path / "new.peekproof"

    def create(_: int) -> None:
        deadly(sqlite, step, when=when, nth=1)()
        create_file(place, follow(None, "open", LARGE.to_body()))

    Child(create).last_words()
    Ledger.create(str(place), LARGE).close()
    told = [Child(worker(str(place), "a", most=2)).last_words()]
    check(str(place), told).close()


def test_writers_killed_at_random_lose_nothing_and_gain_nothing(
    made: Callable[[int], str],
) -> None:
    chance = random.Random(1)
    for start in range(0, KILLS, 50):  # a ledger that is looked through often must not grow large
        place, told = made(start), list[Told]()
        with quick_snapshots():
            for number in range(start, min(KILLS, start + 50)):
                crowd = [
                    Child(worker(place, f"{number}-{each}"))
                    for each in range(chance.choice([1, 1, 3]))
                ]
                crowd[0].wait_for_words()
                time.sleep(chance.expovariate(100))
                told += [each.kill() for each in crowd]
                if number % 10 == 0:
                    check(place, told, verify=False).close()
            check(place, told).close()
        assert sum(len(each.answered) for each in told) > len(told) / 4


def test_a_full_disk_loses_nothing_and_gains_nothing(tmp_path: Path) -> None:
    """Files that may not grow behave as a disk that is full: some writes fail, none half."""
    place = str(tmp_path / "ledger.peekproof")
    Ledger.create(place, LARGE).close()

    def starved(pipe: int) -> None:
        size = Path(place).stat().st_size + 40_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            worker(place, "a")(pipe)
        except LedgerUnavailable:
            os.write(pipe, b"refused a\n")

    told = Child(starved).last_words()
    assert told.refused == 1
    assert told.answered
    check(place, [told]).close()
    again = Child(worker(place, "b", most=3)).last_words()
    assert len(again.answered) == 3
    check(place, [told, again]).close()

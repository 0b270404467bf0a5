from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger.books import OPENING, eventful
from ledger.engines import files, postgres
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY
from peekproof.testing.ledgers import Engine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.csv.peekproof"


@pytest.fixture
def opened() -> Iterator[Callable[[Path], Ledger]]:
    """Opens ledgers, creating those that are missing, and closes them after the test."""
    ledgers: list[Ledger] = []

    def open_or_create(place: Path) -> Ledger:
        there = Ledger.exists(str(place))
        ledgers.append(Ledger.open(str(place)) if there else Ledger.create(str(place), OPENING))
        return ledgers[-1]

    yield open_or_create
    for ledger in ledgers:
        ledger.close()


@pytest.fixture
def memory() -> Iterator[Ledger]:
    ledger = Ledger.create(MEMORY, OPENING)
    yield ledger
    ledger.close()


MAKERS: dict[str, Callable[[pytest.FixtureRequest], Engine]] = {
    "SQLite": lambda request: files(request.getfixturevalue("tmp_path")),
    "PostgreSQL": lambda request: postgres(request.getfixturevalue("database")),
}


@pytest.fixture(params=list(MAKERS.values()), ids=list(MAKERS))
def engine(request: pytest.FixtureRequest) -> Engine:
    """Ledgers that several processes can share, of each kind."""
    maker: Callable[[pytest.FixtureRequest], Engine] = request.param
    return maker(request)


@pytest.fixture
def closed(path: Path) -> Path:
    """The file of a ledger with six entries that nobody has open."""
    ledger = Ledger.create(str(path), OPENING)
    eventful(ledger)
    ledger.close()
    assert list(path.parent.iterdir()) == [path]
    return path

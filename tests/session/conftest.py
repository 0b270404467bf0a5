from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peekproof.mechanisms.gaussian import Gaussian
from peekproof.session import Session
from peekproof.session import open as open_session
from session.people import people, write_csv

Opener = Callable[..., Session]


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "people.csv", people())


@pytest.fixture
def place(csv: Path) -> Path:
    """Where the ledger of `csv` lies by default."""
    return csv.with_name("people.csv.peekproof")


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens sessions with noise, unless told otherwise, and closes them after the test."""
    sessions: list[Session] = []

    def open_it(source: object, **arguments: object) -> Session:
        arguments.setdefault("mechanisms", (Gaussian,))
        sessions.append(open_session(source, **arguments))  # type: ignore[arg-type]
        return sessions[-1]

    yield open_it
    for session in sessions:
        session.close()

"""Small ledgers for the tests of this folder, and a second opinion on how they are chained."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path

from peekproof.core.charge import GDP, Offer
from peekproof.core.errors import LedgerError
from peekproof.ledger.entry import FORMAT, Entry, Opening
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.sqlite import SqliteStore
from peekproof.ledger.state import OverLimit

BUDGET = GDP(Fraction(10, 3))
COST = GDP(Fraction(1, 3))  # a third: no sum of floats would be exact
AFFORDABLE = 10

OPENING = Opening(
    fingerprint="pp1-0123456789abcdef0123456789abcdef",
    key="0123456789abcdef" * 4,  # the same in every process
    rows=1000,
    confidence=Fraction(19, 20),
    questions=AFFORDABLE,
    mechanism={"kind": "gaussian", "sigma": "1/100", "step": "1/8192"},
    budget=BUDGET,
    entropy="system",
)

NOBODY = 65534

# Opens a ledger and closes it after the test.
Opened = Callable[[Path], Ledger]


def connection(ledger: Ledger) -> sqlite3.Connection:
    """The one of a ledger in SQLite."""
    store = ledger._log._store
    if not isinstance(store, SqliteStore):
        raise TypeError("another engine")
    return store._connection


def at(cost: GDP) -> Callable[[tuple[str, ...]], list[Offer]]:
    """The same price for every question."""
    return lambda digests: [Offer(cost=cost)] * len(digests)


def lose(ledger: Ledger, *names: str) -> Written:
    """A charge without an answer, which is expected to fit."""
    found = ledger.lose({name: f"{name} > 1" for name in names}, offers=at(COST))
    if not isinstance(found, Written):
        raise TypeError("the charge was refused")
    return found


def answer(ledger: Ledger, *names: str) -> None:
    """Charge, then answer, in two entries; the answers are 1/2, 1/3, …"""
    values = {name: Fraction(1, index + 2) for index, name in enumerate(names)}
    ledger.recover(lose(ledger, *names), values)


def write(ledger: Ledger, *names: str) -> Written:
    """Charge and answer in one entry; the answers are 1/2, 1/3, …"""
    found = asked(ledger, *names)
    if not isinstance(found, Written):
        raise TypeError("the charge was refused")
    return found


def asked(ledger: Ledger, *names: str) -> Written | OverLimit:
    """What comes of asking for these."""
    values = {name: Fraction(1, index + 2) for index, name in enumerate(names)}
    return ledger.write(
        {name: f"{name} > 1" for name in names},
        offers=at(COST),
        release=lambda digests: [values[each] for each in digests],
    )


Line = tuple[str, dict[str, object]]


def lines(ledger: Ledger) -> list[Line]:
    """What the ledger says, without the chain."""
    return [(entry.kind, _said(entry)) for entry in ledger.entries()]


def _said(entry: Entry) -> dict[str, object]:
    """The body but for its time, and its format where the first entry already names it."""
    body = json.loads(entry.text)
    apart = {"at"} if entry.kind == "open" else {"at", "format"}
    return {name: value for name, value in body.items() if name not in apart}


def chained(content: Sequence[Line]) -> list[tuple[int, str, str, bytes]]:
    """Rows of a ledger that says `content`, chained as the format prescribes."""
    rows, previous = [], b"\0" * 32
    for sequence, (kind, body) in enumerate(content, start=1):
        text = json.dumps({"format": FORMAT, **body}, sort_keys=True, separators=(",", ":"))
        previous = hashlib.sha256(previous + f"{sequence}\n{kind}\n{text}".encode()).digest()
        rows.append((sequence, kind, text, previous))
    return rows


def overwrite(path: Path, rows: Sequence[tuple[int, str, str, bytes]]) -> None:
    """Replace what a closed ledger holds, as someone with an editor for databases could."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM entry")
        connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?)", rows)


@contextmanager
def without_privileges(folder: Path) -> Iterator[None]:
    """Act as a user who may read `folder` but not write to it, even if the tests run as root."""
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


def eventful(ledger: Ledger) -> None:
    """Three charges, two of them with answers."""
    answer(ledger, "p", "q")
    answer(ledger, "r")
    lose(ledger, "s")


def refused(path: Path) -> LedgerError:
    """What whoever opens the ledger is told, which names it."""
    try:
        Ledger.open(str(path)).close()
    except LedgerError as error:
        if str(path) in str(error):
            return error
        raise
    raise AssertionError("it was opened")

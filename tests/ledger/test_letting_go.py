"""A ledger that nobody closed: its connection is closed with it, whatever refers to it."""

from __future__ import annotations

import gc
import sqlite3
from typing import cast

from peekproof.ledger.sqlite import MEMORY, SqliteStore


class Connection:
    """Tells when it is gone whether it was closed, where SQLite's complains if it was not."""

    def __init__(self, told: list[bool]) -> None:
        self.told, self.closed = told, False

    def close(self) -> None:
        self.closed = True

    def __del__(self) -> None:
        self.told.append(self.closed)


def test_a_connection_in_a_cycle_is_closed_before_it_is_gone() -> None:
    told: list[bool] = []
    store = SqliteStore(MEMORY, cast(sqlite3.Connection, Connection(told)))
    cycle: list[object] = [store]
    cycle.append(cycle)
    del store, cycle
    gc.collect()

    assert told == [True]

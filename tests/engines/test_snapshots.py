"""The rows of a session stay the same, or the session hears of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import polars as pl
import pytest

from engines.conformance import found
from engines.opening import fill
from ledger.postgres_server import Database, Own
from peekproof.core.errors import DataChanged, EvaluationFailed
from peekproof.data.source import Source
from peekproof.data.sql.address import open_url
from peekproof.query.form import Share
from peekproof.query.tree import Column, Compare, Number

FRAME = pl.DataFrame({"a": [1.0, 2.0, 3.0]})
POSITIVE = [Share(Compare(">", Column("a"), Number(0.0)))]

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
)


@pytest.fixture
def source(own: Database) -> Iterator[Source]:
    own.execute("DROP TABLE IF EXISTS kept")
    fill(own, "kept", FRAME)
    with closing(open_url(f"{own.uri}#kept")) as opened:
        yield opened


def test_answers_stay_while_others_write(own: Database, source: Source) -> None:
    for change in ("UPDATE kept SET a = -a", "INSERT INTO kept VALUES (9)", "DELETE FROM kept"):
        own.execute(change)
        assert found(source, POSITIVE) == [3]


def test_a_new_snapshot_of_the_same_rows_goes_on(own: Database, source: Source) -> None:
    own.execute(CUT)
    assert found(source, POSITIVE) == [3]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE kept SET a = a + 1 WHERE a = 3",
        "INSERT INTO kept VALUES (9)",
        "DELETE FROM kept WHERE a = 1",
        "ALTER TABLE kept RENAME a TO b",
        "DROP TABLE kept",
    ],
)
def test_a_new_snapshot_of_other_rows_is_told(own: Database, source: Source, change: str) -> None:
    own.execute(CUT)
    own.execute(change)
    for _ in range(2):
        with pytest.raises(DataChanged):
            found(source, POSITIVE)


def test_rows_that_were_written_again_are_the_same(own: Database, source: Source) -> None:
    own.execute(CUT)
    own.execute("UPDATE kept SET a = a")
    assert found(source, POSITIVE) == [3]
    assert found(source, POSITIVE) == [3]


def test_a_server_that_is_gone_says_nothing(own_server: Own, own: Database, source: Source) -> None:
    own_server.stop()
    try:
        with pytest.raises(EvaluationFailed) as caught:
            found(source, POSITIVE)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
    finally:
        own_server.start()
    assert found(source, POSITIVE) == [3]


def test_an_idle_session_does_not_hold_a_snapshot_for_ever(own: Database, source: Source) -> None:
    link = source._link  # type: ignore[attr-defined]
    ((shown,),) = link.answers("SHOW idle_in_transaction_session_timeout", [])
    assert shown == "10min"

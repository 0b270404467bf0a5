"""What careful readers once found wrong in the engines for databases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing

import duckdb
import numpy as np
import polars as pl
import pytest

from engines.opening import fill, in_duckdb, in_postgres
from ledger.postgres_server import Database
from peekproof.core.errors import DataChanged, DataError, EvaluationFailed, InvalidInput
from peekproof.data.frame import split
from peekproof.data.load import in_memory, load
from peekproof.data.source import Source
from peekproof.data.sql import statement as statement_module
from peekproof.data.sql.address import open_url
from peekproof.data.sql.database import DatabaseSource
from peekproof.data.sql.duckdb import DuckDBLink
from peekproof.query.question import parse_question

ROWS = 1_200


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    numbers = {name: rng.normal(size=ROWS) for name in ("a", "b", "c", "d")}
    return pl.DataFrame({"id": np.arange(float(ROWS)), **numbers})


@pytest.fixture(params=["duckdb", "postgres"])
def source(request: pytest.FixtureRequest) -> Iterator[Source]:
    made = (
        in_duckdb if request.param == "duckdb" else in_postgres(request.getfixturevalue("database"))
    )
    with closing(made(frame())) as opened:
        yield opened


def totals(source: Source, *texts: str) -> list[object]:
    asked = [parse_question(text, source.schema) for text in texts]
    return [each.reveal() for each in source.totals(asked)]


def test_questions_that_name_numbers_in_another_order_share_no_statement(source: Source) -> None:
    """Both name three numbers in the same order, but on other levels."""
    first = "mean(a + b, 0, 1, 0)", "mean((c * d) / ((a + b) * c), 0, 1, 0)"
    second = "mean(a + b, 0, 1, 0)", "mean(((a + b) * c) / (c * d), 0, 1, 0)"
    whole = in_memory(frame())
    for texts in (first, second, first):
        assert totals(source, *texts) == totals(whole, *texts)


def test_a_part_of_a_part_holds_no_other_rows(source: Source) -> None:
    inside, beside = source, load(frame())
    with ExitStack() as opened:
        for key in ("1" * 32, "2" * 32, "3" * 32):
            parts, others = (
                split(each, {"a": 0.5, "b": 0.5}, by="id", key=key) for each in (inside, beside)
            )
            for name, part in parts.items():
                opened.callback(part.close)
                assert part.rows == others[name].rows
                assert part.fingerprint == others[name].fingerprint
            inside, beside = parts["b"], others["b"]
        assert totals(inside, "a > 0") == totals(beside, "a > 0")


def test_a_split_that_fails_leaves_no_connection_open(database: Database) -> None:
    fill(database, "few", frame()[:3])
    with closing(open_url(f"{database.uri}#few")) as source, closing(database.connect()) as beside:
        with pytest.raises(InvalidInput, match="at least one row"):
            split(source, {"a": 0.9, "b": 0.1}, by="id", key="1" * 32)
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'peekproof'"
        found = 2
        for _ in range(1000):  # a server takes a moment to notice
            ((found,),) = beside.execute(count).fetchall()
            if found == 1:
                break
        assert found == 1


def test_a_batch_with_many_parameters_becomes_several_statements(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statement_module, "_MOST_PARAMETERS", 40)
    texts = [
        f"id in ({', '.join(str(each) for each in range(start, start + 15))})"
        for start in range(0, 150, 10)
    ]
    assert totals(source, *texts) == [15] * 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here")
def test_a_forked_child_does_not_use_the_connection_of_its_parent(source: Source) -> None:
    before = totals(source, "a > 0")
    child = os.fork()
    if child == 0:
        try:
            totals(source, "a > 0")
        except EvaluationFailed:
            source.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert totals(source, "a > 0") == before


def test_the_last_moments_that_64_bits_hold_have_their_fields_in_duckdb() -> None:
    """Wrong variant: a cast fails, and with it this and every later question."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE held (m TIMESTAMP)")
    connection.execute(
        "INSERT INTO held VALUES ('294247-01-10 04:00:54.775806'), ('infinity'), "
        "('290309-12-22 (BC) 00:00:00'), ('2020-02-03')"
    )
    with closing(DatabaseSource(DuckDBLink(connection, (None, None, "held"), "held"))) as source:
        assert totals(source, "year(m) = 294247 and second(m) = 54", "year(m) < 0") == [1, 1]
        assert totals(source, "m is null") == [1]


def test_moments_beyond_64_bits_are_missing_in_postgres(database: Database) -> None:
    database.execute("CREATE TABLE late (m timestamp, z timestamptz)")
    for second in ("54.775807", "54.775808", "59"):
        moment = f"294247-01-10 04:00:{second}"
        database.execute(f"INSERT INTO late VALUES ('{moment}', '{moment}Z')")
    with closing(open_url(f"{database.uri}#late")) as source:
        assert totals(source, "m is null", "z is null") == [2, 2]
        assert totals(source, "year(m) = 294247 and second(z) = 54") == [1]


def test_a_table_that_has_changed_is_not_split(database: Database) -> None:
    fill(database, "changing", frame())
    with closing(open_url(f"{database.uri}#changing")) as source:
        database.execute("INSERT INTO changing (id, a) VALUES (-1, 1)")
        with pytest.raises(DataChanged):
            split(source, {"a": 0.5, "b": 0.5}, by="id")


def test_the_scheme_of_an_address_may_be_in_capitals() -> None:
    with pytest.raises(DataError, match="does not exist"):
        open_url("DUCKDB:///no-such-file#held")

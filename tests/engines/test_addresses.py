"""Opening tables by address, and what is said when that fails."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import duckdb
import ibis
import polars as pl
import pytest

from engines.conformance import found
from engines.opening import file_of, fill
from ledger.postgres_server import Database
from peekproof.core.errors import DataError, EvaluationFailed, InvalidInput
from peekproof.data.load import in_memory, load
from peekproof.data.source import Source
from peekproof.data.sql.address import from_ibis, open_url
from peekproof.query.form import Form, Histogram, Share, Values
from peekproof.query.tree import Column, Compare, Matches, Member, Number

FRAME = pl.DataFrame({"a": [1.0, 2.0, None], "s": ["x", "y'; DROP TABLE held; --", None]})
SECRET = "s3cret"


def test_a_file_of_duckdb_is_opened_by_its_address(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = file_of(tmp_path, FRAME)
    source = open_url(f"duckdb://{path}#held", progress=lambda *both: seen.append(both))
    memory = in_memory(FRAME)
    assert isinstance(source, Source)
    assert load(source) is source
    assert (source.rows, source.schema) == (3, memory.schema)
    assert source.fingerprint == memory.fingerprint
    assert not source.ordered
    assert seen[-1] == (3, 3)
    assert found(source, [Share(Compare(">", Column("a"), Number(1.5)))]) == [1]
    source.close()
    source.close()
    with pytest.raises(EvaluationFailed):
        found(source, [Share(Compare(">", Column("a"), Number(1.5)))])


def test_a_table_of_postgres_is_opened_by_its_address(database: Database) -> None:
    fill(database, "Some table", FRAME)
    for name in ("Some%20table", "public.Some%20table"):
        source = open_url(f"{database.uri}#{name}")
        assert source.fingerprint == in_memory(FRAME).fingerprint
        assert source.schema == in_memory(FRAME).schema
        source.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_table_of_ibis_is_a_source(tmp_path: Path) -> None:
    connection = ibis.duckdb.connect(file_of(tmp_path, FRAME))
    table = connection.table("held")
    source = from_ibis(table)
    assert source.fingerprint == in_memory(FRAME).fingerprint
    connection.con.execute("DELETE FROM held")
    assert found(source, [Share(Compare(">", Column("a"), Number(0.0)))]) == [2]
    with pytest.raises(DataError, match="is not a table of DuckDB or PostgreSQL"):
        from_ibis(table.filter(table.a > 1))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_table_of_ibis_in_postgres_is_a_source(database: Database) -> None:
    fill(database, "held_by_ibis", FRAME)
    connection = ibis.postgres.from_connection(database.connect())
    source = from_ibis(connection.table("held_by_ibis"))
    assert source.fingerprint == in_memory(FRAME).fingerprint
    source.close()
    connection.disconnect()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("mysql://host/db#t", "names no table"),
        ("held.csv", "names no table"),
        ("duckdb:///nowhere.duckdb", "names no table"),
        ("duckdb:///nowhere.duckdb#", "names no table"),
        ("duckdb:///nowhere.duckdb#a.b.c", "names no table"),
        ("duckdb:///nowhere.duckdb#held", "does not exist"),
        ("duckdb:///#held", "is a folder"),
    ],
)
def test_an_address_without_a_table_is_refused(url: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        open_url(url)


@pytest.mark.parametrize(
    "start",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/db",
        f"postgresql://ann:{SECRET}@x@127.0.0.1:1/db",
        f"postgresql://ann:{SECRET}#x@127.0.0.1:1/db",
        f"postgresql://ann:1#{SECRET}@127.0.0.1:1/db",
        f"postgresql://ann:{SECRET}/db",
        f"postgresql://127.0.0.1:1/db?password={SECRET}",
        f"postgresql://127.0.0.1:1/db?pasword={SECRET}",
    ],
)
def test_no_error_repeats_a_password(start: str) -> None:
    for url in (f"{start}#held", start):
        with pytest.raises(DataError) as caught:
            open_url(url)
        text = f"{caught.value} {caught.value!r} {caught.value.__cause__}"
        assert SECRET not in text


def test_near_names_are_suggested(tmp_path: Path, database: Database) -> None:
    path = file_of(tmp_path, FRAME, "flights")
    fill(database, "flights", FRAME)
    for place in (f"duckdb://{path}", database.uri):
        with pytest.raises(DataError, match=r"has no table flight; there is flights"):
            open_url(f"{place}#flight")
    database.execute("DROP TABLE flights")


def test_views_are_refused(tmp_path: Path, database: Database) -> None:
    path = file_of(tmp_path, FRAME)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE VIEW seen AS SELECT * FROM held")
    fill(database, "held_for_views", FRAME)
    database.execute("CREATE VIEW seen AS SELECT * FROM held_for_views")
    database.execute("CREATE MATERIALIZED VIEW kept AS SELECT * FROM held_for_views")
    for place in (f"duckdb://{path}", database.uri):
        with pytest.raises(DataError, match="seen as a view, whose rows can differ"):
            open_url(f"{place}#seen")
    with closing(open_url(f"{database.uri}#kept")) as kept:
        assert kept.fingerprint == in_memory(FRAME).fingerprint
    database.execute("DROP TABLE held_for_views CASCADE")


def test_tables_without_rows_or_columns_are_refused(tmp_path: Path, database: Database) -> None:
    path = file_of(tmp_path, FRAME)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE empty (a DOUBLE)")
        connection.execute("CREATE TABLE odd AS SELECT [1] AS a")
    database.execute("CREATE TABLE empty (a float8)")
    database.execute("CREATE TABLE odd AS SELECT ARRAY[1] AS a")
    for place in (f"duckdb://{path}", database.uri):
        with pytest.raises(DataError, match="has no rows"):
            open_url(f"{place}#empty")
        with pytest.raises(DataError, match="has no columns"):
            open_url(f"{place}#odd")


def test_rows_of_a_database_have_no_parts(tmp_path: Path) -> None:
    source = open_url(f"duckdb://{file_of(tmp_path, FRAME)}#held")
    with pytest.raises(InvalidInput, match="read the rows into memory"):
        source.totals_part([], first=0, parts=1, key="00")
    with pytest.raises(InvalidInput, match="read the rows into memory"):
        source.totals_round([], number=0, rounds=1, key="00")


NASTY = [
    "back\\",
    "it's",
    'say "so"',
    "x'; DROP TABLE held; --",
    "/* */ -- ",
    "$1",
    "%s %(a)s {0} :a ?",
    "\\'; --",
    "a\nb",
    "%_",
]


@pytest.mark.parametrize("nasty", NASTY)
def test_names_and_literals_stay_what_they_are(
    nasty: str, tmp_path: Path, database: Database
) -> None:
    texts = [*NASTY, f"{nasty}{nasty}", None]
    frame = pl.DataFrame({nasty: texts, "n": [float(k) for k in range(len(texts))]})
    column = Column(nasty)
    forms: list[Form] = [
        Share(Member(column, (nasty,), negated=False)),
        Share(Member(column, ("\0", nasty), negated=True)),
        *(
            Share(Matches(column, where, nasty, negated=False))
            for where in ("begins with", "ends with", "contains")
        ),
        Share(Matches(column, "contains", "\0", negated=True)),
        Histogram(Values(column, (nasty, "\0", "other"))),
        Histogram(Values(column, (*NASTY, *map(str, range(40)), "\0"))),
    ]
    path = file_of(tmp_path, frame, nasty)
    fill(database, nasty, frame)
    for place in (f"duckdb://{path}", database.uri):
        source = open_url(f"{place}#{quote(nasty, safe='').replace('.', '%2E')}")
        assert source.fingerprint == in_memory(frame).fingerprint
        assert found(source, forms) == found(in_memory(frame), forms)
        source.close()

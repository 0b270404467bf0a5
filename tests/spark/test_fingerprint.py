"""The fingerprint on the cluster is that of the same rows in memory."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from data.tables import TABLES, Rows, frame
from peekproof.data.load import in_memory
from peekproof.data.spark import job
from peekproof.data.spark.columns import columns_of
from peekproof.data.spark.connect import from_dataframe, open_spark
from peekproof.data.spark.marking import on_driver, on_executors
from spark.conftest import MASTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERYTHING = pl.DataFrame(
    {
        "double": [1.5, nan, -0.0, inf],
        "float": pl.Series([0.1, None, nan, -inf], dtype=pl.Float32),
        "long": [2**53 + 1, -(2**63), None, 2**63 - 1],
        "byte": pl.Series([1, -1, None, 0], dtype=pl.Int8),
        "decimal": pl.Series(["0.10", None, "-123456789.01", "7.00"]).cast(pl.Decimal(12, 2)),
        "text": ["", "é", None, "a\0b\\'"],
        "flag": [True, False, None, True],
        "day": [dt.date(1, 1, 1), None, dt.date(1969, 12, 31), dt.date(9999, 12, 31)],
        "zoned": pl.Series([0, -1, None, 2**60]).cast(pl.Datetime("us", "UTC")),
        "plain": pl.Series([0, -1, None, 2**60]).cast(pl.Datetime("us")),
        "a `name`; -- of.all {kinds} ${user}": [1, 2, 3, 4],
        "nested": [[1], [2], None, []],
        "bytes": [b"", b"\0", None, b"x"],
    }
)


def test_files_have_the_fingerprint_of_memory(cluster: SparkSession, tmp_path: Path) -> None:
    for part in range(3):
        EVERYTHING.write_parquet(tmp_path / f"part-{part}.parquet")
    held = open_spark(f"spark://{MASTER}#{tmp_path}")
    memory = in_memory(pl.concat([EVERYTHING] * 3))
    assert held.fingerprint == memory.fingerprint
    assert held.rows == 12
    assert held.schema == memory.schema


def test_a_changed_cell_is_another_fingerprint(cluster: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    EVERYTHING.write_parquet(file)
    before = open_spark(f"spark://{MASTER}#{file}").fingerprint
    other = EVERYTHING.with_columns(day=pl.lit(dt.date(2000, 2, 29)))
    other.write_parquet(file)
    assert open_spark(f"spark://{MASTER}#{file}").fingerprint != before


@pytest.mark.parametrize("compute", [on_executors, on_driver])
def test_executors_and_the_driver_agree(
    cluster: SparkSession, tmp_path: Path, compute: object
) -> None:
    EVERYTHING.write_parquet(tmp_path / "rows.parquet")
    rows = cluster.read.parquet(str(tmp_path / "rows.parquet"))
    assert callable(compute)
    found = compute(rows, columns_of(rows, source="rows"))
    assert found.digest == in_memory(EVERYTHING).fingerprint


def test_executors_compute_it_themselves(cluster: SparkSession, tmp_path: Path) -> None:
    assert job.prepared(cluster.sparkContext)


def test_a_frame_in_memory_has_the_fingerprint_of_its_rows(cluster: SparkSession) -> None:
    rows = [(1.5, "a", Decimal("0.10"), None), (nan, None, Decimal("7.25"), None)]
    held = from_dataframe(
        cluster.createDataFrame(rows, "x double, y string, z decimal(5,2), v void")
    )
    columns = {"x": [1.5, nan], "y": ["a", None], "z": [0.1, 7.25], "v": [None, None]}
    assert held.fingerprint == in_memory(columns).fingerprint


def test_times_and_durations_are_part_of_it(cluster: SparkSession) -> None:
    rows = [(dt.timedelta(days=1, microseconds=-5), 1.0), (None, 2.0)]
    held = from_dataframe(cluster.createDataFrame(rows, "t interval day to second, x double"))
    memory = in_memory(pl.DataFrame({"t": [row[0] for row in rows], "x": [1.0, 2.0]}))
    assert held.fingerprint == memory.fingerprint
    assert held.schema == memory.schema


def test_text_files_are_read_alike(cluster: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "id,name,share,on,when\n"
        '1,"O""Neil, é",0.25,true,2020-01-01\n'
        '2,"two\nlines",1e3,false,2020-01-02\n'
        "3,,,true,\n"
    )
    held = open_spark(f"spark://{MASTER}#{file}")
    assert held.fingerprint == in_memory(file).fingerprint


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TABLES)
def test_any_rows_have_the_fingerprint_of_memory(cluster: SparkSession, rows: Rows) -> None:
    table = frame(rows)
    spark = cluster.createDataFrame(table.to_arrow())
    found = on_executors(spark, columns_of(spark, source="rows"))
    assert found.digest == in_memory(table).fingerprint

"""Addresses, and what is missing or wrong when rows on Spark are opened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from peekproof.core.errors import DataError
from peekproof.data.source import Source
from peekproof.data.spark import cluster as clusters
from peekproof.data.spark.connect import from_dataframe, open_spark
from spark.conftest import MASTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("address", ["spark://", "spark://host:7077", "spark://#x", "host#x"])
def test_an_address_without_rows_is_refused(address: str) -> None:
    with pytest.raises(DataError, match="spark://HOST:PORT#TABLE"):
        open_spark(address)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(DataError, match=r"pip install 'peekproof\[spark\]'"):
        open_spark("spark://local[1]#x")


def test_missing_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DataError, match="Java 17"):
        clusters._check_java("the rows")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DataError, match="Java 17"):
        clusters._check_java("the rows")


def test_a_process_has_one_cluster(cluster: SparkSession) -> None:
    with pytest.raises(DataError, match="already runs Spark"):
        open_spark("spark://127.0.0.1:1#x")


@pytest.mark.parametrize("wanted", ["no_such_table", "/no/such/folder", "no_such.csv", "a.b.c.d.e"])
def test_what_is_not_there_is_refused(cluster: SparkSession, wanted: str) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        open_spark(f"spark://{MASTER}#{wanted}")


def test_a_damaged_file_is_refused(cluster: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1,2\n3,4,5\n")
    with pytest.raises(DataError, match="cannot be read") as raised:
        open_spark(f"spark://{MASTER}#{file}")
    assert "5" not in str(raised.value).replace(str(file), "")


def test_frames_that_cannot_be_held_are_refused(cluster: SparkSession) -> None:
    for frame, problem in (
        (cluster.range(3).where("id < 0"), "no rows"),
        (cluster.range(3).selectExpr("array(id) a"), "no columns"),
        (cluster.range(3).selectExpr("id a", "id a"), "two columns"),
        (cluster.readStream.format("rate").load(), "never ends"),
    ):
        with pytest.raises(DataError, match=problem):
            from_dataframe(frame)
    with pytest.raises(DataError, match="Spark Connect"):
        from_dataframe("not a frame")


def test_names_that_differ_in_case_are_two_columns(cluster: SparkSession) -> None:
    user = cluster.newSession()
    user.conf.set("spark.sql.caseSensitive", "true")
    held = from_dataframe(user.sql("SELECT 1 a, 2 A"))
    assert [*held.schema.columns] == ["a", "A"]


def test_a_session_that_someone_else_uses_stays(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.range(3))
    assert isinstance(held, Source)
    held.close()
    held.close()
    assert cluster.range(2).count() == 2
    assert cluster.catalog.listTables("global_temp") == []

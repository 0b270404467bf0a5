"""Rows that change under a session end it; files that are only written again do not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from peekproof.core.errors import DataChanged, EvaluationFailed
from peekproof.data.source import Source
from peekproof.data.spark.connect import from_dataframe, open_spark
from peekproof.data.spark.job import Asking
from peekproof.query.tree import Column, Compare, Number
from spark.conftest import MASTER
from spark.questions import told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANY = Compare(">", Column("x"), Number(1.0))
ROWS = pl.DataFrame({"x": [1.0, 2.0, 3.0]})
OTHERS = pl.DataFrame({"x": [1.0, 2.0, 0.5]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "the rows%20of #1.parquet"
    ROWS.write_parquet(place)
    return place


@pytest.fixture
def held(cluster: SparkSession, file: Path) -> Source:
    return open_spark(f"spark://{MASTER}#{file}")


def test_files_that_stay_answer(held: Source) -> None:
    assert told(held, [MANY]) == [2]


def test_other_rows_are_refused(held: Source, file: Path) -> None:
    OTHERS.write_parquet(file)
    with pytest.raises(DataChanged) as raised:
        told(held, [MANY])
    assert str(file) in raised.value.source


def test_a_missing_file_is_refused(held: Source, file: Path) -> None:
    file.unlink()
    with pytest.raises(DataChanged):
        told(held, [MANY])


def test_the_same_rows_written_again_answer(held: Source, file: Path) -> None:
    ROWS.reverse().write_parquet(file, compression="uncompressed")
    assert told(held, [MANY]) == [2]
    assert told(held, [MANY]) == [2]


def test_a_file_written_in_the_middle_of_a_job_is_noticed(
    held: Source, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asking.totals

    def meanwhile(self: Asking, forms: object) -> object:
        found = asked(self, forms)  # type: ignore[arg-type]
        OTHERS.write_parquet(file)
        return found

    monkeypatch.setattr(Asking, "totals", meanwhile)
    with pytest.raises(DataChanged):
        told(held, [MANY])


def test_files_that_never_rest_are_a_failure(
    held: Source, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, written = Asking.totals, iter(["zstd", "uncompressed", "snappy", "gzip"])

    def meanwhile(self: Asking, forms: object) -> object:
        found = asked(self, forms)  # type: ignore[arg-type]
        ROWS.write_parquet(file, compression=next(written))  # type: ignore[arg-type]
        return found

    monkeypatch.setattr(Asking, "totals", meanwhile)
    with pytest.raises(EvaluationFailed):
        told(held, [MANY])


def test_new_files_in_a_folder_are_not_among_the_rows(
    cluster: SparkSession, tmp_path: Path
) -> None:
    ROWS.write_parquet(tmp_path / "one.parquet")
    held = open_spark(f"spark://{MASTER}#{tmp_path}/")
    ROWS.write_parquet(tmp_path / "two.parquet")
    assert told(held, [MANY]) == [2]
    assert held.rows == 3


def test_a_frame_that_is_drawn_anew_in_every_job_is_set_down(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.range(1000).selectExpr("rand() as x"))
    half = Compare(">", Column("x"), Number(0.5))
    assert len({*(told(held, [half])[0] for _ in range(3))}) == 1


def test_a_limit_on_files_is_set_down(cluster: SparkSession, file: Path, tmp_path: Path) -> None:
    held = from_dataframe(cluster.read.parquet(str(tmp_path)).limit(2))
    OTHERS.write_parquet(file)
    assert held.rows == 2
    assert told(held, [MANY]) == [1]


def test_a_frame_of_files_is_watched(cluster: SparkSession, file: Path, tmp_path: Path) -> None:
    held = from_dataframe(cluster.read.parquet(str(tmp_path)).where("x > 0.7"))
    assert told(held, [MANY]) == [2]
    OTHERS.write_parquet(file)
    with pytest.raises(DataChanged):
        told(held, [MANY])

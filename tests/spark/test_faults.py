"""What goes wrong on executors says nothing about rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import polars as pl
import pytest

from peekproof.core.errors import EvaluationFailed
from peekproof.data.spark.connect import from_dataframe, open_spark
from peekproof.data.spark.job import Asking
from peekproof.query.tree import Column, Compare, Number
from spark.conftest import MASTER
from spark.questions import told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANY = Compare(">", Column("x"), Number(1.0))


def test_a_failure_has_no_cause(cluster: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    held = from_dataframe(cluster.createDataFrame([(1.5,)], "x double"))

    def broken(*_: object) -> None:
        raise ValueError("the secret is 1.5")

    monkeypatch.setattr(Asking, "totals", broken)
    with pytest.raises(EvaluationFailed) as raised:
        told(held, [MANY])
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


CHILD = """
import sys, warnings
warnings.simplefilter("ignore")
from peekproof.data.spark.connect import open_spark
from peekproof.query.tree import Column, Compare, Number
from spark.questions import told
held = open_spark(f"spark://local[1]#{sys.argv[1]}")
print(repr(held.schema), held.rows)
question = Compare(">", Column("x"), Number(1.0))
told(held, [question])
session = held._frame.sparkSession
# What questions are asked of now raises on an executor, with the row in its words.
session.read.parquet(sys.argv[1]) \\
    .selectExpr("cast(raise_error(concat('row ', x)) as double) c0") \\
    .createOrReplaceTempView("held")
try:
    told(held, [question])
except Exception as error:
    print(type(error).__name__, error, error.__cause__)
held.close()
"""


def test_two_tables_that_differ_in_a_row_say_the_same_when_they_fail(tmp_path: Path) -> None:
    said = []
    for number, secret in enumerate((3.25, 777.125)):
        folder = tmp_path / str(number)
        folder.mkdir()
        pl.DataFrame({"x": [1.0, 2.0, secret]}).write_parquet(folder / "rows.parquet")
        done = subprocess.run(
            [sys.executable, "-c", CHILD, "rows.parquet"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(
            (done.stdout, [line for line in done.stderr.splitlines() if "WARN" not in line])
        )
    assert said[0] == said[1]
    assert "EvaluationFailed" in said[0][0]
    assert "777" not in str(said)


def test_an_executor_that_is_killed_changes_no_answer(
    cluster: SparkSession, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"x": [float(number % 1000) for number in range(400_000)]})
    for part in range(6):
        frame.write_parquet(tmp_path / f"{part}.parquet")
    held = open_spark(f"spark://{MASTER}#{tmp_path}")
    victim = _executors(cluster)[0]
    timer = Timer(0.1, os.kill, (victim, signal.SIGKILL))
    timer.start()
    try:
        for _ in range(3):
            try:
                assert told(held, [MANY]) == [6 * 400 * 998]
            except EvaluationFailed:
                continue
    finally:
        timer.join()
    assert told(held, [MANY]) == [6 * 400 * 998]
    assert victim not in _executors(cluster)


def _executors(cluster: SparkSession) -> list[int]:
    """The process ids of the executors: the parents of the parents of Python workers."""

    def executor(_: int) -> int:
        daemon = os.getppid()
        return int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])

    return sorted({*cluster.sparkContext.parallelize(range(8), 8).map(executor).collect()})

"""Questions to rows on Spark beside the same aggregates written by hand, by turns.

One question, and a hundred at once, over a Parquet file and over the same rows in the cluster's
memory. By hand means an aggregate in Spark's own SQL, in a session of the same cluster with the
settings that Spark comes with.

Run: make bench-spark (ARGS=--quick for the small size)
"""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from measure import asked, installed, side_by_side
from result import Cell, Result, Sheet

from peekproof.data.source import Source
from peekproof.data.spark.cluster import connected
from peekproof.data.spark.connect import from_dataframe
from peekproof.query.question import parse_question

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MASTER = "local-cluster[2,1,2048]"
COLUMNS = 5
BATCH = 100


def write(folder: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    for part in range(4):
        size = rows // 4
        columns = {f"x{k}": rng.normal(size=size) for k in range(COLUMNS)}
        group = rng.choice(["north", "south", "east", "west"], size=size)
        pl.DataFrame({**columns, "g": group}).write_parquet(folder / f"{part}.parquet")


def texts(count: int) -> list[str]:
    """Questions of two atoms, each with numbers of its own."""
    return [
        f"x{k % COLUMNS} > {k / count - 0.5} and x{(k + 1) % COLUMNS} <= {0.5 - k / count}"
        for k in range(count)
    ]


def by_hand(frame: "DataFrame", conditions: list[str]) -> Callable[[], object]:
    session, view = frame.sparkSession, "by_hand"
    frame.createOrReplaceTempView(view)
    sums = ", ".join(f"SUM(CASE WHEN {each} THEN 1 ELSE 0 END)" for each in conditions)
    return lambda: session.sql(f"SELECT {sums} FROM {view}").collect()


def by_peekproof(source: Source, conditions: list[str]) -> Callable[[], object]:
    questions = [parse_question(each, source.schema) for each in conditions]
    return lambda: source.totals(questions)


def measured(frame: "DataFrame", *, rounds: int) -> dict[str, Cell]:
    """How many times as long as by hand."""
    source = from_dataframe(frame)
    found: dict[str, Cell] = {}
    for name, count in (("one question", 1), (f"{BATCH} questions", BATCH)):
        conditions = texts(count)
        taken = side_by_side(
            {"peekproof": by_peekproof(source, conditions), "by hand": by_hand(frame, conditions)},
            rounds=rounds,
        )
        found[name] = taken["peekproof"] / taken["by hand"]
    source.close()
    return found


def main() -> None:
    run = asked(__doc__)
    rows, rounds = (10**6, 3) if run.quick else (10**7, 7)
    warnings.simplefilter("ignore", FutureWarning)  # of PySpark, about versions of pandas
    lease = connected(MASTER, source="the benchmark")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows)
        frame = lease.session.read.parquet(folder)
        found = {"Peekproof on Parquet files": measured(frame, rounds=rounds)}
        frame.cache().count()
        found["Peekproof on rows in the cluster's memory"] = measured(frame, rounds=rounds)
        lease.end()
    run.keep(
        Result(
            name="spark",
            title="Spark",
            about=(
                f"Shares of {rows:,} rows asked of a local cluster of two workers, beside the same "
                "sums written by hand in Spark's SQL, on the same cluster with Spark's own "
                "settings. Less is better, and 1 is as fast as by hand."
            ),
            sheets=(Sheet.of("Time over the same sums by hand", found),),
            versions=installed("pyspark"),
        )
    )


if __name__ == "__main__":
    main()

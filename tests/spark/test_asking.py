"""Questions to rows on executors: what is meant by them, and that nothing in them is syntax."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from pyspark.sql.types import StringType, StructField, StructType

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.data.load import in_memory
from peekproof.data.source import Source
from peekproof.data.spark.cluster import MEANING
from peekproof.data.spark.connect import from_dataframe, open_spark
from peekproof.data.statistic import Statistic
from peekproof.noise.entropy import Seeded
from peekproof.query.form import Form, Histogram, Mean, Values
from peekproof.query.tree import (
    Column,
    Compare,
    IsNull,
    Matches,
    Member,
    Number,
    Part,
    Predicate,
)
from spark.conftest import MASTER
from spark.questions import asked, told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOSTILE = [
    "\\", "a\\", "'", "''", '"', "`", "\0", "\x0012", "\\012", "--", "/*", "*/", ";", "\n", "\r\n",
    "%", "_", "\\%", "${spark.app.id}", "${env:HOME}", "{{1}}", ":a", "?", "\u2028", "𝔸", "é",
    "e\u0301", "\\u0041", "' OR 1=1 --", "\ufdd0", " a", "a ", "A", "a",
]  # fmt: skip


def test_rows_are_added_up_by_other_processes(cluster: SparkSession) -> None:
    def process(_: int) -> tuple[int, int]:
        return os.getppid(), os.getpid()

    context = cluster.sparkContext
    found = {*context.parallelize(range(16), 16).map(process).collect()}
    assert os.getpid() not in {each for pair in found for each in pair}
    assert len({parent for parent, _ in found}) == 2
    assert context._jsc.sc().getExecutorMemoryStatus().size() == 3  # with the driver's


@pytest.fixture(scope="module")
def hostile(cluster: SparkSession) -> tuple[Source, list[str]]:
    names = [f"{text}{place}" for place, text in enumerate(HOSTILE)]
    schema = StructType([StructField(name, StringType()) for name in names])
    rows = [(text,) * len(names) for text in (*HOSTILE, None)]
    return from_dataframe(cluster.createDataFrame(rows, schema)), names


def test_nothing_in_a_text_is_syntax(hostile: tuple[Source, list[str]]) -> None:
    source, names = hostile
    column = Column(names[0])
    equal: list[Predicate] = [Member(column, (text,), negated=False) for text in HOSTILE]
    assert told(source, equal) == [1] * len(HOSTILE)
    for where, holds in (
        ("begins with", str.startswith),
        ("ends with", str.endswith),
        ("contains", str.__contains__),
    ):
        searched: list[Predicate] = [
            Matches(column, where, text, negated=False) for text in HOSTILE
        ]
        expected = [sum(holds(held, text) for held in HOSTILE) for text in HOSTILE]
        assert told(source, searched) == expected
    assert told(source, [Histogram(Values(column, tuple(HOSTILE)))]) == [(1,) * len(HOSTILE)]


def test_nothing_in_a_name_is_syntax(hostile: tuple[Source, list[str]]) -> None:
    source, names = hostile
    present: list[Predicate] = [IsNull(Column(name), negated=True) for name in names]
    assert told(source, present) == [len(HOSTILE)] * len(names)
    assert set(source.schema.columns) == set(names)


def test_a_text_that_no_row_can_hold_is_in_none(hostile: tuple[Source, list[str]]) -> None:
    source, names = hostile
    alone = Member(Column(names[0]), ("\ud800",), negated=False)
    assert told(source, [alone]) == [0]


def test_collations_and_padding_do_not_decide_what_is_equal(
    cluster: SparkSession, tmp_path: Path
) -> None:
    frame = cluster.createDataFrame([("a",), ("A",), ("á",), ("a ",)], "s string")
    collated = frame.selectExpr("collate(s, 'UNICODE_CI_AI') s", "collate(s, 'UTF8_LCASE') t")
    held = from_dataframe(collated)
    for name in ("s", "t"):
        assert told(held, [Member(Column(name), ("a",), negated=False)]) == [1]
    name = f"padded_{tmp_path.name}".replace("-", "_")
    place = tmp_path / "padded"
    cluster.sql(f"CREATE TABLE {name} (c CHAR(3), v VARCHAR(3)) USING parquet LOCATION '{place}'")
    try:
        cluster.sql(f"INSERT INTO {name} VALUES ('a', 'a')")
        held = open_spark(f"spark://{MASTER}#{name}")
        columns = [Column("c"), Column("v")]
        assert told(held, [Member(each, ("a",), negated=False) for each in columns]) == [0, 1]
        assert told(held, [Member(each, ("a  ",), negated=False) for each in columns]) == [1, 0]
    finally:
        cluster.sql(f"DROP TABLE {name}")


def test_moments_without_a_zone_are_utc_whatever_the_users_zone_is(cluster: SparkSession) -> None:
    user = cluster.newSession()
    user.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    user.conf.set("spark.sql.ansi.enabled", "true")
    frame = user.sql(
        "SELECT timestamp_ntz'1969-12-31 23:59:59.999999' n, timestamp'1970-01-01 09:00:00' z"
    )
    held = from_dataframe(frame)
    hours = [
        Compare("=", Part("hour", Column(c), "microsecond"), Number(h))
        for c, h in (("n", 23.0), ("z", 0.0))
    ]
    ends = [Compare("=", Column("n"), Number(-1.0)), Compare("=", Column("z"), Number(0.0))]
    assert told(held, [*hours, *ends]) == [1] * 4
    assert user.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert user.conf.get("spark.sql.ansi.enabled") == "true"


def test_a_long_list_has_one_zero(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.createDataFrame([(-0.0,), (0.0,), (7.0,)], "x double"))
    many = tuple(float(number) for number in range(-500, 1, 2))
    assert told(held, [Member(Column("x"), many, negated=False)]) == [2]


def test_settings_of_the_session_hold_while_it_answers(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.range(3))
    assert told(held, [Compare(">", Column("id"), Number(0.5))]) == [2]
    inside = held._frame.sparkSession  # type: ignore[attr-defined]
    assert {name: inside.conf.get(name) for name in MEANING} == MEANING


def test_a_batch_larger_than_a_method_may_be_is_answered(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.range(50).selectExpr("cast(id as double) x"))
    batch: list[Form | Predicate] = [
        Compare(">", Column("x"), Number(number / 10)) for number in range(500)
    ]
    assert told(held, batch) == [49 - number // 10 for number in range(500)]


def test_answers_are_those_of_the_embedded_engine(cluster: SparkSession, tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [k % 97 / 7 for k in range(4000)], "s": ["a", "b"] * 2000})
    frame.write_parquet(tmp_path / "rows.parquet")
    far = open_spark(f"spark://{MASTER}#{tmp_path}")
    near = in_memory(frame)
    forms: list[Form | Predicate] = [
        Compare(">", Column("x"), Number(3.0)),
        Mean(Column("x"), 0.0, 14.0, 0.0),
        Histogram(Values(Column("s"), ("a", "b", "c"))),
    ]
    assert told(far, forms) == told(near, forms)
    answers = []
    for source in (far, near):
        session = peekproof.open(
            source,
            questions=5,
            ledger=":memory:",
            mechanisms=[peekproof.Gaussian],
            entropy=Seeded(1),
        )
        answers.append(session.ask("x > 3 and s = 'a'"))
    assert answers[0] == answers[1]


def test_what_needs_rows_in_memory_says_so(cluster: SparkSession) -> None:
    held = from_dataframe(cluster.range(3))
    question = asked(Compare(">", Column("id"), Number(0.5)))
    assert not held.ordered
    with pytest.raises(InvalidInput, match="memory"):
        held.totals_part([question], first=0, parts=2, key="00")
    with pytest.raises(InvalidInput, match="memory"):
        held.totals_round([question], number=0, rounds=2, key="00")
    with pytest.raises(InvalidInput, match="memory"):
        held.measure(Statistic(name="size", function=len, sensitivity=1, low=0, high=9), levels=2)

"""Every form over every tree adds up to what plain loops over the rows say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from data.tables import Rows, frame
from engines.conformance import HOSTILE, MANY_ROWS, expected, forms, found
from peekproof.data.source import Source
from peekproof.data.spark.connect import from_dataframe
from peekproof.query.form import Form, Share
from peekproof.query.tree import Column, Compare, IsNull, Numeric, Product, Quotient, Sum
from query import naive

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A job takes as long for many questions as for one, and shrinking takes one for each attempt.
FEW = settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
A, B, C = Column("a"), Column("b"), Column("c")
TERMS: tuple[Numeric, ...] = (
    Sum((A, B)),
    Product((A, B)),
    Quotient(A, B),
    Sum((A, B, C)),
    Product((Sum((A, B)), C)),
    Quotient(Product((A, B)), Sum((B, C))),
)


@pytest.fixture(scope="module")
def content() -> Rows:
    """Rows with troublesome cells of every kind, the same in every run."""
    drawn: Rows = []

    @settings(FEW, max_examples=8)
    @given(MANY_ROWS)
    def draw(rows: Rows) -> None:
        drawn.extend(rows)

    draw()
    return drawn


@pytest.fixture(scope="module")
def held(cluster: SparkSession, content: Rows) -> Source:
    return from_dataframe(cluster.createDataFrame(frame(content).to_arrow()).repartition(3))


@FEW
@given(st.lists(forms(), min_size=6, max_size=24))
def test_every_form_has_the_total_that_plain_python_finds(
    held: Source, content: Rows, batch: list[Form]
) -> None:
    assert found(held, batch) == expected(content, batch)


@settings(FEW, max_examples=2)
@given(st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE), min_size=300, max_size=300))
def test_arithmetic_at_the_ends_of_the_doubles_is_that_of_python(
    cluster: SparkSession, triples: list[tuple[float, float, float]]
) -> None:
    """Neither an error nor another double: every result is compared with itself."""
    rows: Rows = []
    for a, b, c in triples:
        row = {"a": a, "b": b, "c": c}
        rows.append({**row, **{f"r{n}": naive.value(term, row) for n, term in enumerate(TERMS)}})
    names = ", ".join(f"{name} double" for name in rows[0])
    source = from_dataframe(cluster.createDataFrame([tuple(row.values()) for row in rows], names))
    asked = [
        form
        for number, term in enumerate(TERMS)
        for form in (
            Share(Compare("=", term, Column(f"r{number}"))),
            Share(IsNull(term, negated=False)),
        )
    ]
    assert found(source, asked) == expected(rows, asked)

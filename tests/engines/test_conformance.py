"""DuckDB, PostgreSQL and the embedded engine against plain Python."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from data.tables import Rows
from engines.conformance import BATCHES, HOSTILE, MANY_ROWS, Opened, agrees, expected, found, pairs
from engines.opening import in_duckdb, in_files, in_postgres
from ledger.postgres_server import Database
from peekproof.data.load import in_memory
from peekproof.query.form import Edges, Form, Grouped, Histogram, Mean, Quantile, Share, Values
from peekproof.query.tree import Column, Compare, IsNull, Number, Product, Quotient, Sum
from query import naive
from sizes import sized

# Examples are large, and shrinking one takes a table for each attempt.
FEW = settings(
    max_examples=sized(6, full=12),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(params=["memory", "files", "duckdb", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    match request.param:
        case "memory":
            return in_memory
        case "files":
            return in_files(tmp_path)
        case "duckdb":
            return in_duckdb
        case _:
            database: Database = request.getfixturevalue("database")
            return in_postgres(database)


def plain(rows: Rows) -> Rows:
    """The rows as every engine can hold them: PostgreSQL has no NUL in texts."""
    return [
        {
            name: cell.replace("\0", "") if isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        for row in rows
    ]


@FEW
@given(rows=MANY_ROWS, forms=BATCHES)
def test_every_form_has_the_total_that_plain_python_finds(
    opened: Opened, rows: Rows, forms: list[Form]
) -> None:
    agrees(opened, plain(rows), forms)


A, B, C = Column("a"), Column("b"), Column("c")
TERMS = (
    Sum((A, B)),
    Product((A, B)),
    Quotient(A, B),
    Sum((A, B, C)),
    Product((Sum((A, B)), C)),
    Quotient(Product((A, B)), Sum((B, C))),
)


@FEW
@given(
    triples=st.lists(
        st.tuples(pairs(), HOSTILE).map(lambda both: (*both[0], both[1]))
        | st.tuples(HOSTILE, HOSTILE, HOSTILE),
        min_size=60,
        max_size=60,
    ),
    constants=st.lists(HOSTILE, min_size=3, max_size=3),
)
def test_arithmetic_at_the_ends_of_the_doubles_is_that_of_python(
    opened: Opened, triples: list[tuple[float, float, float]], constants: list[float]
) -> None:
    """Neither an error nor another double: every result is compared with itself."""
    literals = [Number(each) for each in constants if isfinite(each)]
    with_one = [
        made
        for each in literals
        for made in (Sum((each, A)), Product((each, A)), Quotient(A, each), Quotient(each, A))
        if each.value != 0.0
    ]
    terms = [*TERMS, *with_one]
    rows: Rows = [{"a": a, "b": b, "c": c} for a, b, c in triples]
    for row in rows:
        row.update({f"r{n}": naive.value(term, row) for n, term in enumerate(terms)})
    forms: list[Form] = [
        form
        for number, term in enumerate(terms)
        for form in (
            Share(Compare("=", term, Column(f"r{number}"))),
            Share(IsNull(term, negated=False)),
        )
    ]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.Float64()))
    source = opened(frame)
    try:
        assert found(source, forms) == expected(rows, forms)
    finally:
        source.close()


def test_a_vote_of_many_columns_is_one_sum(opened: Opened) -> None:
    names = [f"v{number}" for number in range(sized(60, full=200))]
    weights = [number / 7 - 3 for number, _ in enumerate(names)]
    rows = [
        {name: (k * 37 % 11) / 3 - 1 for k, name in enumerate(names, start)} for start in range(9)
    ]
    vote = Sum(
        tuple(Product((Number(w), Column(name))) for w, name in zip(weights, names, strict=True))
    )
    source = opened(pl.DataFrame(rows))
    try:
        forms: list[Form] = [Share(Compare(">", vote, Number(0.0))), Mean(vote, -900.0, 900.0, 0.0)]
        assert found(source, forms) == expected(rows, forms)
    finally:
        source.close()


@pytest.mark.parametrize("cells", [40, 400])
def test_many_cells_are_counted_in_one_pass(opened: Opened, cells: int) -> None:
    rows: Rows = [{"a": k * 1.25 - 3, "s": f"é{k * 7 % 60}"} for k in range(100)]
    rows += [{"a": None, "s": None}, {"a": inf, "s": ""}, {"a": -inf, "s": "é"}]
    edges = Edges(A, tuple(k / 32 for k in range(cells)))
    texts = Values(Column("s"), tuple(f"é{k}" for k in reversed(range(cells))))
    half = Compare("<", A, Number(50.0))
    mean = Mean(A, -10.0, 70.0, 5.0)
    forms: list[Form] = [
        form
        for by in (edges, texts)
        for form in (
            Histogram(by),
            Histogram(by, half),
            Histogram(by, mean),
            Grouped(by, half),
            Grouped(by, mean),
        )
    ]
    forms.append(Quantile(A, Fraction(1, 2), -10.0, 100.0, cells))
    source = opened(pl.DataFrame(rows, schema={"a": pl.Float64(), "s": pl.String()}))
    try:
        assert found(source, forms) == found(in_memory(pl.DataFrame(rows)), forms)
    finally:
        source.close()

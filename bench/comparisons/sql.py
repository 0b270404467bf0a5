"""Questions to DuckDB and PostgreSQL beside the same aggregates written by hand, by turns.

By hand, a count is `sum(CASE WHEN … AND … THEN 1 ELSE 0 END)` or `count(*) FILTER (WHERE …)`;
both may stop at the first false condition, which ours must not: its time may not depend on rows.
So a third contender joins 0 and 1 by & as ours does. The literals change with every question.
The PostgreSQL server is started for the purpose, from the wheel that the tests use.

Run: make bench ARGS="--only sql"
"""

import hashlib
import itertools
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psycopg
from measure import asked, installed, side_by_side
from result import Cell, Result, Sheet

from ledger.postgres_server import Database, server
from peekproof.data.source import Source
from peekproof.data.sql.address import open_url
from peekproof.query.canonical import form_text
from peekproof.query.form import Share
from peekproof.query.question import Question
from peekproof.query.tree import And, Column, Compare, Member, Number

CARRIERS = ("AA", "BB", "CC", "DD", "EE")
FORMS = {
    "sum of CASE": "sum(CASE WHEN delay > {0} AND carrier = '{1}' THEN 1 ELSE 0 END)",
    "count FILTER": "count(*) FILTER (WHERE delay > {0} AND carrier = '{1}')",
    "0 and 1 by &": (
        "sum((CASE WHEN delay > {0} THEN 1 ELSE 0 END) "
        "& (CASE WHEN carrier = '{1}' THEN 1 ELSE 0 END))"
    ),
}
_numbers = itertools.count()

Fetch = Callable[[str], object]
Rows = dict[str, dict[str, Cell]]


@dataclass(frozen=True, kw_only=True)
class Size:
    """Rows, and rounds of single questions and of batches; a batch takes seconds by hand too."""

    rows: int
    singles: int
    duckdb_batches: int
    postgres_batches: int


FULL = (
    Size(rows=10**6, singles=15, duckdb_batches=5, postgres_batches=1),
    Size(rows=10**7, singles=5, duckdb_batches=1, postgres_batches=0),
)
QUICK = (Size(rows=10**5, singles=15, duckdb_batches=2, postgres_batches=1),)


def question(number: int) -> Question:
    delay, carrier = literals(number)
    late = Compare(">", Column("delay"), Number(delay))
    form = Share(And((late, Member(Column("carrier"), (carrier,), negated=False))))
    text = form_text(form)
    return Question(text=text, form=form, digest=hashlib.sha256(text.encode()).hexdigest())


def literals(number: int) -> tuple[float, str]:
    return 30 + number / 1000, CARRIERS[number % len(CARRIERS)]


def ours(source: Source, size: int) -> Callable[[], object]:
    return lambda: source.totals([question(next(_numbers)) for _ in range(size)])


def by_hand(fetch: Fetch, form: str, size: int) -> Callable[[], object]:
    def run() -> object:
        sums = [form.format(*literals(next(_numbers))) for _ in range(size)]
        return fetch(f"SELECT {', '.join(sums)} FROM flights")

    return run


def compared(source: Source, fetch: Fetch, *, rounds: int, size: int) -> dict[str, Cell]:
    contenders = {"ours": ours(source, size)}
    contenders |= {name: by_hand(fetch, form, size) for name, form in FORMS.items()}
    seconds = side_by_side(contenders, rounds=rounds)
    return {f"over {name}": seconds["ours"] / seconds[name] for name in FORMS}


def both(source: Source, fetch: Fetch, *, label: str, singles: int, batches: int) -> Rows:
    """One question, and a hundred at once unless there is no round of them."""
    found = {f"{label}, 1 question": compared(source, fetch, rounds=singles, size=1)}
    if batches:
        found[f"{label}, 100 questions"] = compared(source, fetch, rounds=batches, size=100)
    return found


def in_duckdb(size: Size) -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flights.duckdb"
        with closing(duckdb.connect(str(path))) as made:
            made.execute(
                "CREATE TABLE flights AS SELECT 200 * random() - 50 AS delay, "
                f"['AA', 'BB', 'CC', 'DD', 'EE'][1 + (4.99 * random())::INT] AS carrier "
                f"FROM range({size.rows})"
            )
        source = open_url(f"duckdb://{path}#flights")
        with closing(source), closing(duckdb.connect(str(path), read_only=True)) as other:
            return both(
                source,
                lambda text: other.execute(text).fetchall(),
                label=f"Peekproof on DuckDB: {size.rows:,} rows",
                singles=size.singles,
                batches=size.duckdb_batches,
            )


def in_postgres(database: Database, size: Size) -> Rows:
    database.execute(
        "CREATE TABLE flights AS SELECT 200 * random() - 50 AS delay, "
        "(ARRAY['AA', 'BB', 'CC', 'DD', 'EE'])[1 + floor(5 * random())::int] AS carrier "
        f"FROM generate_series(1, {size.rows})"
    )
    database.execute("VACUUM ANALYZE flights")
    try:
        source = open_url(f"{database.uri}#flights")
        with closing(source), closing(psycopg.connect(database.uri, autocommit=True)) as other:
            return both(
                source,
                lambda text: other.execute(text.encode()).fetchall(),
                label=f"Peekproof on PostgreSQL: {size.rows:,} rows",
                singles=size.singles,
                batches=size.postgres_batches,
            )
    finally:
        database.execute("DROP TABLE flights")


def main() -> None:
    run = asked(__doc__)
    sizes = QUICK if run.quick else FULL
    rows: Rows = {}
    for size in sizes:
        rows |= in_duckdb(size)
    with server(shared_buffers="256MB") as own, own.database() as database:
        for size in sizes:
            rows |= in_postgres(database, size)
        with closing(database.connect()) as connection:
            postgres = connection.info.parameter_status("server_version") or ""
    run.keep(
        Result(
            name="sql",
            title="Databases",
            about=(
                "Shares asked of a database, beside the same counts written by hand in its SQL: as "
                "a sum of CASE, as count(*) FILTER, and as sums of 0 and 1 joined by &. The first "
                "two may stop at the first false condition; the third does not, and Peekproof must "
                "not, lest time tell of rows. Less is better, and 1 is as fast as by hand."
            ),
            sheets=(Sheet.of("Time over the same counts by hand", rows),),
            versions={**installed("duckdb", "psycopg"), "PostgreSQL": postgres},
        )
    )


if __name__ == "__main__":
    main()

"""Questions to DuckDB and PostgreSQL beside the same aggregates written by hand, by turns.

By hand, a count is `sum(CASE WHEN … AND … THEN 1 ELSE 0 END)` or `count(*) FILTER (WHERE …)`;
both may stop at the first false condition, which ours must not: its time may not depend on rows.
So a third contender joins 0 and 1 by & as ours does. The literals change with every question.
The PostgreSQL server is started for the purpose, from the wheel that the tests use.

Run: make bench, or PYTHONPATH=tests python bench/sql_speed.py
"""

import argparse
import hashlib
import itertools
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
from measure import record, side_by_side

from holdfast.data.source import Source
from holdfast.data.sql.address import open_url
from holdfast.query.form import Share
from holdfast.query.question import Question
from holdfast.query.tree import And, Column, Compare, Member, Number
from holdfast.query.wire import form_text
from ledger.postgres_server import Database, server

CARRIERS = ("AA", "BB", "CC", "DD", "EE")
FORMS = {
    "sum of case": "sum(CASE WHEN delay > {0} AND carrier = '{1}' THEN 1 ELSE 0 END)",
    "count filter": "count(*) FILTER (WHERE delay > {0} AND carrier = '{1}')",
    "0 and 1 by &": (
        "sum((CASE WHEN delay > {0} THEN 1 ELSE 0 END) "
        "& (CASE WHEN carrier = '{1}' THEN 1 ELSE 0 END))"
    ),
}
_numbers = itertools.count()

Fetch = Callable[[str], object]


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


def compared(source: Source, fetch: Fetch, *, rounds: int, size: int) -> dict[str, float]:
    contenders = {"ours": ours(source, size)}
    contenders |= {name: by_hand(fetch, form, size) for name, form in FORMS.items()}
    seconds = side_by_side(contenders, rounds=rounds)
    found = {"milliseconds": 1000 * seconds["ours"]}
    return found | {f"over {name}": seconds["ours"] / seconds[name] for name in FORMS}


def in_duckdb(rows: int, rounds: int, batches: int) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flights.duckdb"
        with closing(duckdb.connect(str(path))) as made:
            made.execute(
                "CREATE TABLE flights AS SELECT 200 * random() - 50 AS delay, "
                f"['AA', 'BB', 'CC', 'DD', 'EE'][1 + (4.99 * random())::INT] AS carrier "
                f"FROM range({rows})"
            )
        source = open_url(f"duckdb://{path}#flights")
        with closing(source), closing(duckdb.connect(str(path), read_only=True)) as other:
            return asked(source, lambda text: other.execute(text).fetchall(), rounds, batches)


def in_postgres(
    database: Database, rows: int, rounds: int, batches: int
) -> dict[str, dict[str, float]]:
    database.execute(
        "CREATE TABLE flights AS SELECT 200 * random() - 50 AS delay, "
        "(ARRAY['AA', 'BB', 'CC', 'DD', 'EE'])[1 + floor(5 * random())::int] AS carrier "
        f"FROM generate_series(1, {rows})"
    )
    database.execute("VACUUM ANALYZE flights")
    try:
        source = open_url(f"{database.uri}#flights")
        with closing(source), closing(psycopg.connect(database.uri, autocommit=True)) as other:
            fetch = lambda text: other.execute(text.encode()).fetchall()  # noqa: E731
            return asked(source, fetch, rounds, batches)
    finally:
        database.execute("DROP TABLE flights")


def asked(source: Source, fetch: Fetch, rounds: int, batches: int) -> dict[str, dict[str, float]]:
    found = {"1 question": compared(source, fetch, rounds=rounds, size=1)}
    if batches:
        found["100 questions"] = compared(source, fetch, rounds=batches, size=100)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    sizes = (10**5,) if quick else (10**6, 10**7)
    results: dict[str, object] = {}
    with server(shared_buffers="256MB") as own, own.database() as database:
        for rows in sizes:
            small = rows <= 10**6  # a hundred questions to more rows take minutes by hand too
            rounds = 15 if small else 5
            found = {
                "DuckDB": in_duckdb(rows, rounds, 5 if small else 3),
                "PostgreSQL": in_postgres(database, rows, rounds, 1 if small else 0),
            }
            for engine, tables in found.items():
                for size, ratios in tables.items():
                    shown = "  ".join(f"{name} {value:8.2f}" for name, value in ratios.items())
                    print(f"{engine:10} {rows:>10,} rows  {size:13} {shown}")
            results[f"{rows:,} rows"] = found
    record("sql_speed", {**results, "script": Path(__file__).name})


if __name__ == "__main__":
    main()

"""What one question takes over NumPy written by hand on the same rows, in the same process.

Run: make bench ARGS="--only latency"
"""

import itertools
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import polars as pl
from measure import asked, installed
from peers.asking import Numbers, by_hand, made, over_numpy
from peers.told import told
from result import Cell, Chart, Result, Sheet

import peekproof
from peekproof.data.load import in_memory
from peekproof.query.question import Question, parse_question

BATCH = 1_000
AT_ONCE = f"each of {BATCH:,} at once"
OVER = "over NumPy by hand"
Ask = Callable[[], object]
ABOUT = (
    "The question is `x > a and y < b`, with other literals each time; less is better. Raw "
    "engines only count. The peers add noise to a count, in environments of their own, each "
    "beside NumPy there. Peekproof has its rows in memory: it counts alone, or answers with an "
    "interval and a certificate, with its ledger in memory or on disk before the answer is told. "
    "The last columns say what comes with the answer."
)


def literals() -> Iterator[tuple[float, float]]:
    for number in itertools.count(1):
        yield number * 0.6180339887 % 1, number * 0.7548776662 % 1


def raw(x: Numbers, y: Numbers) -> dict[str, Ask]:
    frame, database = pl.DataFrame({"x": x, "y": y}), duckdb.connect()
    database.execute("CREATE TABLE t AS SELECT * FROM frame")
    bounds = literals()

    def in_polars() -> object:
        a, b = next(bounds)
        return frame.select(((pl.col.x > a) & (pl.col.y < b)).sum()).item()

    def in_duckdb() -> object:
        a, b = next(bounds)
        return database.execute(f"SELECT count(*) FROM t WHERE x > {a!r} AND y < {b!r}").fetchall()

    return {
        "NumPy by hand": by_hand(x, y),
        "Polars by hand": in_polars,
        "DuckDB by hand": in_duckdb,
    }


def evaluated(x: Numbers, y: Numbers) -> dict[str, Ask]:
    """Reading the question and counting, with conditions that are new, or were there before."""
    table, bounds = in_memory({"x": x, "y": y}), literals()
    few = itertools.cycle(list(itertools.product((0.1, 0.3, 0.5, 0.7), repeat=2)))

    def question(a: float, b: float) -> Question:
        return parse_question(f"x > {a!r} and y < {b!r}", table.schema)

    return {
        "Peekproof, counting alone": lambda: table.totals([question(*next(bounds))]),
        "Peekproof, counting alone, conditions seen before": lambda: table.totals(
            [question(*next(few))]
        ),
        f"Peekproof, counting alone, {AT_ONCE}": lambda: table.totals(
            [question(*next(bounds)) for _ in range(BATCH)]
        ),
    }


def answered(x: Numbers, y: Numbers, folder: Path) -> dict[str, Ask]:
    bounds = literals()

    def asking(ledger: Path | None) -> Ask:
        # The same rows each time, with ledgers that are thrown away.
        os.environ["PEEKPROOF_WITNESS"] = str(folder / f"witness of {ledger}".replace("/", "-"))
        session = peekproof.open({"x": x, "y": y}, questions=100_000, ledger=ledger)

        def ask() -> object:
            a, b = next(bounds)
            return session.ask(f"x > {a!r} and y < {b!r}"), session.remaining

        return ask

    return {
        "Peekproof, answer and interval": asking(None),
        "Peekproof, answer and interval, on disk": asking(folder / "latency.peekproof"),
    }


OF_NOISE, OF_BOTH = "of the noise", "of the noise and the sample"
HEADS = ("interval", "budget", "on disk", "holds for the population")
GIVEN: dict[str, tuple[Cell, ...]] = {
    "OpenDP Context over Polars, the answer alone": (None, "kept", None, None),
    "OpenDP Context over Polars, with its interval and what is left": (
        OF_NOISE,
        "kept",
        None,
        None,
    ),
    "diffprivlib, with its accountant": (None, "kept", None, None),
    "SmartNoise SQL over pandas": (None, "counted, not kept", None, None),
    "Peekproof, answer and interval": (OF_BOTH, "kept", None, "yes"),
    "Peekproof, answer and interval, on disk": (OF_BOTH, "kept", "yes", "yes"),
}


def counted(rows: int, *, rounds: int) -> dict[str, float]:
    """Counting alone, over NumPy by hand."""
    x, y = made(rows)
    ratios = over_numpy(evaluated(x, y), x, y, rounds=rounds)
    return {name: each / BATCH if AT_ONCE in name else each for name, each in ratios.items()}


def durable_write(folder: Path) -> Ask:
    """The least that a durable answer could take."""
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entry (body TEXT)")

    def write() -> None:
        connection.execute("INSERT INTO entry VALUES (?)", ("x" * 300,))

    return write


def measured(rows: int, *, rounds: int) -> Result:
    x, y = made(rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contenders = raw(x, y) | {"one durable write to SQLite": durable_write(folder)}
        ratios = over_numpy(contenders | answered(x, y, folder), x, y, rounds=rounds)
    counting, larger = (counted(size, rounds=rounds) for size in (rows, 10 * rows))
    others = told("latency", str(rows), str(rounds))
    ratios |= counting | others.found
    table = {
        name: {OVER: ratio, **dict(zip(HEADS, GIVEN.get(name, ()), strict=False))}
        for name, ratio in sorted(ratios.items(), key=lambda item: item[1])
    }
    sizes = {
        name: {f"{rows:,} rows": ratio, f"{10 * rows:,} rows": larger[name]}
        for name, ratio in counting.items()
    }
    return Result(
        name="latency",
        title="One question",
        about=ABOUT,
        sheets=(
            Sheet.of(f"What one question takes over NumPy by hand, {rows:,} rows", table),
            Sheet.of("Counting alone over NumPy by hand, reading the question included", sizes),
        ),
        charts=(Chart("bars", f"What one question takes, {rows:,} rows", OVER, column=OVER),),
        missing=others.missing,
        versions=installed("numpy", "polars", "duckdb") | others.versions,
    )


def main() -> None:
    run = asked(__doc__)
    run.keep(measured(100_000 if run.quick else 1_000_000, rounds=20 if run.quick else 100))


if __name__ == "__main__":
    main()

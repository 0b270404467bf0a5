"""What one `ask` costs beside the raw evaluation and the durable write it cannot do without.

Run: make bench, or python bench/ask_overhead.py
"""

import itertools
import os
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
from measure import record, side_by_side

import holdfast

ROUNDS = 300


def durable_writer(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entry (body TEXT)")
    return connection


def measure(rows: int, folder: Path) -> dict[str, float]:
    rng = np.random.default_rng(0)
    age, income = rng.uniform(0, 100, rows), rng.uniform(0, 1e5, rows)
    writer = durable_writer(folder / f"bare-{rows}.sqlite")
    session = holdfast.open(
        {"age": age, "income": income}, questions=ROUNDS + 1, ledger=folder / f"{rows}.holdfast"
    )
    thresholds = itertools.count(1)
    body = "x" * 300  # about the size of an entry

    def raw() -> object:
        return np.count_nonzero((age > 50) & (income < 30_000))

    def two_durable_writes() -> None:
        for _ in range(2):
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("INSERT INTO entry VALUES (?)", (body,))
            writer.execute("COMMIT")

    def ask() -> object:
        return session.ask(f"age > 50 and income < {30_000 + next(thresholds) / 1000}")

    seconds = side_by_side(
        {"raw NumPy": raw, "two durable writes": two_durable_writes, "ask": ask}, rounds=ROUNDS
    )
    session.close()
    writer.close()
    evaluation = seconds["ask"] - seconds["two durable writes"]
    return {
        "raw_numpy_ms": 1e3 * seconds["raw NumPy"],
        "two_durable_writes_ms": 1e3 * seconds["two durable writes"],
        "ask_ms": 1e3 * seconds["ask"],
        "ask_less_writes_over_raw": evaluation / seconds["raw NumPy"],
        "ask_over_raw_plus_writes": seconds["ask"]
        / (seconds["raw NumPy"] + seconds["two durable writes"]),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # The same data each time, with ledgers that are thrown away.
        os.environ["HOLDFAST_WITNESS"] = f"{folder}/witness"
        results = {f"{rows:,} rows": measure(rows, Path(folder)) for rows in (100_000, 1_000_000)}
    record("ask_overhead", results)


if __name__ == "__main__":
    main()

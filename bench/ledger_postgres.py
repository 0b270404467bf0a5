"""The ledger in PostgreSQL beside pgbench's simple update, on one server, by turns.

A simple update is an UPDATE, a SELECT and an INSERT in a transaction that is on disk when it
returns; a write of the ledger is one too. An ask is two writes, so a crowd of 64 threads is
compared by writes as well. The server is started for the purpose, from the wheel that the tests
use.

Run: make bench, or PYTHONPATH=tests python bench/ledger_postgres.py
"""

import argparse
import re
import subprocess
from pathlib import Path

from ledger_speed import CLIENTS, OPENING, asking, rate
from measure import record

from holdfast.ledger.ledger import Ledger
from ledger.postgres_server import Database, Own, server


def pgbench(own: Own, *arguments: str) -> str:
    options = ["-h", str(own.folder), "-U", "holdfast", *arguments, "postgres"]
    done = subprocess.run(
        [own.binaries / "pgbench", *options], check=True, capture_output=True, text=True
    )
    return done.stdout


def simple_updates(own: Own, *, clients: int, seconds: int) -> float:
    """Transactions a second of `pgbench -N`."""
    said = pgbench(own, "-N", "-n", "-c", str(clients), "-j", "2", "-T", str(seconds))
    found = re.search(r"tps = ([\d.]+)", said)
    if found is None:
        raise RuntimeError(said)
    return float(found[1])


def measured(own: Own, database: Database, *, seconds: int, each: int) -> dict[str, float]:
    pgbench(own, "-i", "-s", "10", "-q")
    ledger = Ledger.create(database.place("bench"), OPENING)
    ask = asking(ledger)
    rounds = [
        (
            2 * rate(ask, clients=1, each=10 * each),
            simple_updates(own, clients=1, seconds=seconds),
            2 * rate(ask, clients=CLIENTS, each=each),
        )
        for _ in range(3)
    ]
    ours, theirs, crowd = (sorted(side)[1] for side in zip(*rounds, strict=True))
    ledger.verify()
    ledger.close()
    return {
        "writes_a_second": ours,
        "simple_updates_a_second": theirs,
        "simple_updates_over_writes": theirs / ours,
        f"{CLIENTS}_clients_over_one": crowd / ours,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with server() as own, own.database() as database:
        results = measured(own, database, seconds=2 if quick else 10, each=20 if quick else 100)
    record("ledger_postgres", {"PostgreSQL": results, "script": Path(__file__).name})


if __name__ == "__main__":
    main()

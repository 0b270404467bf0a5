"""The ledger in PostgreSQL beside pgbench's simple update, on one server, by turns.

A simple update is an UPDATE, a SELECT and an INSERT in a transaction that is on disk when it
returns; a write of the ledger is one too. An ask is two writes, so both are compared by writes,
for one client and for 64. The server is started for the purpose, from the wheel that the tests
use.

Run: make bench ARGS="--only ledger_postgres"
"""

import re
import subprocess
from contextlib import closing

from comparisons.ledger_asks import CLIENTS, OPENING, asking, rate
from measure import asked, installed
from result import Cell, Result, Sheet

from ledger.postgres_server import Database, Own, server
from peekproof.ledger.ledger import Ledger


def pgbench(own: Own, *arguments: str) -> str:
    options = ["-h", str(own.folder), "-U", "peekproof", *arguments, "postgres"]
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


def measured(own: Own, database: Database, *, scale: int, seconds: int, each: int) -> Sheet:
    pgbench(own, "-i", "-s", str(scale), "-q")
    ledger = Ledger.create(database.place("bench"), OPENING)
    ask = asking(ledger)
    rounds = [  # an ask is two writes
        (
            simple_updates(own, clients=1, seconds=seconds),
            2 * rate(ask, clients=1, each=10 * each),
            simple_updates(own, clients=CLIENTS, seconds=seconds),
            2 * rate(ask, clients=CLIENTS, each=each),
        )
        for _ in range(3)
    ]
    theirs, ours, their_crowd, our_crowd = (sorted(side)[1] for side in zip(*rounds, strict=True))
    ledger.verify()
    ledger.close()

    def row(one: float, crowd: float) -> dict[str, Cell]:
        return {
            "one client, over pgbench": one / theirs,
            f"{CLIENTS} clients, over pgbench": crowd / their_crowd,
            f"{CLIENTS} clients, over one": crowd / one,
        }

    return Sheet.of(
        "Rates of durable writes, over simple updates of pgbench. More is better",
        {"pgbench simple update": row(theirs, their_crowd), "Peekproof": row(ours, our_crowd)},
    )


def version(database: Database) -> str:
    with closing(database.connect()) as connection:
        return connection.info.parameter_status("server_version") or ""


def main() -> None:
    run = asked(__doc__)
    scale, seconds, each = (1, 1, 15) if run.quick else (10, 8, 100)
    with server() as own, own.database() as database:
        sheet = measured(own, database, scale=scale, seconds=seconds, each=each)
        versions = {"PostgreSQL": version(database), **installed("psycopg")}
    run.keep(
        Result(
            name="ledger_postgres",
            title="The ledger in PostgreSQL",
            about=(
                "Writes of the ledger beside pgbench's simple update on the same server, by turns. "
                "A simple update is an UPDATE, a SELECT and an INSERT in one transaction; both are "
                "on disk when they return, and an ask is two writes. pgbench is a C program whose "
                f"{CLIENTS} clients hold a connection each and mostly touch different rows; "
                f"Peekproof's {CLIENTS} threads share one ledger, whose entries form one chain."
            ),
            sheets=(sheet,),
            versions=versions,
        )
    )


if __name__ == "__main__":
    main()

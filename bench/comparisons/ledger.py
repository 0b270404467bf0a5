"""What the embedded ledger costs beside the bare writes it cannot do without, alone and crowded.

A bare group-committing writer is the least that could serve a crowd: threads put rows on a queue,
one of them commits all that has gathered. An ask is one durable write; both sides do the same.
A large ledger is opened with its snapshot and without, and verified, beside a bare read of it.

Run: make bench ARGS="--only ledger"
"""

import queue
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from comparisons.ledger_asks import CLIENTS, COST, OPENING, asking, rate
from measure import asked, side_by_side, taken
from result import Cell, Chart, Result, Sheet

from peekproof.core.charge import GDP
from peekproof.ledger.entry import FORMAT, Entry, charge_body, follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import SqliteStore

BODY = "x" * 300  # about the size of an entry


def bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, body TEXT)")
    return connection


def writing(connection: sqlite3.Connection) -> Callable[[], None]:
    def write() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entry (body) VALUES (?)", (BODY,))
        connection.execute("COMMIT")

    return write


class Writer:
    """One thread that commits whatever has gathered, and wakes those who wait for it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.rows: queue.SimpleQueue[threading.Lock | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while (first := self.rows.get()) is not None:
            batch = [first]
            while not self.rows.empty() and (more := self.rows.get()) is not None:
                batch.append(more)
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany(
                "INSERT INTO entry (body) VALUES (?)", ((BODY,) for _ in batch)
            )
            self.connection.execute("COMMIT")
            for lock in batch:
                lock.release()

    def write(self) -> None:
        lock = threading.Lock()
        lock.acquire()
        self.rows.put(lock)
        lock.acquire()

    def stop(self) -> None:
        self.rows.put(None)
        self.thread.join()


def alone_and_crowded(folder: Path, *, rounds: int, each: int) -> Sheet:
    ledger = Ledger.create(str(folder / "ledger.peekproof"), OPENING)
    connection = bare(folder / "bare.sqlite")
    ask, write = asking(ledger), writing(connection)
    seconds = side_by_side({"bare": write, "ask": ask}, rounds=rounds)
    writer = Writer(connection)
    crowds = [  # by turns, so that a slow moment of the disk hits both
        (rate(ask, clients=CLIENTS, each=each), rate(writer.write, clients=CLIENTS, each=each))
        for _ in range(5)
    ]
    writer.stop()
    ours, theirs = (sorted(side)[2] for side in zip(*crowds, strict=True))
    ledger.verify()
    ledger.close()
    connection.close()

    def row(name: str, crowd: float) -> dict[str, Cell]:
        return {
            "time of one, over bare": seconds[name] / seconds["bare"],
            f"rate of {CLIENTS} threads, over bare": crowd / theirs,
            f"rate of {CLIENTS} threads, over one thread": crowd * seconds[name],
        }

    return Sheet.of(
        "An ask over the durable write of a bare SQLite file, alone and among "
        f"{CLIENTS} threads. Of times less is better, of rates more",
        {"A bare durable write": row("bare", theirs), "Peekproof ask": row("ask", ours)},
    )


def write_large(path: Path, *, entries: int) -> int:
    """Make a ledger of that many entries and its opening; the bytes of what they say."""
    store = SqliteStore.create(str(path), first := follow(None, "open", OPENING.to_body()))
    last, batch, size = first, list[Entry](), 0
    for number in range(entries):
        digest = f"{number:064x}"
        total = GDP(COST.cost.amount * (number + 1))
        value = Fraction(number % 1000, 1000)
        body = charge_body(
            {digest: f"age > {number}"}, [COST], total=total, analyst="", values=[value]
        )
        last = follow(last, "answer", {**body, "format": FORMAT, "at": "2026-11-16T00:00:00Z"})
        batch.append(last)
        size += len(last.text)
        if len(batch) >= 20_000 or number == entries - 1:
            store.begin(after=batch[0].sequence - 1)
            store.commit(batch)
            batch = []
    store.close()
    return size


def read_all(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for _ in connection.execute("SELECT sequence, kind, body, digest FROM entry"):
            pass


def verify(path: Path) -> None:
    with closing(Ledger.open(str(path))) as ledger:
        ledger.verify()


def large(folder: Path, *, entries: int) -> Sheet:
    path = folder / "large.peekproof"
    said = write_large(path, entries=entries)
    replayed = taken(lambda: Ledger.open(str(path)).close())  # the first time saves a snapshot
    seconds = side_by_side(
        {"read": lambda: read_all(path), "open": lambda: Ledger.open(str(path)).close()}, rounds=3
    )
    times = {
        "Bare read of all entries": seconds["read"],
        "Peekproof opens by its snapshot": seconds["open"],
        "Peekproof opens by replay": replayed,
        "Peekproof verifies": taken(lambda: verify(path)),
    }
    rows = {
        name: {
            "over a bare read": spent / seconds["read"],
            "over opening by snapshot": spent / seconds["open"],
        }
        for name, spent in times.items()
    }
    grown = path.stat().st_size / said
    return Sheet.of(
        f"The time of opening and verifying a ledger of {entries:,} entries, whose file is "
        f"{grown:.2f} times as large as what they say. Less is better",
        rows,
    )


def main() -> None:
    run = asked(__doc__)
    each, entries = (20, 20_000) if run.quick else (100, 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        sheets = (
            alone_and_crowded(Path(folder), rounds=200, each=each),
            large(Path(folder), entries=entries),
        )
    run.keep(
        Result(
            name="ledger",
            title="The embedded ledger",
            about=(
                "An ask is written down once, with what it costs and its answer, and is on disk "
                "before anybody is told. It is compared with bare writes of about as much text "
                "to SQLite, as durable; among many threads, with "
                "one bare writer that commits whatever has gathered."
            ),
            sheets=sheets,
            charts=(
                Chart(
                    kind="bars",
                    title=f"A ledger of {entries:,} entries",
                    axis="time over a bare read of all entries",
                    sheet=1,
                    column="over a bare read",
                ),
            ),
            versions={"SQLite": sqlite3.sqlite_version},
        )
    )


if __name__ == "__main__":
    main()

"""What the embedded ledger costs beside the bare writes it cannot do without, alone and crowded.

A bare group-committing writer is the least that could serve a crowd: threads put rows on a queue,
one of them commits all that has gathered. An ask is two durable writes; both sides do the same.
The large ledger is opened with its snapshot, and without.

Run: make bench, or python bench/ledger_speed.py
"""

import argparse
import itertools
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from measure import record, side_by_side

from holdfast.accounting.session_gate import SessionGate
from holdfast.core.charge import Offer
from holdfast.core.loss import GDP
from holdfast.ledger.entry import Entry, follow
from holdfast.ledger.ledger import Ledger, Reservation
from holdfast.ledger.opening import Opening
from holdfast.ledger.record import reserve_body, settle_body
from holdfast.ledger.sqlite import SqliteStore

CLIENTS = 64
BODY = "x" * 300  # about the size of an entry
COST = Offer(cost=GDP(Fraction(1, 10**7)))
OPENING = Opening(
    fingerprint="hf1-0123456789abcdef0123456789abcdef",
    rows=1000,
    confidence=Fraction(19, 20),
    questions=10**7,
    mechanism={"kind": "gaussian", "sigma": "1/100", "step": "1/8192"},
    budget=GDP(Fraction(1)),
    entropy="system",
)
GATE = SessionGate.within(OPENING.budget)


def bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, body TEXT)")
    return connection


def asking(ledger: Ledger) -> Callable[[], None]:
    """Reserve and settle a new question; what a session does between them is left out."""
    numbers = itertools.count()

    def ask() -> None:
        digest = f"{next(numbers):064x}"
        reserved = ledger.reserve(
            {digest: f"age > {digest[-6:]}"}, offers=lambda *_: [COST], gate=GATE
        )
        if not isinstance(reserved, Reservation):
            raise RuntimeError("refused")
        ledger.settle(reserved, {digest: Fraction(1, 3)})

    return ask


def writing(connection: sqlite3.Connection) -> Callable[[], None]:
    def write() -> None:
        for _ in range(2):
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
        for _ in range(2):
            lock = threading.Lock()
            lock.acquire()
            self.rows.put(lock)
            lock.acquire()

    def stop(self) -> None:
        self.rows.put(None)
        self.thread.join()


def rate(step: Callable[[], None], *, clients: int, each: int) -> float:
    """Steps a second of so many threads."""
    start = threading.Barrier(clients + 1)

    def client() -> None:
        start.wait()
        for _ in range(each):
            step()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return clients * each / (time.perf_counter() - began)


def alone_and_crowded(folder: Path, *, rounds: int, each: int) -> dict[str, float]:
    ledger = Ledger.create(str(folder / "ledger.holdfast"), OPENING)
    connection = bare(folder / "bare.sqlite")
    ask, write = asking(ledger), writing(connection)
    seconds = side_by_side({"two durable writes": write, "ask": ask}, rounds=rounds)
    writer = Writer(connection)
    crowds = [  # by turns, so that a slow moment of the disk hits both
        (rate(ask, clients=CLIENTS, each=each), rate(writer.write, clients=CLIENTS, each=each))
        for _ in range(5)
    ]
    writer.stop()
    single = 1 / seconds["ask"]
    ours, theirs = (sorted(side)[2] for side in zip(*crowds, strict=True))
    ledger.verify()
    ledger.close()
    connection.close()
    return {
        "ask_over_two_durable_writes": seconds["ask"] / seconds["two durable writes"],
        "ask_ms": 1e3 * seconds["ask"],
        f"{CLIENTS}_clients_over_one": ours / single,
        f"{CLIENTS}_clients_over_bare_group_commit": ours / theirs,
        "asks_a_second_with_a_crowd": ours,
    }


def large(folder: Path, *, entries: int) -> dict[str, float]:
    path = str(folder / "large.holdfast")
    store = SqliteStore.create(path, first := follow(None, "open", OPENING.to_body()))
    last, batch = first, list[Entry]()
    for number in range(entries // 2):
        digest = f"{number:064x}"
        total = GDP(COST.cost.mu_squared * (number + 1))  # type: ignore[union-attr]
        body = reserve_body({digest: f"age > {number}"}, [COST], total=total, analyst="")
        reserve = follow(last, "reserve", {**body, "format": 2, "at": "2026-11-16T00:00:00Z"})
        settle = settle_body(reserve.sequence, {digest: Fraction(number % 1000, 1000)})
        last = follow(reserve, "settle", {**settle, "format": 2, "at": "2026-11-16T00:00:00Z"})
        batch += [reserve, last]
        if len(batch) >= 20_000 or number == entries // 2 - 1:
            store.begin(after=batch[0].sequence - 1)
            store.commit(batch)
            batch = []
    store.close()

    def opening() -> float:
        began = time.perf_counter()
        Ledger.open(path).close()
        return time.perf_counter() - began

    replayed, by_snapshot = opening(), min(opening() for _ in range(3))  # the first saves one
    began = time.perf_counter()
    ledger = Ledger.open(path)
    ledger.verify()
    verified = time.perf_counter() - began
    ledger.answers()[f"{7:064x}"]
    ledger.close()
    return {
        "entries": float(last.sequence),
        "open_by_snapshot_s": by_snapshot,
        "open_by_replay_over_by_snapshot": replayed / by_snapshot,
        "verify_s": verified,
        "megabytes": Path(path).stat().st_size / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        crowd = alone_and_crowded(Path(folder), rounds=200, each=20 if quick else 100)
        big = large(Path(folder), entries=100_000 if quick else 1_000_000)
    record("ledger_speed", {"SQLite": crowd, "a large ledger": big})


if __name__ == "__main__":
    main()

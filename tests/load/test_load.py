"""A gateway under load: nothing lost, nothing doubled, whoever is killed on the way.

A few seconds of it by default; `make load MINUTES=3` goes on for minutes, with more of everything.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from load.books import check_answers, check_charges
from load.serving import PATIENCE, Serving, ended, serving
from peekproof.core.errors import InvalidInput
from peekproof.ledger.ledger import Ledger
from peekproof.server.runner import serve
from peekproof.server.settings import Dataset, Settings
from server.gateways import flights, held

MINUTES = float(os.environ.get("PEEKPROOF_LOAD_MINUTES", "0"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
QUESTION = "delay > {number}e-4"
ANALYSTS = ("ann", "bob", "cem")
_REMEMBERED = 1_000  # bytes for an answer: its text, value and digest
log = logging.getLogger("load")
KILLS = max(1, int(6 * MINUTES))


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    rows: int
    questions: int
    clients: int
    workers: int

    @property
    def asking(self) -> dict[str, Any]:
        much: dict[str, Any] = {"seconds": 60 * MINUTES} if MINUTES else {"count": 200}
        return {"clients": self.clients, "question": QUESTION, **much}


SIZE = Size(200_000, 400_000, 64, 4) if MINUTES else Size(20_000, 1_000, 8, 2)


def dataset(folder: Path, place: str, **given: Any) -> Dataset:
    given = {"questions": SIZE.questions, "ledger": place, **given}
    made = held(folder, **given)
    flights(folder, rows=SIZE.rows)  # more rows, in the place of the others
    return made


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A ledger that several workers share."""
    if request.param == "SQLite":
        return str(tmp_path / "flights.peekproof")
    return str(request.getfixturevalue("database").place("load"))


def test_a_crowd_at_one_worker_is_answered_and_charged_once_each(tmp_path: Path) -> None:
    place = str(tmp_path / "flights.peekproof")
    with serving(tmp_path, dataset(tmp_path, place), analysts=ANALYSTS) as gateway:
        # Before memory is weighed: what past questions left behind has filled its room.
        first = gateway.asked_by(
            clients=SIZE.clients, question=QUESTION, count=SIZE.questions // 20
        )
        warm = gateway.memory()
        second = gateway.asked_by(first=SIZE.questions // 20, **SIZE.asking)
        grown = gateway.memory() - warm
        gateway.stop()
    log.info("memory %.0f MB, then %.3f times as much", warm / 2**20, 1 + grown / warm)
    log.info("%.0f asks a second", second.rate)
    assert not first.retries + second.retries
    check_answers(place, first, second)
    check_charges(place, first, second, killed=False)
    if MINUTES:
        # A ledger remembers what it has answered, and nothing else grows.
        assert grown < _REMEMBERED * len(second.answers)


def test_workers_that_are_killed_lose_no_answer_and_are_replaced(
    tmp_path: Path, place: str
) -> None:
    with serving(
        tmp_path,
        dataset(tmp_path, place, questions=max(10_000, SIZE.questions)),
        analysts=ANALYSTS,
        workers=SIZE.workers,
    ) as gateway:
        wait_for_workers(gateway, SIZE.workers)
        killed: set[int] = set()
        enough, broken = tmp_path / "enough", tmp_path / "broken"
        # They ask until it is done: a worker is never killed when all have gone home.
        asking_on = {"clients": SIZE.clients, "question": QUESTION, "until": str(enough)}
        with gateway.crowd(patience=PATIENCE, broken=str(broken), **asking_on) as asking:
            # One that has just answered everybody breaks nobody's question: then another one dies.
            while len(killed) < KILLS or not broken.exists():
                assert len(killed) < 10 * KILLS, "nobody was waiting for those that were killed"
                wait_for_workers(gateway, SIZE.workers)
                wait_for_draws(place, 50 * (len(killed) + 1))
                time.sleep(60 * MINUTES / (KILLS + 1))
                killed.add(gateway.kill_busiest())
                time.sleep(0.1)  # for those who waited to notice
            wait_for_draws(place, 200)
            enough.touch()
        report = asking.report()
        wait_for_workers(gateway, SIZE.workers)
        workers = gateway.workers()
        assert killed.isdisjoint(workers)
        gateway.process.kill()  # who ends with their supervisor has nothing left to do
        wait_until(lambda: all(map(ended, workers)))
    lost = check_charges(place, report, killed=True)
    check_answers(place, report)
    log.info("%d killed, %d sent again, %d paid twice", len(killed), report.retries, lost)
    assert report.retries
    assert not report.unanswered
    if MINUTES:
        verify = [sys.executable, "-m", "peekproof", "ledger", "verify", place]
        assert subprocess.run(verify, check=False).returncode == 0


@pytest.mark.parametrize("workers", [1, SIZE.workers] if MINUTES else [1])
def test_a_gateway_that_is_asked_to_end_finishes_what_it_has_begun(
    tmp_path: Path, workers: int
) -> None:
    place = str(tmp_path / "flights.peekproof")
    with serving(tmp_path, dataset(tmp_path, place), workers=workers) as gateway:
        wait_for_workers(gateway, workers)
        with gateway.crowd(
            clients=SIZE.clients, question=QUESTION, seconds=20, patience=0.5, keys=False
        ) as asking:
            wait_for_draws(place, 50)
            gateway.stop()
        report = asking.report()
    assert report.answers
    assert len(report.unanswered) == SIZE.clients
    check_charges(place, report, killed=False)
    check_answers(place, report)


def test_several_workers_are_refused_where_one_must_know_all_guesses(tmp_path: Path) -> None:
    served = held(tmp_path, failures=3, mechanism="thresholdout")
    settings = Settings(datasets=(served,), store=tmp_path / "tokens", port=0, workers=2)
    with pytest.raises(InvalidInput, match="workers must be 1, for 'flights'"):
        serve(settings, ready=lambda _: pytest.fail("it was served"))


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_draws(place: str, count: int) -> None:
    """Until the crowd is at it."""
    book = Ledger.open(place)
    try:
        wait_until(lambda: book.draws() >= count)
    finally:
        book.close()


def wait_for_workers(gateway: Serving, count: int) -> None:
    """Until so many are there; those that do not listen yet leave the clients to the others."""
    wait_until(lambda: len(gateway.workers()) == count)

"""How many files of the package one call passes: what a reader has to follow it through.

Whoever adds a layer meets a bound here. It is raised only with a reason.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import peekproof
from peekproof.server.settings import Dataset
from server.gateways import flights, running

PACKAGE = str(Path(peekproof.__file__).parent) + "/"
RNG = np.random.default_rng(1)
AGES = RNG.integers(18, 90, 3000)
ASK, SCORE, HTTP_ASK = 25, 30, 40


class Walk:
    """The files whose functions run while it is `on`."""

    def __init__(self) -> None:
        self.on = False
        self.files: set[str] = set()

    def look(self, frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if self.on and event == "call" and name.startswith(PACKAGE):
            self.files.add(name.removeprefix(PACKAGE))

    def of(self, call: Callable[[], object]) -> set[str]:
        """Those of one call, in this thread."""
        sys.setprofile(self.look)
        self.on = True
        try:
            call()
        finally:
            self.on = False
            sys.setprofile(None)
        return self.files


def test_an_ask() -> None:
    with peekproof.open({"age": AGES}, questions=50) as session:
        for age in (20, 30):
            session.ask(f"age > {age}")  # what is read once is read by now
        files = Walk().of(lambda: session.ask("age > 50"))
    assert {"session/session.py", "mechanisms/gaussian.py", "ledger/ledger.py"} <= files
    assert len(files) <= ASK, sorted(files)


def test_an_ask_of_a_ledger_in_a_file(tmp_path: Path) -> None:
    place = tmp_path / "ages.peekproof"
    with peekproof.open({"age": AGES}, questions=50, ledger=place) as session:
        for age in (20, 30):
            session.ask(f"age > {age}")
        files = Walk().of(lambda: session.ask("age > 50"))
    assert {"ledger/sqlite.py", "ledger/witness.py"} <= files
    assert len(files) <= ASK, sorted(files)


def test_a_score() -> None:
    labels = RNG.integers(0, 2, 2000)
    predictions = [RNG.integers(0, 2, 2000) for _ in range(3)]
    holdout = peekproof.Holdout(RNG.normal(size=(2000, 3)), labels)
    for each in predictions[:2]:
        holdout.score(each, guess=0.5)
    files = Walk().of(lambda: holdout.score(predictions[2], guess=0.5))
    assert {"mechanisms/checking.py", "ledger/ledger.py"} <= files
    assert len(files) <= SCORE, sorted(files)


def test_an_ask_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the gateway passes, in all of its threads; the client is no part of it."""
    walk = Walk()
    start = threading.Thread.run

    def run(thread: threading.Thread) -> None:
        sys.setprofile(walk.look)
        start(thread)

    monkeypatch.setattr(threading.Thread, "run", run)
    source = str(flights(tmp_path))
    dataset = Dataset(name="flights", source=source, questions=50, mechanism="gaussian")
    with running(tmp_path, dataset) as gateway:

        def ask(delay: int) -> None:
            said = gateway.send(
                "POST",
                "/v1/datasets/flights/ask",
                token=gateway.analyst,
                body={"question": f"delay > {delay}"},
            )
            assert said.status == 200

        for delay in (20, 30):
            ask(delay)
        walk.on = True
        ask(50)
        walk.on = False
    assert {"server/endpoint.py", "session/session.py", "mechanisms/gaussian.py"} <= walk.files
    assert len(walk.files) <= HTTP_ASK, sorted(walk.files)

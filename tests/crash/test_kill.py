"""Processes killed without warning, at every step and at any time.

Whatever the moment: the ledger opens and verifies, nothing that was paid for is paid back, and
every answer that anyone saw is in it with the same value.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pytest

import peekproof
from peekproof.mechanisms.base import Ask
from peekproof.query.question import parse_question
from peekproof.session.queries import ANY_SHARE
from session.people import people, write_csv

CHILD = Path(__file__).with_name("child.py")
SOURCE = Path(peekproof.__file__).parent.parent
QUESTIONS = 1000
PATIENCE = 120  # seconds, only so that a hanging child fails the test instead of the run

Line = dict[str, Any]


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "people.csv", people())


class Nursery:
    """A process that has imported everything and forks the children: they start at once."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def request(self, **fields: object) -> Line:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        to.write(json.dumps(fields) + "\n")
        to.flush()
        reply: Line = json.loads(back.readline())
        return reply


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with subprocess.Popen(
        [sys.executable, str(CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    ) as process:
        yield Nursery(process)


@dataclass
class Child:
    """A running child; what it writes goes to a file, which survives it."""

    nursery: Nursery
    process: int
    output: Path
    _code: int | None = None

    def said(self) -> list[Line]:
        """The lines so far; one without an end was never wholly seen."""
        lines = self.output.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def code(self) -> int | None:
        """How it ended, or nothing while it lives."""
        if self._code is None:
            self._code = self.nursery.request(ended=self.process)["code"]
        return self._code

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)

    def last_words(self) -> list[Line]:
        deadline = time.monotonic() + PATIENCE
        while self.code() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        assert self.code() == -signal.SIGKILL
        return self.said()


class Start(Protocol):
    """Starts a child that asks from `first`."""

    def __call__(self, *, first: int, step: str = "-", nth: int = 0) -> Child: ...


@pytest.fixture
def start(nursery: Nursery, csv: Path, witness_folder: Path) -> Start:
    folder = csv.parent / "said"
    folder.mkdir()

    def call(*, first: int, step: str = "-", nth: int = 0) -> Child:
        output = folder / str(first)
        output.touch()
        reply = nursery.request(
            csv=str(csv),
            first=first,
            step=step,
            nth=nth,
            output=str(output),
            witness=str(witness_folder),
        )
        return Child(nursery, reply["child"], output)

    return call


def check_survivor(csv: Path, lines: Sequence[Line]) -> tuple[int, int]:
    """Every promise about a ledger whose users died; how many were charged and answered."""
    with peekproof.open(csv) as data:
        data.ledger.verify()
        draws, answers = data.ledger.draws(), data.ledger.answers()
        assert data.remaining == QUESTIONS - draws
        share = data.plan.mechanism.offer(Ask(what=ANY_SHARE), data.plan.nothing_asked)
        assert data.ledger.spent() == share.cost * draws
        for line in lines:
            if "answered" in line:
                settled = answers[parse_question(line["answered"], data.schema).digest]
                assert settled.value == Fraction(line["value"])
            budgets = [line[key] for key in ("ready", "remaining") if key in line]
            assert all(data.remaining <= budget for budget in budgets)
        seen = {line["answered"] for line in lines if "answered" in line}
        asked = sum("asking" in line for line in lines)
        assert len(seen) <= len(answers) <= draws <= asked
        counted = draws, len(answers)

        # It is not only readable: it goes on, and what was answered is still free.
        for question in sorted(seen)[:2]:
            assert data.ask(question).replayed
        data.ask("age < 0 and city = 'Rome'")
        assert data.ledger.draws() == draws + 1
    return counted


# One answer is given; the child dies during its second question. What it read and drew by then was
# told to nobody, and is charged to nobody.
STEPS = {
    "count:before": (1, 1),
    "count:after": (1, 1),
    "write:before": (1, 1),
    "release:before": (1, 1),
    "release:after": (1, 1),
    "write:after": (2, 2),
}


@pytest.mark.parametrize(("step", "counted"), STEPS.items(), ids=STEPS.keys())
def test_a_process_killed_at_a_step(
    step: str, counted: tuple[int, int], csv: Path, start: Start
) -> None:
    lines = start(first=20, step=step, nth=2).last_words()
    assert [line["answered"] for line in lines if "answered" in line] == ["age > 20"]
    assert lines[-1] == {"asking": "age > 21"}
    assert check_survivor(csv, lines) == counted


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_killed_inside_a_transaction(when: str, csv: Path, start: Start) -> None:
    """An entry is written inside of it, so dying right after the second answer's undoes it."""
    lines = start(first=20, step=f"entry:{when}", nth=3).last_words()
    assert lines[-1] == {"asking": "age > 21"}
    assert check_survivor(csv, lines) == (1, 1)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_killed_while_the_witness_hears_of_a_write(
    when: str, csv: Path, start: Start
) -> None:
    """What is on disk is charged and answered, though nobody was told."""
    lines = start(first=20, step=f"witness:{when}", nth=3).last_words()
    assert lines[-1] == {"asking": "age > 21"}
    assert check_survivor(csv, lines) == (2, 2)


@pytest.mark.parametrize(
    ("step", "exists"),
    [
        ("entry:before", False),
        ("entry:after", False),
        ("link:before", False),
        ("link:after", True),
        ("witness:before", True),
    ],
)
def test_a_process_killed_while_it_creates_the_ledger(
    step: str, exists: bool, csv: Path, tmp_path: Path, start: Start
) -> None:
    assert start(first=20, step=step, nth=1).last_words() == []
    place = csv.with_name("people.csv.peekproof")
    litter = set(tmp_path.iterdir()) - {csv, place, tmp_path / "said"}
    assert litter  # the temporary file: ugly, and harmless
    assert place.exists() is exists
    assert check_survivor(csv, []) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_processes_that_share_a_ledger_killed_at_random(seed: int, csv: Path, start: Start) -> None:
    chance = random.Random(seed)
    # Neighbours overlap, so that the same question is drawn by several at once.
    children = [start(first=20 + 3 * number) for number in range(5)]
    while not all(child.said() or child.code() is not None for child in children):
        time.sleep(0.002)
    csv.with_name("people.csv.go").touch()
    # On a busy machine the first answer takes its time; without one there is nothing to lose.
    while not any("answered" in line for child in children for line in child.said()):
        assert any(child.code() is None for child in children)
        time.sleep(0.002)
    for child in chance.sample(children, len(children)):
        time.sleep(chance.uniform(0, 0.04))
        child.kill()
    lines = [line for child in children for line in child.last_words()]
    draws, answers = check_survivor(csv, lines)
    assert draws >= answers > 0

"""Many threads and processes want the last question: exactly as many get one as there are."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import peekproof
from peekproof.ledger.ledger import Ledger, Written
from peekproof.testing.ledgers import (
    AFFORDABLE,
    BUDGET,
    Engine,
    answer,
    asked,
    first_entry,
)

THREADS = 64
TRIALS = int(os.environ.get("PEEKPROOF_TRIALS", "3"))
LEFT = 1
BEFORE = 2  # entries of a ledger that has so much left
PATIENCE = 60  # seconds, only so that a hanging thread fails the test instead of the run


def nearly_spent(engine: Engine) -> str:
    """The place of a ledger that has one question left."""
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    with engine.opened(place) as (_, ledger):
        answer(ledger, *(f"early {number}" for number in range(AFFORDABLE - LEFT)))
    return place


def fight(ledgers: Sequence[Ledger]) -> list[str]:
    """Who of all threads got a question and had it answered."""
    start, got, failed = threading.Barrier(THREADS), list[str](), list[BaseException]()

    def take(number: int) -> None:
        try:
            start.wait()
            ledger = ledgers[number % len(ledgers)]
            found = asked(ledger, f"q{number}")
            if isinstance(found, Written):
                got.append(f"q{number}")
        except BaseException as error:
            failed.append(error)

    takers = [threading.Thread(target=take, args=(number,)) for number in range(THREADS)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert failed == []
    return got


@pytest.mark.parametrize("handles", [1, 8])
def test_threads_that_want_the_last_question(handles: int, engine: Engine) -> None:
    for _ in range(TRIALS):
        place = nearly_spent(engine)
        with ExitStack() as stack:
            ledgers = [stack.enter_context(engine.opened(place))[1] for _ in range(handles)]
            got = fight(ledgers)
            assert len(got) == LEFT
            for ledger in ledgers:
                assert ledger.spent() == BUDGET
                assert [name for name in ledger.answers() if name.startswith("q")] == got
            assert ledgers[0].verify() == BEFORE + LEFT


def test_a_ledger_is_sound_whenever_it_is_verified(engine: Engine) -> None:
    place = engine.place()
    with closing(Ledger(engine.create(place, first_entry(place)))) as ledger:
        done, found = threading.Event(), list[object]()

        def write(number: int) -> None:
            for count in range(40):
                ledger.override(reason=f"{number} {count}", against="nothing")

        def verify() -> None:
            try:
                while not done.is_set():
                    found.append(ledger.verify())
            except BaseException as error:
                found.append(error)

        writers = [threading.Thread(target=write, args=(n,), daemon=True) for n in range(3)]
        reader = threading.Thread(target=verify, daemon=True)
        for each in (reader, *writers):
            each.start()
        for writer in writers:
            writer.join(PATIENCE)
        done.set()
        reader.join(PATIENCE)
        assert not any(each.is_alive() for each in (reader, *writers))
        assert found == sorted(each for each in found if isinstance(each, int))
        assert ledger.verify() == 1 + 3 * 40


TAKER = """
import sys
from peekproof.ledger.ledger import Ledger, Written
from peekproof.testing.ledgers import asked
for line in sys.stdin:
    command, _, rest = line.rstrip("\\n").partition(" ")
    if command == "open":
        ledger = Ledger.open(rest)
        print("ready", flush=True)
    else:
        got = sum(isinstance(asked(ledger, f"{rest} {n}"), Written) for n in range(3))
        print(got, flush=True)
        ledger.close()
"""


@pytest.fixture(scope="module")
def takers() -> Iterator[list[subprocess.Popen[str]]]:
    """Eight processes that wait to be told what to open and when to take."""
    source = Path(peekproof.__file__).parent.parent
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        for _ in range(8)
    ]
    yield started
    for taker in started:
        taker.communicate()
    assert [taker.returncode for taker in started] == [0] * 8


def test_processes_that_want_the_last_questions(
    engine: Engine, takers: list[subprocess.Popen[str]]
) -> None:
    for _ in range(TRIALS):
        place = nearly_spent(engine)
        assert all(say(taker, f"open {place}") for taker in takers)
        assert [heard(taker) for taker in takers] == ["ready"] * 8
        assert all(say(taker, f"take {number}") for number, taker in enumerate(takers))
        assert sum(int(heard(taker)) for taker in takers) == LEFT
        with engine.opened(place) as (_, ledger):
            assert ledger.spent() == BUDGET
            assert ledger.verify() == BEFORE + LEFT


def say(taker: subprocess.Popen[str], line: str) -> bool:
    assert taker.stdin is not None
    return taker.stdin.write(f"{line}\n") > 0


def heard(taker: subprocess.Popen[str]) -> str:
    assert taker.stdout is not None
    return taker.stdout.readline().strip()


def test_a_ledger_with_one_question_left_has_one(engine: Engine) -> None:
    with engine.opened(nearly_spent(engine)) as (_, ledger):
        answer(ledger, "the last")
        assert not isinstance(asked(ledger, "one more"), Written)

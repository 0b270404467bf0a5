"""The same questions at the same moment, from many threads and processes, are charged once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

import peekproof
from peekproof.data.source import Total
from peekproof.data.table import Table
from peekproof.ledger.log import Flight
from peekproof.ledger.sqlite import MEMORY
from peekproof.query.question import Question
from session.people import people, write_csv

THREADS, QUESTIONS = 64, ("age > 30", "age > 40", "age > 50")
WAIT = 120  # seconds until a thread that should be done counts as hanging


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows take a while to read, in which others could be charged for the same."""
    totals = Table.totals

    def late(self: Table, questions: Sequence[Question]) -> list[Total]:
        time.sleep(0.02)
        return totals(self, questions)

    monkeypatch.setattr(Table, "totals", late)


def place_of(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    match kind:
        case "memory":
            return MEMORY
        case "SQLite":
            return str(tmp_path / "l.peekproof")
        case _:
            found: str = request.getfixturevalue("database").place("asked at once")
            return found


def all_at_once(sessions: list[peekproof.Session]) -> list[peekproof.Answer]:
    """What every thread is told about every question."""
    start, told = threading.Barrier(THREADS), list[peekproof.Answer]()
    failed: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            start.wait(WAIT)
            for shift in range(len(QUESTIONS)):
                question = QUESTIONS[(number + shift) % len(QUESTIONS)]
                answer = sessions[number % len(sessions)].ask(question)
                assert isinstance(answer, peekproof.Answer)
                told.append(answer)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    assert failed == []
    return told


@pytest.mark.parametrize("kind", ["memory", "SQLite", "PostgreSQL"])
def test_equal_questions_of_many_threads_are_charged_once(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, slow: None
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    with peekproof.open(csv, ledger=place_of(kind, tmp_path, request)) as data:
        told = all_at_once([data, data.as_analyst("ann")])
        assert data.ledger.draws() == len(QUESTIONS)
    assert len(told) == THREADS * len(QUESTIONS)
    assert len({(each.question, each.released) for each in told}) == len(QUESTIONS)
    assert sum(not each.replayed for each in told) == len(QUESTIONS)


def test_equal_questions_of_sessions_that_share_a_file_are_charged_once(
    tmp_path: Path, slow: None
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    with peekproof.open(csv) as one, peekproof.open(csv) as other:
        all_at_once([one, other])
        assert one.ledger.draws() == len(QUESTIONS)
    assert {each.name for each in tmp_path.iterdir()} == {"people.csv", "people.csv.peekproof"}


def test_equal_questions_of_sessions_that_share_a_database_are_charged_once(
    tmp_path: Path, request: pytest.FixtureRequest, slow: None
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    place = place_of("PostgreSQL", tmp_path, request)
    with peekproof.open(csv, ledger=place) as one, peekproof.open(csv, ledger=place) as other:
        all_at_once([one, other])
        assert one.ledger.draws() == len(QUESTIONS)


ASKER = """
import sys, time
import peekproof
from peekproof.data.source import Total
from peekproof.data.table import Table
totals = Table.totals
def slow(*given):
    time.sleep(0.2)
    return totals(*given)
Table.totals = slow
with peekproof.open(sys.argv[1]) as data:
    print("ready", flush=True)
    sys.stdin.readline()
    for question in sys.argv[2:]:
        data.ask(question)
"""


def test_equal_questions_of_several_processes_are_charged_once(tmp_path: Path) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    peekproof.open(csv).close()
    askers = [
        subprocess.Popen(
            [sys.executable, "-c", ASKER, str(csv), *QUESTIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(peekproof.__file__).parent.parent)},
        )
        for _ in range(3)
    ]
    for asker in askers:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "ready\n"
    for asker in askers:
        asker.communicate("go\n", timeout=WAIT)
    assert [asker.returncode for asker in askers] == [0] * 3
    with closing(peekproof.open(csv)) as data:
        assert data.ledger.draws() == len(QUESTIONS)


def test_who_asks_what_another_answers_meanwhile_gets_that_answer_for_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    with peekproof.open(csv) as one, peekproof.open(csv) as other:
        totals, told = Table.totals, list[peekproof.Answer]()

        def meanwhile(self: Table, questions: Sequence[Question]) -> list[Total]:
            monkeypatch.setattr(Table, "totals", totals)
            answer = other.ask(QUESTIONS[0])
            assert isinstance(answer, peekproof.Answer)
            told.append(answer)
            return totals(self, questions)

        monkeypatch.setattr(Table, "totals", meanwhile)
        late = one.ask(QUESTIONS[0])
        assert isinstance(late, peekproof.Answer)
        assert (late.replayed, told[0].replayed) == (True, False)
        assert late.released == told[0].released
        assert one.ledger.draws() == 1


def test_who_loses_the_race_for_the_last_question_is_refused_after_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    with peekproof.open(csv, questions=1) as one, peekproof.open(csv) as other:
        totals = Table.totals

        def meanwhile(self: Table, questions: Sequence[Question]) -> list[Total]:
            monkeypatch.setattr(Table, "totals", totals)
            other.ask(QUESTIONS[0])
            return totals(self, questions)

        monkeypatch.setattr(Table, "totals", meanwhile)
        with pytest.raises(peekproof.BudgetExhausted):
            one.ask(QUESTIONS[1])
        assert [entry.kind for entry in one.ledger.entries()] == ["open", "answer"]


def test_a_question_that_an_interrupt_left_behind_is_free() -> None:
    flight = Flight()
    gone = threading.Lock()
    flight._busy["q"] = gone  # as if its call had been interrupted in its last step
    assert flight.alone(["q", "r"], lambda: 1) == 1
    assert flight._busy == {}


def test_questions_apart_do_not_wait_for_each_other() -> None:
    flight = Flight()
    found: list[int] = []

    def inside() -> None:
        thread = threading.Thread(
            target=lambda: found.append(flight.alone(["r"], lambda: 1)), daemon=True
        )
        thread.start()
        thread.join(WAIT)

    flight.alone(["q"], inside)
    assert found == [1]

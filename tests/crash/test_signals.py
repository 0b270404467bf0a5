"""Threads that are interrupted (Ctrl-C) wherever Python takes a signal, again and again.

Whatever the moment: nobody waits for ever, what was told is on record, no attempt is charged
twice, and the ledger in memory is the one on disk. The default number of random interrupts is
small; `make crash` asks for ten thousand.
"""

from __future__ import annotations

import dis
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from psycopg import OperationalError

import peekproof
from ledger.books import COST, OPENING, at
from peekproof.core.charge import GDP
from peekproof.core.errors import LedgerUnavailable
from peekproof.data.source import Total
from peekproof.data.table import Table
from peekproof.ledger import log
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.log import Commits
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.witness import Witness
from peekproof.query.question import Question
from session.people import people, write_csv

INTERRUPTS = int(os.environ.get("PEEKPROOF_INTERRUPTS", "150"))
LARGE = replace(OPENING, questions=10**9, budget=GDP(Fraction(10**9)))
WAIT = 20  # seconds until a thread that should be done counts as hanging
TAKES_SIGNALS = ("CALL", "JUMP_BACKWARD")  # and all whose names begin like them


class Interrupt:
    """Raises KeyboardInterrupt once, at the nth point of files where Python takes signals.

    Those are where a function is entered and after each call; a `with` of a lock has none between
    taking it and being bound to release it.
    """

    def __init__(self, home: str, *, nth: int) -> None:
        self.home, self.left = home, nth
        self._before: dict[FrameType, str] = {}

    @property
    def raised(self) -> bool:
        return self.left < 0

    @contextmanager
    def armed(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)
            self._before.clear()

    def _point(self) -> None:
        self.left -= 1
        if self.left == -1:
            raise KeyboardInterrupt

    def _entered(self, frame: FrameType, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(self.home) or event != "call":
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._point()
        return self._within

    def _within(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "opcode":
            before = self._before.get(frame, "")
            self._before[frame] = operation(frame.f_code, frame.f_lasti)
            if before.startswith(TAKES_SIGNALS):
                self._point()
        return self._within


def operation(code: CodeType, index: int) -> str:
    return dis.opname[code.co_code[index]]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


class Crowd:
    """Jobs of several threads; which were run, and which of them were told to be."""

    def __init__(self) -> None:
        self.commits = Commits[str](self._write)
        self.run, self.told = list[str](), list[str]()
        self.during: dict[str, Callable[[], None]] = {}
        self.threads: list[threading.Thread] = []
        self.gone = False  # main, interrupted or not

    def _write(self, jobs: list[str]) -> None:
        for each in jobs:
            self.during.get(each, lambda: None)()
        self.run += jobs

    def do(self, job: str) -> None:
        self.commits.do(job)
        self.told.append(job)

    def start(self, job: str) -> None:
        self.threads.append(threading.Thread(target=self.do, args=(job,), daemon=True))
        self.threads[-1].start()

    def waits(self, *jobs: str) -> Callable[[], bool]:
        """Whether these wait, or main does not any more."""
        return lambda: self.gone or [each.job for each in self.commits._queue] == list(jobs)

    def check(self, *, interrupted: bool) -> None:
        """Nobody hangs, nobody's job was run twice, and all others were run.

        But for those that main had taken: they find their jobs not done, and are told so.
        """
        self.start("afterwards")
        for thread in self.threads:
            thread.join(WAIT)
            assert not thread.is_alive()
        assert len(set(self.run)) == len(self.run)
        taken = {"beside", "third"} if interrupted else set[str]()
        assert set(self.told) - set(self.run) <= taken
        assert "afterwards" in self.run


def leads(crowd: Crowd) -> None:
    """Main writes for itself; two come meanwhile, of whom one is to lead."""

    def come() -> None:
        crowd.start("second")
        until(crowd.waits("second"))
        crowd.start("third")
        until(crowd.waits("second", "third"))

    crowd.during["main"] = come


def follows(crowd: Crowd) -> None:
    """Main is handed the lead, with one behind it."""

    def come() -> None:
        until(crowd.waits("main"))
        crowd.start("third")
        until(crowd.waits("main", "third"))

    crowd.during["first"] = come
    crowd.start("first")
    until(crowd.commits._turn.locked)


def leads_for_others(crowd: Crowd) -> None:
    """Main is handed the lead with one beside it, whose batch it takes, and one comes meanwhile."""

    def come() -> None:
        until(crowd.waits("main"))
        crowd.start("beside")
        until(crowd.waits("main", "beside"))

    def late() -> None:
        crowd.start("third")
        until(crowd.waits("third"))

    crowd.during.update({"first": come, "main": late})
    crowd.start("first")
    until(crowd.commits._turn.locked)


@pytest.mark.parametrize("scene", [leads, follows, leads_for_others])
def test_an_interrupt_at_any_point_of_a_group_commit_leaves_nobody_waiting(
    scene: Callable[[Crowd], None],
) -> None:
    nth, raised = 0, True
    while raised:
        crowd = Crowd()
        scene(crowd)
        interrupt = Interrupt(log.__file__, nth=nth)
        try:
            with interrupt.armed():
                crowd.do("main")
        except KeyboardInterrupt:
            assert interrupt.raised
        crowd.gone, raised = True, interrupt.raised
        crowd.check(interrupted=raised)
        nth += 1
    assert nth > 10


class Timer:
    """Raises KeyboardInterrupt in the main thread, once or twice, while it is armed."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._left = chance, 0
        self.taken = 0
        self.passed: list[str] = []

    @contextmanager
    def handled(self) -> Iterator[None]:
        before, hook = signal.signal(signal.SIGALRM, self._handle), sys.unraisablehook
        # One in some thousands comes while Python clears up, where nobody can catch it.
        sys.unraisablehook = self._in_passing
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            sys.unraisablehook = hook
        assert self.passed == []

    def _in_passing(self, happened: sys.UnraisableHookArgs) -> None:
        said = str(happened.exc_value)
        # What psycopg was about to ask of a connection that is closed since the interrupt.
        closed = happened.exc_type is OperationalError and "connection pointer is NULL" in said
        if not (happened.exc_type is KeyboardInterrupt or closed):
            self.passed.append(f"{happened.exc_type.__name__}: {said}, in {happened.object!r}")

    def interrupted(self, act: Callable[[], None], *, within: float) -> bool:
        """Whether the act was interrupted before it was over."""
        try:
            self._left = self._chance.choice([1, 1, 2])
            again = within / 20 if self._left == 2 else 0
            signal.setitimer(signal.ITIMER_REAL, self._chance.uniform(1e-6, within), again)
            act()
            self._left = 0
        except KeyboardInterrupt:
            self._left = 0
            return True
        return False

    def _handle(self, *_: object) -> None:
        if self._left:
            self._left -= 1
            self.taken += 1
            raise KeyboardInterrupt


class Asking:
    """Asks one new question after another, and notes what was paid for and what was told."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger, self.name = ledger, name
        self.asked = 0
        self.paid, self.told = dict[str, int](), dict[str, Fraction]()
        self.seconds = 0.002

    def one(self) -> None:
        digest = f"{self.name}-{self.asked}"
        self.asked += 1
        begun = time.perf_counter()
        value = Fraction(self.asked % 97, 97)
        if self.asked % 2:
            found = self.ledger.write({digest: "x > 1"}, offers=at(COST), release=lambda _: [value])
            assert isinstance(found, Written)
            self.paid[digest] = found.sequence
        else:
            lost = self.ledger.lose({digest: "x > 1"}, offers=at(COST))
            assert isinstance(lost, Written)
            self.paid[digest] = lost.sequence
            self.ledger.recover(lost, {digest: value})
        self.told[digest] = value
        self.seconds = 0.9 * self.seconds + 0.1 * (time.perf_counter() - begun)


def places(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    match kind:
        case "memory":
            return MEMORY
        case "SQLite":
            return str(tmp_path / "l.peekproof")
        case _:
            found: str = request.getfixturevalue("database").place("interrupted")
            return found


# A connection that an interrupt leaves without a name is closed by its finaliser, which says so.
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
@pytest.mark.parametrize("kind", ["memory", "SQLite", "PostgreSQL"])
def test_interrupts_lose_no_answer_charge_no_attempt_twice_and_hang_nobody(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    chance, stop = random.Random(7), threading.Event()
    ledger = Ledger.create(places(kind, tmp_path, request), LARGE)
    ledger.attend(Witness(tmp_path / "witness"))
    asking = [Asking(ledger, name) for name in ("main", "b", "c")]
    failed: list[BaseException] = []

    def beside(each: Asking) -> None:
        while not stop.is_set():
            try:
                each.one()
            except LedgerUnavailable as error:
                if "interrupted" not in error.problem:
                    failed.append(error)
            except BaseException as error:
                failed.append(error)
            time.sleep(each.seconds)

    threads = [threading.Thread(target=beside, args=(each,), daemon=True) for each in asking[1:]]
    for thread in threads:
        thread.start()
    timer, most = Timer(chance), INTERRUPTS * 20
    with timer.handled():
        for _ in range(most):
            if timer.taken >= INTERRUPTS or failed:
                break
            main = asking[0]
            try:
                timer.interrupted(main.one, within=2 * main.seconds)
            except LedgerUnavailable as error:
                if "interrupted" not in error.problem and "transaction" not in error.problem:
                    raise
    stop.set()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    assert failed == []
    assert timer.taken >= INTERRUPTS
    before = {each.name: len(each.told) for each in asking}
    for each in asking:
        each.one()  # it goes on
        assert len(each.told) == before[each.name] + 1

    check(ledger, asking)
    if kind != "memory":
        with closing(ledger.opened_again()) as again:
            check(again, asking)
    ledger.close()


def check(ledger: Ledger, asking: list[Asking]) -> None:
    state = ledger.look()
    charged = [
        str(question["digest"])
        for entry in ledger.entries()
        if entry.kind in ("answer", "lost") and "lost" not in entry.body
        for question in entry.body["questions"]
    ]
    assert len(set(charged)) == len(charged) == state.draws
    assert state.spent == COST * state.draws
    assert ledger.verify() == ledger.entries()[-1].sequence
    for each in asking:
        assert set(each.paid) <= set(charged)
        assert len([name for name in charged if name.startswith(f"{each.name}-")]) <= each.asked
        for digest, value in each.told.items():
            assert state.answers[digest].value == value


def test_a_question_that_is_interrupted_again_and_again_is_charged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals, interrupts = Table.totals, iter(range(3))

    def interrupted(self: Table, questions: Sequence[Question]) -> list[Total]:
        if next(interrupts, None) is not None:
            raise KeyboardInterrupt
        return totals(self, questions)

    monkeypatch.setattr(Table, "totals", interrupted)  # before anything is written
    csv = write_csv(tmp_path / "people.csv", people())
    with peekproof.open(csv, mechanisms=[peekproof.Gaussian]) as data:
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                data.ask("age > 50")
        assert data.ask("age > 50").radius < 1
        assert data.ledger.draws() == 1

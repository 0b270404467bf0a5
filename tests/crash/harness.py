"""Processes that write to a ledger and die: at a labelled step, or whenever they are killed.

A child is forked, opens the ledger for itself, and asks one question after another. It says
through a pipe what it asks and, once the ledger has returned, what it was answered.
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

from ledger.books import COST, at
from peekproof.ledger import log
from peekproof.ledger.ledger import Ledger, Written

WAIT = 60  # seconds until a child that should die counts as hanging


@dataclass
class Told:
    """What a child was heard to say before its end."""

    asked: list[str] = field(default_factory=list)
    answered: dict[str, Fraction] = field(default_factory=dict)
    refused: int = 0

    def hear(self, text: str) -> None:
        for line in text.split("\n")[:-1]:  # one without an end was never wholly said
            kind, name, *value = line.split(" ")
            if kind == "asking":
                self.asked.append(name)
            elif kind == "answered":
                self.answered[name] = Fraction(value[0])
            else:
                self.refused += 1


class Child:
    """A forked process at work on a ledger."""

    def __init__(self, work: Callable[[int], None]) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(reading)
                work(writing)
            finally:
                os._exit(0)
        os.close(writing)
        self._pipe, self._heard = reading, b""

    def wait_for_words(self) -> None:
        select.select([self._pipe], [], [], WAIT)

    def kill(self) -> Told:
        os.kill(self.pid, signal.SIGKILL)
        return self.last_words()

    def last_words(self) -> Told:
        """What it said, once it is dead; a child that lives on is killed, and an error."""
        deadline = time.monotonic() + WAIT
        while not self._ended() and time.monotonic() < deadline:
            self._listen(0.01)
        if not self._dead:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("a child neither died nor ended")
        self._listen(0)
        os.close(self._pipe)
        told = Told()
        told.hear(self._heard.decode())
        return told

    _dead = False

    def _ended(self) -> bool:
        self._dead = self._dead or os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        return self._dead

    def _listen(self, seconds: float) -> None:
        while select.select([self._pipe], [], [], seconds)[0]:
            heard = os.read(self._pipe, 65536)
            if not heard:  # its end of the pipe is closed: it is about to be dead
                time.sleep(0.001)
                return
            self._heard += heard


def worker(
    place: str,
    name: str,
    *,
    most: int = 10**6,
    armed: Callable[[], None] | None = None,
) -> Callable[[int], None]:
    """What a child does: open the ledger, then ask `name-0`, `name-1`, … as fast as it can."""

    def work(pipe: int) -> None:
        if armed:
            armed()
        ledger = Ledger.open(place)
        for number in range(most):
            digest = f"{name}-{number}"
            os.write(pipe, f"asking {digest}\n".encode())
            value = Fraction(number % 97, 97)
            if not _answered(ledger, digest, value, first=bool(number % 3)):
                os.write(pipe, f"refused {digest}\n".encode())
                return
            os.write(pipe, f"answered {digest} {value}\n".encode())

    return work


def _answered(ledger: Ledger, digest: str, value: Fraction, *, first: bool) -> bool:
    """Whether there was budget: read first and written once, or charged first, by turns."""
    texts = {digest: "x > 1"}
    if first:
        found = ledger.write(texts, offers=at(COST), release=lambda _: [value])
        return isinstance(found, Written)
    lost = ledger.lose(texts, offers=at(COST))
    if isinstance(lost, Written):
        ledger.recover(lost, {digest: value})
    return isinstance(lost, Written)


def deadly(home: object, attribute: str, *, when: str, nth: int) -> Callable[[], None]:
    """Arms the process to kill itself before or after the nth call of a function."""

    def arm() -> None:
        plain = getattr(home, attribute)
        calls = itertools.count(1)

        def patched(*arguments: object, **keywords: object) -> object:
            mine = next(calls) == nth
            if mine and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = plain(*arguments, **keywords)
            if mine and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        setattr(home, attribute, patched)

    return arm


def check(place: str, told: list[Told], *, verify: bool = True) -> Ledger:
    """Every promise about a ledger whose users died; the ledger, still open."""
    ledger = Ledger.open(place)
    if verify:
        ledger.verify()
    state = ledger.look()
    assert state.spent == COST * state.draws
    unanswered = sum(len(each) for each in state.unanswered.values())
    assert len(state.answers) + unanswered == state.draws
    for each in told:
        for digest, value in each.answered.items():
            assert state.answers[digest].value == value
    assert sum(len(each.answered) for each in told) <= len(state.answers)
    assert state.draws <= sum(len(each.asked) for each in told)
    return ledger


@contextmanager
def quick_snapshots() -> Iterator[None]:
    """Snapshots every few entries, so that deaths happen in them too."""
    before, log._DUE = log._DUE, 16
    try:
        yield
    finally:
        log._DUE = before

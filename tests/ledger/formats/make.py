"""Makes the ledgers of one format, to be kept for ever. Run once, when FORMAT has grown:

    PYTHONPATH=src:tests python -m ledger.formats.make

The folder is named for the format that the code writes. What is there is never overwritten: a
ledger that today's code wrote says nothing about those that people already have. Beside each
ledger, write what it replays to by hand (NAME.json), from its entries and not from a replay.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from unittest import mock

import peekproof
from peekproof.core.refusals import ShareExhausted
from peekproof.ledger import loading
from peekproof.ledger.ledger import Reservation
from peekproof.ledger.opening import FORMAT
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.query.question import parse_question
from peekproof.session.request import question_request
from peekproof.session.session import Session
from ledger.formats.data import DATA


def noise(place: str) -> None:
    """Every form of question and every way to draw; one was never settled, one drawn twice."""
    with _opened(place, confidence=0.9, questions=200, mechanisms=[Gaussian]) as data:
        data.ask("age > 50")
        data.ask_many(["age > 60", "city = 'Rome'"])
        data.respond(["mean(income, 0, 90000)", "age <= 25"])  # offers differ within one entry
        data.ask("age > 30", radius=0.25)
        data.histogram("histogram(age, (30, 50))")
        data.best(["age > 20", "age > 25", "age > 85"])
        data.quantile("quantile(age, 0.5, 0, 100)")
        _reserve(data, "age > 77")
        twice = [_reserve(data, "age > 40"), _reserve(data, "age > 40")]
        for reservation, value in zip(twice, (Fraction(3, 4), Fraction(1, 2)), strict=True):
            data.ledger.settle(reservation, dict.fromkeys(reservation.digests, value))


def shares(place: str) -> None:
    """Analysts with shares, refusals, an override, and a snapshot in the middle."""
    with ExitStack() as stack:
        data = stack.enter_context(
            _opened(place, confidence=0.9, questions=20, mechanisms=[Gaussian])
        )
        _as(data, "", "age > 35")
        data.ledger.set_aside({"Ana": Fraction(1, 2), "Bo": Fraction(1, 10)})
        _as(data, "Ana", "age > 50", "age > 60")
        data.ledger.override(reason="the older file was a test", against="hf1-" + "0" * 32)
        _as(data, "Bo", "age > 50", "city = 'Oslo'")  # the first is Ana's answer, free
        stack.enter_context(mock.patch.object(loading, "_DUE", 4))
        _as(data, "Bo", "age > 21")
        stack.enter_context(mock.patch.object(loading, "_DUE", 10**9))
        _refused(data, "Bo", "age > 22")
        data.ledger.set_aside({"Ana": Fraction(1, 2), "Bo": Fraction(1, 5)})
        _as(data, "Bo", "age > 22")


def guesses(place: str) -> None:
    """Guesses that were confirmed, and one that failed."""
    with _opened(place, questions=200, mechanisms=[Checking]) as data:
        data.ask("age > 50", guess=0.5, tolerance=0.2)
        data.ask("age > 60", guess=0.9, tolerance=0.2)
        data.ask("mean(income, 0, 90000)", guess=45_000, tolerance=20_000)


def rounds(place: str) -> None:
    """Batches on fresh rows, with the key that assigns them."""
    with _opened(place, questions=20, rounds=3, mechanisms=[peekproof.Rounds]) as data:
        data.ask_many(["age > 50", "age > 60"])
        data.ask("age > 40")


def laplace(place: str) -> None:
    """Laplace noise, whose unit is epsilon."""
    with _opened(place, questions=4, mechanisms=[peekproof.Laplace]) as data:
        data.respond(["age > 50", "mean(income, 0, 90000)"])


def truncation(place: str) -> None:
    """Few possible answers."""
    with _opened(place, questions=50, mechanisms=[peekproof.Truncation]) as data:
        data.respond(["age > 50", "mean(income, 0, 90000)"])


def votes(place: str) -> None:
    """Answers by votes of single records."""
    with _opened(place, questions=4, mechanisms=[peekproof.Votes]) as data:
        data.ask("age > 50")


def open_ended(place: str) -> None:
    """As many questions as will come, in stages."""
    with _opened(place, mechanisms=[peekproof.OpenEnded]) as data:
        data.ask("age > 50")
        data.ask_many(["age > 60", "mean(income, 0, 90000)"])


def closed(place: str) -> None:
    """A ledger that the custodian closed."""
    with _opened(place, questions=5, mechanisms=[peekproof.Splitting]) as data:
        data.ask("age > 50")
        data.ledger.retire()


def _opened(place: str, **promise: object) -> Session:
    return peekproof.open(DATA, ledger=place, **promise)  # type: ignore[arg-type]


def _as(data: Session, analyst: str, *questions: str) -> None:
    """Ask in someone's name."""
    data.as_analyst(analyst).ask_many(questions)


def _refused(data: Session, analyst: str, question: str) -> None:
    try:
        _as(data, analyst, question)
    except ShareExhausted:
        return
    raise TypeError("a question beyond the share was answered")


def _reserve(data: Session, text: str) -> Reservation:
    """Pay for a share and draw nothing, as a process does that stops in between."""
    parsed = parse_question(text, data.schema)
    request = question_request(data.plan, parsed)
    reserved = data.ledger.reserve(
        {parsed.digest: parsed.text},
        offers=lambda digests, drawn: [request.offer(data.plan, draw=drawn + 1, batch=1)],
        gate=data.plan.gate(),
    )
    if not isinstance(reserved, Reservation):
        raise TypeError("the charge was refused")
    return reserved


_LEDGERS = (noise, shares, guesses, rounds, laplace, truncation, votes, open_ended, closed)


def main(folder: Path) -> None:
    """One file for each kind of ledger; an existing folder is left alone."""
    if folder.exists():
        sys.exit(f"{folder} exists; ledgers of a format are made once")
    folder.mkdir()
    for make in _LEDGERS:  # each before a witness of its own, for all are about the same data
        with (
            tempfile.TemporaryDirectory() as seen,
            mock.patch.dict(os.environ, PEEKPROOF_WITNESS=seen),
        ):
            make(str(folder / f"{make.__name__}.peekproof"))


if __name__ == "__main__":
    main(Path(__file__).parent / str(FORMAT))

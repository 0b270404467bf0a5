"""Each recorded draw is tied to what its text asks for: edits of a ledger that the chain allows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import LedgerDamaged, QuestionError
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.ledger.entry import Body
from peekproof.ledger.ledger import Ledger
from peekproof.session import Session
from peekproof.session.replay import replay
from peekproof.theory.generalization.gaussian import vector_cost
from session.forging import forged

ROWS = 20_000
Talk = Callable[[Session], object]
Change = Callable[[str, Body], None]

BEST = [f"age > {age}" for age in range(10, 90)]
EVERYTHING = (
    "age > 50",
    "late",
    "not late and age between 20 and 30",
    "carrier = 'AA'",
    "carrier in ('AA', 'BB') or carrier is null",
    "day > '2020-02-01'",
    "at > '2020-01-01 12:00:00'",
    "month(day) = 2 and hour(at) < 6",
    "day - '2020-01-01' > 10",
    "at - '2020-01-01' > 86400",
    "day = '2020-01-05'",
    "share(age > 7)",
    "mean(age, 0, 100)",
    "mean(coalesce(age, 3), 0, 100)",
    "mean(`a (b); c`, 0, 50)",
    '["share",[">",["column","age"],70]]',
    "mean(age, 10, 20) given carrier = 'AA'",
    "age > 50 where late",
    "mean(some, 0, 1)",
    "mean(some, 0, 1) given age > 10",
    "mean(some + age, 0, 100, 7)",
)
SHAPES = (
    "histogram(age, (25, 50))",
    "histogram(late)",
    "histogram(carrier)",
    "histogram(carrier, ('AA', 'BB'))",
    "histogram(day, ('2020-01-05', '2020-02-05'))",
    "histogram(age, bins(0, 100, 4), mean(some, -2, 1))",
    "histogram(age, (25, 50), late)",
)
BY = ("late by carrier", "mean(age, 0, 100) by late", "mean(some, 0, 1) by age (50)")


def people() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    some = rng.random(ROWS)
    some[:5] = np.nan
    at = np.datetime64("2020-01-01", "us") + rng.integers(0, 10**7, ROWS).astype("m8[s]")
    return {
        "age": rng.uniform(0, 100, ROWS),
        "a (b); c": rng.uniform(0, 100, ROWS),
        "some": some,
        "late": rng.integers(0, 2, ROWS).astype(bool),
        "carrier": rng.choice(["AA", "BB"], ROWS),
        "day": at.astype("M8[D]"),
        "at": at.astype("M8[us]"),
    }


COLUMNS = people()


def opened(place: Path, **said: Any) -> Session:
    complete = [name for name in COLUMNS if name != "some"]
    return peekproof.open(
        COLUMNS,
        ledger=place,
        complete=complete,
        categories={"carrier": ["AA", "BB", "CC"]},
        **said,
    )


def measured(name: str, high: int = 100) -> Statistic:
    return Statistic(
        name=name, function=lambda _: 40.0, sensitivity=Fraction(1, 100), low=0, high=high
    )


GAUSSIAN = {"questions": 1000, "mechanisms": [peekproof.Gaussian]}
CHECKING = {"questions": 1000, "mechanisms": [peekproof.Checking]}
OPEN_ENDED = {"mechanisms": [peekproof.OpenEnded]}


def asks(text: str, **said: Any) -> Talk:
    return lambda session: session.ask(text, **said)


def shapes(session: Session) -> None:
    for text in SHAPES:
        session.histogram(text)
    for text in BY:
        session.grouped(text)
    session.quantile("quantile(age, 0.25, 0, 100)")
    session.quantile("quantile(age, 0.5, 0, 100, 64)", loss=0.1)
    session.best(BEST)
    session.best(["mean(age, 0, 100)", "mean(100 - age, 0, 100)"])
    session.best(
        ["carrier != 'A; \"A'", "day = '2020-01-07'", '["share",["is true",["column","late"]]]']
    )
    session.ask("age > 13", radius=0.2)
    session.measure(measured("m"))
    session.measure(measured("of 2; by"))


# Whoever keeps the rules is believed. -----------------------------------------------------------

HONEST: dict[str, tuple[dict[str, Any], Talk]] = {
    "gaussian": (GAUSSIAN, lambda session: session.ask_many(EVERYTHING)),
    "one by one": (GAUSSIAN, lambda session: [session.ask(text) for text in EVERYTHING[::-1]]),
    "shapes": (GAUSSIAN, shapes),
    "laplace": (
        {"questions": 50, "mechanisms": [peekproof.Laplace]},
        lambda session: session.ask_many(EVERYTHING),
    ),
    "truncation": (
        {"questions": 50, "mechanisms": [peekproof.Truncation]},
        lambda session: session.ask_many(EVERYTHING),
    ),
    "fresh rows": (
        {"questions": 50, "mechanisms": [peekproof.FreshRows]},
        lambda session: session.ask_many(EVERYTHING),
    ),
    "rounds": (
        {"questions": 50, "rounds": 3, "mechanisms": [peekproof.FreshRows]},
        lambda session: [session.ask_many(EVERYTHING[:5]), session.ask_many(EVERYTHING[5:])],
    ),
    "open-ended": (
        OPEN_ENDED,
        lambda session: [
            *(session.ask(text) for text in EVERYTHING[:5]),
            session.ask_many(EVERYTHING[4:9]),
            session.ask_many(EVERYTHING[9:]),
        ],
    ),
    "checking": (
        CHECKING,
        lambda session: [
            *(session.ask(text, guess=0.5) for text in EVERYTHING[:11]),
            session.ask("mean(age, 0, 100)", guess=50),
            session.best(BEST),
            session.best(["mean(age, 0, 100)", "mean(100 - age, 0, 100)"]),
            session.ask(PairStatistic(name="p: 1; 2", function=lambda _: 5), guess=0.1),
        ],
    ),
    "limited": (
        {"questions": 50, "mechanisms": [peekproof.LimitedChecking], "failures": 9},
        lambda session: [
            session.ask("age > 50", guess=0.5),
            session.ask("mean(age, 0, 100)", guess=9),
        ],
    ),
    "thresholdout": (
        {"questions": 50, "mechanisms": [peekproof.Thresholdout]},
        lambda session: [session.ask(text, guess=0.5) for text in EVERYTHING[:11]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_a_session_writes_is_no_damage(tmp_path: Path, name: str) -> None:
    place = tmp_path / "ledger.peekproof"
    said, talk = HONEST[name]
    with opened(place, **said) as session:
        talk(session)
        answers = session.ledger.answers()
    with closing(Ledger.open(str(place))) as book:
        assert replay(book).certificates == len(answers) > 0


# Whoever edits a draw is found out. -------------------------------------------------------------


def terms(**changed: str | None) -> Change:
    """Every answer with other fields of its draw; None leaves one out."""

    def change(kind: str, body: Body) -> None:
        if kind in ("answer", "lost") and "terms" in body:
            body["terms"] = {
                name: said
                for name, said in {**body["terms"], **changed}.items()
                if said is not None
            }

    return change


def text(other: str, digest: str | None = None) -> Change:
    def change(kind: str, body: Body) -> None:
        if kind in ("answer", "lost"):
            body["questions"][0]["text"] = other
            if digest:
                body["questions"][0]["digest"] = digest

    return change


def small_ball(kind: str, body: Body) -> None:
    """A histogram that costs a millionth of what it should, and counts as one question."""
    if kind == "answer":
        ball = Fraction(1, 2**20)
        body["terms"] |= {"ball": str(ball), "counts": "1"}
        body.pop("draws", None)
        sigma = Fraction(body["terms"]["sigma"])
        cost = vector_cost(rows=ROWS, sigma=sigma, squared_radius=ball).mu_squared
        body["cost"] = body["spent"] = str(cost)


MEAN, HISTOGRAM = asks("mean(age, 0, 100)"), lambda s: s.histogram("histogram(age, (25, 50))")
QUANTILE = lambda s: s.quantile("quantile(age, 0.5, 0, 100)")  # noqa: E731
STATISTIC = lambda s: s.measure(measured("m"))  # noqa: E731
PAIRS: Talk = lambda s: s.ask(PairStatistic(name="p", function=lambda _: 5), guess=0.1)  # noqa: E731

FORGED: dict[str, tuple[dict[str, Any], Talk, Change]] = {
    "units": (GAUSSIAN, MEAN, terms(low="0", high="1")),
    "no units": (GAUSSIAN, MEAN, terms(low=None, high=None)),
    "reversed units": (GAUSSIAN, MEAN, terms(low="1", high="0")),
    "units of a share": (GAUSSIAN, asks("age > 3"), terms(low="0", high="1/100")),
    "levels": (GAUSSIAN, MEAN, terms(levels=None)),
    "levels of a share": (GAUSSIAN, asks("age > 3"), terms(levels="1000000")),
    "levels of cells": (
        GAUSSIAN,
        lambda s: s.grouped("mean(age, 0, 100) by late"),
        terms(levels=None),
    ),
    "levels by laplace": (
        {"questions": 20, "mechanisms": [peekproof.Laplace]}, MEAN, terms(levels=None),
    ),
    "levels by truncation": (
        {"questions": 20, "mechanisms": [peekproof.Truncation]}, MEAN, terms(levels=None),
    ),
    "levels of fresh rows": (
        {"questions": 20, "mechanisms": [peekproof.FreshRows]}, MEAN, terms(levels=None),
    ),
    "levels of a guess": (CHECKING, asks("mean(age, 0, 100)", guess=50), terms(levels=None)),
    "sensitivity": (
        GAUSSIAN,
        lambda s: s.best(["mean(age, 0, 100)", "mean(100 - age, 0, 100)"]),
        terms(sensitivity=None),
    ),
    "candidates": (GAUSSIAN, lambda s: s.best(BEST), terms(candidates="81")),
    "ball": (GAUSSIAN, HISTOGRAM, small_ball),
    "level": (GAUSSIAN, QUANTILE, terms(level="9/10")),
    "cells of a quantile": (GAUSSIAN, QUANTILE, terms(cells="300")),
    "other text": (GAUSSIAN, asks("age > 3"), text("age > 4")),
    "other column": (GAUSSIAN, asks("age > 3"), text("some > 3")),
    "other words": (GAUSSIAN, asks("age > 3"), text("whatever they say")),
    "other digest": (GAUSSIAN, asks("age > 3"), text("age > 3", "0" * 64)),
    "a score": (GAUSSIAN, MEAN, text("accuracy of predictions 0123456789abcdef")),
    "other dates": (GAUSSIAN, asks("day > '2020-02-01'"), text("day > '2020-02-02'")),
    "other candidate": (
        GAUSSIAN,
        lambda s: s.best(["age > 1", "age > 2"]),
        text("the largest of 2: age > 1; age > 3"),
    ),
    "statistic's name": (GAUSSIAN, STATISTIC, text("statistic n")),
    "statistic's reach": (GAUSSIAN, STATISTIC, terms(moved_by=None)),
    "statistic's end": (GAUSSIAN, STATISTIC, terms(most=None)),
    "statistic's units": (GAUSSIAN, STATISTIC, terms(low="0", high="1/1000", most="1/1000")),
    "statistic as a share": (
        GAUSSIAN, STATISTIC, terms(low=None, high=None, most=None, moved_by=None, levels=None),
    ),
    "pairs": (CHECKING, PAIRS, text("pairs: q")),
    "pairs as rows": (CHECKING, PAIRS, terms(pairs=None, levels=None)),
    "rows as pairs": (
        CHECKING,
        asks("age > 50", guess=0.5),
        terms(pairs="true", levels=str((ROWS - 1) * 2)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_an_edited_draw_is_damage(tmp_path: Path, name: str) -> None:
    place = tmp_path / "ledger.peekproof"
    said, talk, change = FORGED[name]
    with opened(place, **said) as session:
        talk(session)
    before = place.read_bytes()
    forged(place, change)
    assert place.read_bytes() != before
    with closing(Ledger.open(str(place))) as book, pytest.raises(LedgerDamaged):
        replay(book)


def at_the_first_stage(kind: str, body: Body) -> None:
    """All answers as if each were the first, which has the least noise and the widest share."""
    if kind == "open":
        at_first["sigma"], at_first["step"] = body["mechanism"]["stages"].split(" ")[0].split(":")
    if kind == "answer":
        body["terms"].update(stage="0", **at_first)
        cost = 1 / (ROWS * Fraction(at_first["sigma"])) ** 2
        at_first_spent.append(cost * len(body["questions"]))
        body["cost"], body["spent"] = str(cost), str(sum(at_first_spent))


at_first: dict[str, str] = {}
at_first_spent: list[Fraction] = []


@pytest.mark.parametrize("batches", [(1,) * 6, (2,), (1, 2, 3)])
def test_an_answer_of_an_earlier_stage_is_damage(tmp_path: Path, batches: tuple[int, ...]) -> None:
    place, ages = tmp_path / "ledger.peekproof", count()
    at_first_spent.clear()
    with opened(place, **OPEN_ENDED) as session:
        for size in batches:
            session.ask_many([f"age > {next(ages)}" for _ in range(size)])
    with closing(Ledger.open(str(place))) as book:
        assert replay(book).certificates == sum(batches)
    forged(place, at_the_first_stage)
    with (
        closing(Ledger.open(str(place))) as book,
        pytest.raises(LedgerDamaged, match="another stage than its turn"),
    ):
        replay(book)


# What is not known without the custodian's word is believed. ------------------------------------


def test_a_quotient_whose_parts_could_not_be_read_again_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "ledger.peekproof"
    with opened(place, **GAUSSIAN) as session:
        session.ask(f"mean(age{'/some' * 190}, 0, 1) given age > 1")
        with pytest.raises(QuestionError, match="in what is drawn for it"):
            session.ask(f"mean(age{'/some' * 199}, 0, 1) given age > 1")
        assert len(session.ledger.answers()) == 2
    with closing(Ledger.open(str(place))) as book:
        assert replay(book).certificates == 2


def test_categories_that_somebody_declared_are_not_in_a_text(tmp_path: Path) -> None:
    place = tmp_path / "ledger.peekproof"
    with opened(place, **GAUSSIAN) as session:
        session.histogram("histogram(carrier)")
    forged(place, text("histogram(dest)"))
    with closing(Ledger.open(str(place))) as book:
        replay(book)
    forged(place, text("histogram(dest, ('AA', 'BB', 'CC'))"))
    with closing(Ledger.open(str(place))) as book, pytest.raises(LedgerDamaged):
        replay(book)


def test_a_repeat_of_what_was_drawn_otherwise_is_damage(tmp_path: Path) -> None:
    place = tmp_path / "ledger.peekproof"
    with opened(place, **GAUSSIAN) as session:
        MEAN(session)
    forged(place, terms(levels=None))
    with opened(place, **GAUSSIAN) as session, pytest.raises(LedgerDamaged):
        MEAN(session)

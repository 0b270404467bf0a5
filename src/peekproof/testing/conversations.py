"""Laws that every mechanism keeps that a session can be opened with, ours and yours.

    from peekproof.testing.conversations import check_mechanism
    check_mechanism(Mine)

opens sessions on made-up rows, asks what the mechanism takes, opens its ledger again, and works
everything out anew from the record; what does not fit raises `Violation`.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from peekproof.core.errors import InvalidInput, Refusal
from peekproof.data.statistic import Statistic
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import VARIABLE
from peekproof.mechanisms.base import (
    SHAPES,
    Ask,
    Draw,
    Mechanism,
    Query,
    every_mechanism,
    recorded_draw,
    recorded_mechanism,
)
from peekproof.mechanisms.plan import Plan, certificate_of
from peekproof.noise.entropy import Seeded
from peekproof.query.candidates import parse_candidates
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.session.opening import open as open_session
from peekproof.session.queries import Best, InWords, Measured, any_pairs
from peekproof.session.replay import replay
from peekproof.session.session import Session
from peekproof.testing.statistics import Violation, require

ROWS, QUESTIONS, FAILURES, SEED = 20_000, 20, 5, 20_261

_COLUMN = "x"
_SCHEMA = Schema({_COLUMN: Kind.NUMBER}, complete=frozenset({_COLUMN}))


def check_mechanism(kind: type[Mechanism], **said: Any) -> None:
    """Hold a mechanism to all laws; `said` is what `peekproof.open` must be told besides."""
    for law in LAWS:
        law(kind, said)


def _told(kind: type[Mechanism], said: dict[str, Any]) -> dict[str, Any]:
    told = {} if kind.open_ended else {"questions": QUESTIONS}
    if "failures" in kind.required:
        told["failures"] = FAILURES
    return {**told, **said}


@contextmanager
def _opened(
    kind: type[Mechanism], said: dict[str, Any], folder: str, seed: int = SEED
) -> Iterator[Session]:
    rows = {_COLUMN: np.random.default_rng(seed).uniform(0, 100, ROWS)}
    with (
        _witnessed_in(folder),
        open_session(
            rows,
            mechanisms=[kind],
            complete=[_COLUMN],
            ledger=Path(folder) / "ledger.peekproof",
            entropy=Seeded(seed),
            **_told(kind, said),
        ) as session,
    ):
        yield session


@contextmanager
def _witnessed_in(folder: str) -> Iterator[None]:
    """Made-up rows are nobody's data: what was seen of them is forgotten with the folder."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(Path(folder) / "witness")
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _queries() -> dict[str, Query]:
    """One of each shape."""
    texts = {
        "share": f"{_COLUMN} > 50",
        "mean": f"mean({_COLUMN}, 0, 100, 0)",
        "cells": f"histogram({_COLUMN}, (25, 50))",
        "quantile": f"quantile({_COLUMN}, 0.5, 0, 100)",
    }
    found: dict[str, Query] = {
        shape: InWords(parse_question(text, _SCHEMA)) for shape, text in texts.items()
    }
    candidates = parse_candidates([f"{_COLUMN} > 10", f"{_COLUMN} > 90"], _SCHEMA)
    statistic = Statistic(
        name="mean", function=_mean, sensitivity=Fraction(1, 200),
        low=0, high=100,
    )  # fmt: skip
    others: dict[str, Query] = {
        "choice": Best(candidates),
        "statistic": Measured(statistic, ROWS),
        "pairs": any_pairs(ROWS),
    }
    return {**found, **others}


def _mean(rows: pl.DataFrame) -> float:
    return float(np.mean(rows[_COLUMN].to_numpy()))


def _asks(kind: type[Mechanism]) -> dict[str, Ask]:
    """One of each shape that the mechanism takes, with a guess where it wants one."""
    guesses = kind.guesses
    return {
        shape: Ask(what=what, guess=_guess(what) if guesses and shape != "choice" else None)
        for shape, what in _queries().items()
        if shape in kind.takes
    }


def _guess(what: Query) -> float:
    low, high = float(what.span.low), float(what.span.high)
    return (low + high) / 2


def it_is_registered_under_its_kind(kind: type[Mechanism], _: dict[str, Any]) -> None:
    """So that a ledger that names it is read by it."""
    found = every_mechanism().get(kind.kind)
    require(found is kind, f"{kind.kind} stands for {found}, and not for {kind}")
    unknown = kind.takes - SHAPES.keys()
    require(not unknown, f"{kind.kind} takes what nobody can ask for: {sorted(unknown)}")


def a_plan_is_read_as_it_was_recorded(kind: type[Mechanism], said: dict[str, Any]) -> None:
    """And its budget has a unit that all of its draws are charged in."""
    with TemporaryDirectory() as folder, _opened(kind, said, folder) as session:
        plan, opening = session.plan, session.ledger.opening
        again = recorded_mechanism(opening.mechanism, rows=opening.rows)
        require(again == plan.mechanism, f"{kind.kind} is not what its record gives")
        require(plan.budget == opening.budget, f"{kind.kind} has another budget than it recorded")
        require(plan.radius > 0 or plan.mechanism.grows, f"{kind.kind} promises too much")
        for ask in _asks(kind).values():
            try:
                draw = plan.mechanism.offer(ask, plan.nothing_asked)
            except TypeError as error:  # so are those of other packages in a session
                raise Violation(str(error)) from error
            _check_draw(plan, draw)
            made = draw.made_for(ask.what)
            require(made, f"{type(draw).__name__} is not made for {SHAPES[ask.what.shape]}")


def _check_draw(plan: Plan, draw: Draw) -> None:
    name, mechanism = type(draw).__name__, plan.mechanism
    same = recorded_draw(draw.record(), rows=plan.rows) == draw
    require(same, f"{name} is not what its record gives")
    require(draw.cost.unit == plan.budget.unit, f"{name} is charged in another unit")
    require(draw.cost.amount >= 0, f"{name} has a cost below nothing")
    require(1 <= draw.draws <= plan.target.questions, f"{name} counts as {draw.draws} questions")
    enough = draw.least_draws(mechanism, plan.target) <= draw.draws
    require(enough, f"{name} counts as fewer questions than it costs")
    certificate = certificate_of(plan, draw)
    require(certificate.target == plan.target, f"{name} is certified for another promise")


def what_it_does_not_take_is_refused(kind: type[Mechanism], said: dict[str, Any]) -> None:
    """Before anything is read or charged."""
    with TemporaryDirectory() as folder, _opened(kind, said, folder) as session:
        plan = session.plan
        for shape, what in _queries().items():
            if shape in kind.takes:
                continue
            try:
                plan.mechanism.offer(Ask(what=what), plan.nothing_asked)
            except InvalidInput:
                continue
            raise Violation(f"{kind.kind} draws {SHAPES[shape]}, which it does not take")
        require(not session.ledger.look().draws, f"{kind.kind} charged for a refusal")


def a_conversation_is_kept(kind: type[Mechanism], said: dict[str, Any]) -> None:
    """Charged, recorded, free when repeated, the same when opened again, and sound on replay."""
    with TemporaryDirectory() as folder:
        with _opened(kind, said, folder) as session:
            texts = [f"{_COLUMN} > {number}" for number in (10, 50, 90)]
            first = [_share(session, text, guess=0.5) for text in texts]
            spent, left = session.ledger.spent(), session.remaining
            again = [_share(session, text, guess=0.1) for text in texts]
            require(_said(again) == _said(first), f"{kind.kind} answers a repeat otherwise")
            free = session.ledger.spent() == spent and session.remaining == left
            require(free, f"{kind.kind} charges for a repeat")
            for answer in first:
                require(answer.certificate.verify() == answer.certificate, "another certificate")
                inside = answer.low <= answer.value <= answer.high
                require(inside, f"{kind.kind} tells a value outside of its interval")
        with _opened(kind, said, folder) as session:
            reopened = [_share(session, text, guess=0.5) for text in texts]
            require(_said(reopened) == _said(first), f"{kind.kind} forgets what it answered")
            require(session.ledger.spent() == spent, f"{kind.kind} charges again when reopened")
            summed = replay(session.ledger)
            require(summed.certificates == len(texts), f"{kind.kind} has answers that do not hold")
            require(len(session.answers()) == len(texts), f"{kind.kind} lost an answer")


def a_budget_ends(kind: type[Mechanism], said: dict[str, Any]) -> None:
    """With a refusal that charges nothing, and never with more than was promised."""
    if kind.open_ended:
        return
    with TemporaryDirectory() as folder, _opened(kind, said, folder) as session:
        budget, asked = session.plan.budget.amount, 0
        try:
            for number in range(QUESTIONS + 1):
                _share(session, f"{_COLUMN} > {number}.5", guess=0.01 * number)
                asked += 1
        except Refusal:
            pass
        else:
            raise Violation(f"{kind.kind} answers more than {QUESTIONS} questions")
        ledger: Ledger = session.ledger
        require(ledger.spent().amount <= budget, f"{kind.kind} overspends")
        require(len(ledger.answers()) == asked <= QUESTIONS, f"{kind.kind} charged for a refusal")
        require(session.remaining == 0, f"{kind.kind} promises more after it refused")
        replay(ledger)


def _share(session: Session, text: str, *, guess: float) -> Any:
    return session.ask(text, guess=guess) if session.plan.mechanism.guesses else session.ask(text)


def _said(answers: Sequence[Any]) -> list[tuple[float, float, float]]:
    return [(each.value, each.low, each.high) for each in answers]


LAWS = (
    it_is_registered_under_its_kind,
    a_plan_is_read_as_it_was_recorded,
    what_it_does_not_take_is_refused,
    a_conversation_is_kept,
    a_budget_ends,
)

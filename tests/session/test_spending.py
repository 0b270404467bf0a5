"""What a request is charged, and what a refused one leaves behind."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from peekproof.cli.main import main
from peekproof.core.charge import GDP
from peekproof.core.errors import BudgetExhausted, LedgerDamaged, PeekproofError
from peekproof.ledger.entry import FORMAT, Body, follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import insert
from peekproof.mechanisms.base import recorded_draw
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.query.question import parse_question
from peekproof.session import Session
from peekproof.session import open as open_session
from peekproof.theory.generalization.gaussian import own_drift

ROWS = 20_000


def numbers(rows: int = ROWS) -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(0).random(rows)
    return {"x": drawn, "y": drawn[::-1].copy()}


def noisy(**arguments: object) -> Session:
    arguments.setdefault("mechanisms", [Gaussian])
    arguments.setdefault("questions", 1000)
    return open_session(numbers(), **arguments)  # type: ignore[arg-type]


def test_a_batch_with_a_radius_is_one_round() -> None:
    session = open_session(numbers(), mechanisms=[FreshRows], rounds=5, questions=50)
    session.ask_many(["x > 0.1", "x > 0.2", "mean(x, 0, 1, 0)"], radius=0.49)
    assert session.remaining_rounds == 4


def test_a_batch_with_a_radius_fits_into_the_last_round() -> None:
    session = open_session(numbers(), mechanisms=[FreshRows], rounds=1, questions=50)
    assert len(session.ask_many(["x > 0.1", "x > 0.2"], radius=0.49)) == 2


def test_weighted_histograms_of_any_bounds_can_be_added_up() -> None:
    session = noisy()
    for exponent in range(300, 308):
        session.histogram(
            f"histogram(x, (0.1, 0.2), mean(y, -1e-{exponent}, {exponent}, -1e-{exponent}))"
        )


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("x\n" + "\n".join(f"{a:.6f}" for a in numbers(5_000)["x"]))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "histogram(x, (0.5))", "--questions", "5"),
        ("ask", "quantile(x, 0.5, 0, 1)", "--questions", "5"),
        ("ask", "x > 0.5", "--radius", "0.0001"),
        ("best", "x > 0.5", "x > 0.6", "--questions", "5"),
        ("best", "x > 0.5", "x > 0.6", "--loss", "-1"),
    ],
    ids=["histogram", "quantile", "radius", "best", "loss"],
)
def test_a_request_that_cannot_be_met_does_not_fix_the_promise(
    csv: Path, words: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit):
        main([words[0], str(csv), *words[1:]])
    assert not csv.with_name("data.csv.peekproof").exists()


@pytest.mark.parametrize("kind", ["share", "best"])
def test_a_refusal_says_that_more_was_asked_than_is_left(kind: str) -> None:
    session = noisy()
    asked: dict[str, Callable[[], object]] = {
        "share": lambda: session.ask("x > 0.5", radius=drift(session) * 1.0005),
        "best": lambda: session.best(["x > 0.5", "x > 0.6"], loss=1e-5),
    }
    with pytest.raises(BudgetExhausted) as refused:
        asked[kind]()
    assert refused.value.asked > refused.value.remaining


# Ledgers that somebody wrote by hand ------------------------------------------------------------


def drift(session: Session) -> float:
    """What every radius must exceed: no noise takes it away."""
    assert isinstance(session.plan.budget, GDP)
    return own_drift(session.plan.budget, session.plan.target)


def forged(place: Path, text: str, *, value: object, **offer: object) -> Session:
    """A session on a ledger whose chain and sums are right, with one answer made up."""
    with noisy(ledger=place) as session:
        digest = parse_question(text, session.schema).digest
        last = session.ledger.entries()[-1]
    question = {"digest": digest, "text": text, "value": value}
    body: Body = {"format": FORMAT, "questions": [question], "spent": offer["cost"], **offer}
    connection = sqlite3.connect(place, isolation_level=None)
    insert(connection, [follow(last, "answer", {**body, "at": "2026-01-01T00:00:00Z"})])
    connection.close()
    return noisy(ledger=place, mechanisms=None, questions=None)


PLANNED = noisy().plan.mechanism.record()
SHARP = {"kind": "gaussian", "sigma": "1/1048576", "step": "1/1048576"}
VECTOR = {
    "kind": "gaussian-vector", "sigma": "1/64", "step": "1/64", "cells": "3", "ball": "2/3",
    "counts": "900",
}  # fmt: skip


def test_noise_that_was_not_paid_for_is_noticed(tmp_path: Path) -> None:
    def certified() -> object:
        session = forged(tmp_path / "l", "x > 0.5", cost="0", terms=SHARP, value="1/2")
        return session.ask("x > 0.5").certificate.verify()

    with pytest.raises(LedgerDamaged):
        certified()


def test_a_vector_that_counted_as_too_few_questions_is_noticed(tmp_path: Path) -> None:
    text = "histogram(x, (0.2, 0.5))"
    session = noisy()
    price = session.price_of(text)
    assert price.draws == 3

    def certified() -> object:
        told = forged(
            tmp_path / "l",
            text,
            cost=str(price.cost.amount),
            terms=price.draw.record(),
            value=["1/2", "1/4", "1/4"],
        )
        return told.histogram(text).certificate.verify()

    with pytest.raises(LedgerDamaged):
        certified()


@pytest.mark.parametrize(
    ("text", "terms", "value"),
    [
        ("histogram(x, (0.2, 0.5))", VECTOR, ["1/2"]),
        ("histogram(x, (0.2, 0.5))", VECTOR, "1/2"),
        ("x > 0.5", PLANNED, ["1/2", "1/2"]),
        ("x > 0.5", PLANNED, "7"),
        ("mean(x, 0, 1, 0)", {**PLANNED, "levels": "16777216", "low": "a", "high": "1"}, "1/2"),
        ("mean(x, 0, 1, 0)", {**PLANNED, "levels": "16777216", "low": "2", "high": "1"}, "1/2"),
        (
            "mean(x, 0, 1, 0)",
            {**PLANNED, "levels": "16777216", "low": "0", "high": "1/1000"},
            "1/2",
        ),
        (
            "quantile(x, 0.5, 0, 1)",
            {
                "kind": "quantile",
                "cells": "256",
                "level": "1/2",
                "epsilon": "1/1024",
                "counts": "900",
            },
            "-5",
        ),
    ],
    ids=["short", "scalar", "vector", "seven", "low", "reversed", "other bounds", "index"],
)
def test_values_that_do_not_fit_the_question_are_damage(
    tmp_path: Path, text: str, terms: dict[str, str], value: object
) -> None:
    said = {name: each for name, each in terms.items() if name not in ("low", "high")}
    draw = recorded_draw(said, rows=ROWS)
    cost = str(draw.cost.amount)
    session = forged(tmp_path / "l", text, cost=cost, draws=draw.draws, terms=terms, value=value)
    with pytest.raises(LedgerDamaged):
        session.respond([text])


def test_a_sound_forgery_is_answered(tmp_path: Path) -> None:
    """So that the tests above fail for the reason they say."""
    session = noisy()
    text = "histogram(x, (0.2, 0.5))"
    price = session.price_of(text)
    told = forged(
        tmp_path / "l",
        text,
        cost=str(price.cost.amount),
        terms=price.draw.record(),
        draws=price.draws,
        value=["1/2", "1/4", "1/4"],
    )
    answer = told.histogram(text)
    assert answer.values == (0.5, 0.25, 0.25)
    assert answer.certificate.verify() == answer.certificate
    assert Ledger.open(str(tmp_path / "l")).verify() == 2
    assert Fraction(told.remaining) == 997


def test_an_invalid_request_charges_nothing() -> None:
    session = noisy()
    before = session.ledger.spent(), session.ledger.draws(), len(session.ledger.entries())
    for text in ("mean(x, 0, 1, 0)", "histogram(x, (0.5))", "x > 0.5"):
        with pytest.raises(PeekproofError):
            session.respond([text, "y > 0.5"], radius=1e-9)
    with pytest.raises(PeekproofError):
        session.respond(["y > 0.5", "quantile(x, 0.5, 0, 1)"], radius=0.3)
    with pytest.raises(PeekproofError):
        session.best(["x > 0.5", "mean(x, 0, 1, 0)"])
    with pytest.raises(PeekproofError):
        session.quantile("quantile(x, 0.5, 0, 1)", loss=-1.0)
    assert before == (session.ledger.spent(), session.ledger.draws(), 1)

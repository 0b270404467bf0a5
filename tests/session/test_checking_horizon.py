"""A session that checks guesses ends after the questions it promised: its levels rest on that."""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import BudgetExhausted, LedgerClosed
from peekproof.mechanisms.base import Ask, recorded_mechanism
from peekproof.mechanisms.checking import Checking
from peekproof.query.question import parse_question
from peekproof.session.queries import InWords
from peekproof.session.records import check_record, offer_of
from peekproof.session.session import Session
from peekproof.theory.generalization.checking import Weights

DATA = {"x": np.random.default_rng(4).random(5_000)}


def opened(questions: int) -> Session:
    return peekproof.open(DATA, ledger=":memory:", questions=questions, mechanisms=[Checking])


def left_behind(session: Session, text: str) -> None:
    """A check that was paid for and never answered, because its rows could not be read."""
    ask = Ask(what=InWords(parse_question(text, session.schema)), guess=0.5, tolerance=0.1)
    draw = session.plan.mechanism.offer(ask, session.past)
    session.ledger.lose({ask.what.digest: text}, offers=lambda _: [offer_of(draw, ask.what.span)])


def test_the_last_question_is_answered_and_none_after_it() -> None:
    with opened(3) as session:
        session.ask("x > 0.5", guess=0.5, tolerance=0.1)
        left_behind(session, "x > 0.6")
        last = session.ask("x > 0.4", guess=0.6, tolerance=0.1)

        assert "T-check-horizon" in last.certificate.theorems
        assert session.remaining == 0
        for refused in (
            lambda: session.ask("x > 0.3", guess=0.7, tolerance=0.1),
            lambda: session.price_of("x > 0.3", guess=0.7, tolerance=0.1),
        ):
            with pytest.raises(BudgetExhausted):
                refused()
        kinds = [entry.kind for entry in session.ledger.entries()]
        assert kinds == ["open", "answer", "lost", "answer"]
        assert session.ask("x > 0.4").replayed
        check_record(session.plan, session.ledger)


def test_a_closed_session_says_so_beyond_its_horizon_too() -> None:
    with opened(1) as session:
        session.ask("x > 0.5", guess=0.5, tolerance=0.1)
        session.ledger.retire()
        with pytest.raises(LedgerClosed):
            session.ask("x > 0.3", guess=0.7, tolerance=0.1)


def test_late_questions_may_be_guessed_more_closely_than_without_a_horizon() -> None:
    with opened(2_000) as session:
        early, late = (
            session.plan.mechanism.certify(session.plan.target),
            Checking(rows=5_000, weights=Weights.ANYTIME).certify(session.plan.target),
        )
    assert early.radius < 0.9 * late.radius


def test_the_ledger_says_by_which_weights() -> None:
    for weights in Weights:
        made = Checking(rows=70, weights=weights)
        assert recorded_mechanism(made.record(), rows=70) == made
    with opened(5) as session:
        assert session.ledger.opening.mechanism == {"kind": "checking"}
    anytime = {"kind": "checking", "weights": "anytime"}
    assert Checking(rows=70, weights=Weights.ANYTIME).record() == anytime
    with pytest.raises(ValueError, match="all alike"):
        recorded_mechanism({"kind": "checking", "weights": "all alike"}, rows=70)


def test_a_session_from_before_goes_on_with_the_weights_that_it_began_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(400) as new:
        now = new.price_of("x > 0.5", guess=0.5).certificate.radius
    recorded = {"kind": "checking", "weights": Weights.ANYTIME.value}
    monkeypatch.setattr(Checking, "record", lambda _: recorded)
    with opened(400) as old:
        before = old.price_of("x > 0.5", guess=0.5)
        answer = old.ask("x > 0.5", guess=0.9, tolerance=0.1)

    assert old.plan.mechanism == Checking(rows=5_000, weights=Weights.ANYTIME)
    assert before.certificate.radius < now  # the first question had more
    assert {"T-check-anytime", "T-check-failed"} <= set(answer.certificate.theorems)

"""A session that checks guesses ends after the questions it promised: its levels rest on that."""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import BudgetExhausted, LedgerClosed
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.checking import Checking
from peekproof.query.question import parse_question
from peekproof.session.queries import InWords
from peekproof.session.records import check_record, offer_of
from peekproof.session.session import Session

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

"""Anything that answers can be an opponent."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import peekproof
from peekproof.audit.opponents.protocol import Reply, Terms
from peekproof.audit.opponents.sessions import Custom
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.checking import Checking
from peekproof.noise.entropy import Seeded

TERMS = Terms(confidence=Fraction(9, 10), questions=5, seed=7)
COLUMNS = {"x": np.arange(4_000) % 2 == 0}


def test_a_session_with_options_of_its_own_is_one() -> None:
    def make(columns: dict[str, np.ndarray], terms: Terms) -> peekproof.Session:
        return peekproof.open(
            columns,
            confidence=terms.confidence,
            questions=terms.questions,
            mechanisms=[Checking],
            entropy=Seeded(terms.seed),
            ledger=":memory:",
        )

    opponent = Custom("checked", make).open(COLUMNS, terms=TERMS)
    said = opponent.reply("x", guess=0.5)

    assert said.low <= 0.5 <= said.high
    assert opponent.claimed([Fraction(1, 3), Fraction(1, 2)]) == Fraction(1, 2)
    opponent.close()


class Replies:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        self.heard.append((question, guess, tolerance))
        return Reply(0.5, 0.25, 0.75)

    def close(self) -> None:
        self.heard.append("closed")


def test_whoever_replies_is_one_and_hears_guesses() -> None:
    held = Replies()
    opponent = Custom("own", lambda columns, terms: held).open(COLUMNS, terms=TERMS)

    assert opponent.reply("x", guess=0.3, tolerance=0.1) == Reply(0.5, 0.25, 0.75)
    opponent.close()
    assert held.heard == [("x", 0.3, 0.1), "closed"]


class Asks:
    def ask(self, question: str) -> SimpleNamespace:
        return SimpleNamespace(value=Fraction(1, 2), low=np.float32(0.25), high=1)


def test_whoever_is_asked_is_one_and_need_not_be_closed() -> None:
    opponent = Custom("asked", lambda columns, terms: Asks()).open(COLUMNS, terms=TERMS)

    assert opponent.reply("x", guess=0.3) == Reply(0.5, 0.25, 1.0)
    assert opponent.claimed([Fraction(1, 4)]) == Fraction(1, 4)
    opponent.close()


def test_what_does_not_answer_is_none() -> None:
    setup = Custom("nothing", lambda columns, terms: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(InvalidInput, match="`reply` or `ask`, got int"):
        setup.open(COLUMNS, terms=TERMS)

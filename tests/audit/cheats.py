"""Setups that promise too much, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.exploration import Exploring, Questions
from peekproof.audit.opponents.protocol import Opponent, Reply, Setup, Terms
from peekproof.audit.opponents.sessions import Custom, Opened
from peekproof.mechanisms.fresh_rows import FreshRows

HONEST = Opened(FreshRows)


@dataclass
class Narrower:
    """Claims a part of what the opponent does. An end at 0 or 1 is no claim, and stays."""

    opponent: Opponent
    part: float

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        said = self.opponent.reply(question, guess=guess, tolerance=tolerance)
        low, high = (
            end if end in (0, 1) else said.value + self.part * (end - said.value)
            for end in (said.low, said.high)
        )
        return Reply(said.value, low, high)

    def close(self) -> None:
        self.opponent.close()


def halved(setup: Setup) -> Custom:
    """The mutant: intervals half as wide."""

    def make(columns: Columns, terms: Terms) -> Narrower:
        return Narrower(setup.open(columns, terms=terms), 0.5)

    return Custom(f"half of {setup.name}", make)


class Coin:
    """Whether a fair coin shows heads, in a column `x`."""

    def draw(self, *, rows: int, rng: np.random.Generator) -> Columns:
        return {"x": rng.random(rows) < 0.5}

    def truth(self, question: str) -> Fraction:
        return Fraction(1, 2)


def once(rng: np.random.Generator) -> Questions:
    yield "x"


ONCE = Exploring(population=Coin(), strategy=once, rows=200, questions=1)

"""Your own questions about your own population, as an analyst that can be audited."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, nan
from typing import ClassVar, final

import numpy as np

from peekproof.audit.analysts.protocol import Asked, Columns, Conversation, Oracle
from peekproof.audit.population import Population
from peekproof.audit.strategy import Questions, Strategy, Supposed
from peekproof.core import check
from peekproof.core.errors import InvalidInput, Refusal


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exploring:
    """Asks what a strategy says about samples of a population, and is stopped after `questions`."""

    KIND: ClassVar[str] = "exploring"

    population: Population
    strategy: Strategy
    rows: int
    questions: int

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(questions=self.questions)
        if not (hasattr(self.population, "draw") and hasattr(self.population, "truth")):
            raise InvalidInput(
                argument="population",
                accepted="an object with `draw` and `truth`, such as Listed(table)",
                given=type(self.population).__name__,
            )
        if not callable(self.strategy):
            raise InvalidInput(
                argument="strategy",
                accepted="a function that takes a random generator and yields questions",
                given=type(self.strategy).__name__,
            )

    def data(self, rng: np.random.Generator) -> Columns:
        return self.population.draw(rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        asking = self.strategy(rng)
        if not isinstance(asking, Generator):
            raise InvalidInput(
                argument="strategy",
                accepted="a function that yields questions, and hears the answers from `yield`",
                given=f"one that returns {type(asking).__name__}",
            )
        try:
            return Conversation(asked=tuple(self._asked(asking, oracle)))
        finally:
            asking.close()

    def _asked(self, asking: Questions, oracle: Oracle) -> Iterator[Asked]:
        told: float | None = None
        for number in range(self.questions):
            try:
                wanted = asking.send(told) if number else next(asking)
            except StopIteration:
                return
            truth = _exact(self.population.truth(_text(wanted)))
            told = _told(wanted, oracle)
            guess = wanted.guess if isinstance(wanted, Supposed) else nan
            yield Asked(question=_text(wanted), truth=truth, guess=guess, told=told)


def _text(wanted: str | Supposed) -> str:
    text = wanted.question if isinstance(wanted, Supposed) else wanted
    if not isinstance(text, str):
        raise InvalidInput(
            argument="strategy",
            accepted="one that yields questions as text, or Supposed",
            given=repr(wanted)[:80],
        )
    return text


def _exact(truth: object) -> Fraction:
    if not isinstance(truth, int | float | Fraction) or not isfinite(truth):
        raise InvalidInput(
            argument="population",
            accepted="one whose `truth` is a number, best a Fraction",
            given=repr(truth)[:80],
        )
    return Fraction(truth)


def _told(wanted: str | Supposed, oracle: Oracle) -> float | None:
    try:
        if isinstance(wanted, Supposed):
            return oracle(wanted.question, guess=wanted.guess, tolerance=wanted.tolerance)
        return oracle(wanted)
    except Refusal:
        return None

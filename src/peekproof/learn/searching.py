"""A search for one good model: only what may be the new best is looked at."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.html import box, text
from peekproof.core.shown import visible
from peekproof.derive.derived import Derived, Range
from peekproof.learn.html import best_html
from peekproof.learn.model import ExpectedScore

Scorer = Callable[[object, float, int | None], Answer | Derived]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A model that was offered: what was guessed, what was answered, and the best score then.

    There is no answer for a model that was not looked at.
    """

    name: str
    guess: float
    answer: Answer | Derived | None
    best: float

    @property
    def asked(self) -> bool:
        return self.answer is not None

    def __str__(self) -> str:
        if self.answer is None:
            guess = f"a guess of {self.guess:.4g} does not beat {self.best:.4g}"
            return f"{visible(self.name)}: not looked at, {guess}"
        return _scored(self.name, self.answer)

    def __repr__(self) -> str:
        return f"<Offered: {self}>"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best model so far, and the interval of its score."""

    name: str
    guess: float
    answer: Answer | Derived

    @property
    def value(self) -> float:
        return self.answer.value

    def __str__(self) -> str:
        return _scored(self.name, self.answer)

    def __repr__(self) -> str:
        return f"<Found: {self}>"

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "guess": self.guess, "answer": self.answer.to_dict()}


@final
class Search:
    """Offers models to a holdout, which looks only at those whose guess beats the best score.

        search = holdout.search()
        for model in models:
            search.offer(model, guess=cross_validated(model))
        print(search.best)

    Promised: the interval of `best`, and of each score on the way to it, holds for the population
    with the confidence of the holdout, together with all its other answers, however the models
    were chosen and however many were offered. A model that was not looked at cost nothing, not
    even a question, and nothing is promised about it: it may be better than its guess and than
    the best. So of ten thousand models in no order about ten are asked for, and the intervals are
    those of ten questions.
    """

    def __init__(
        self, *, score: Scorer, expect: Callable[[object], ExpectedScore | None], higher: bool
    ) -> None:
        self._score, self._expect, self._higher = score, expect, higher
        self._best: Found | None = None
        self._history: list[Offered] = []
        self._turn = threading.Lock()

    def offer(
        self,
        what: object,
        *,
        guess: float | None = None,
        name: str | None = None,
        trained_on: int | None = None,
    ) -> Offered:
        """Look at a model, or at its predictions, if its guess beats the best score so far.

        A guess is what training or cross-validation says, of `trained_on` rows; without one, what
        the model remembers of its validation, else its score on the training rows. If the rows do
        not confirm it, the model is the new best only if what is told instead beats the old one.
        """
        expected = self._expected(what, guess, trained_on)
        with self._turn:
            called = f"model {len(self._history)}" if name is None else name
            answer = None
            if self._best is None or self._beats(expected.score, self._best.value):
                answer = self._score(what, expected.score, expected.rows)
                if self._best is None or self._beats(answer.value, self._best.value):
                    self._best = Found(name=called, guess=expected.score, answer=answer)
            made = Offered(name=called, guess=expected.score, answer=answer, best=self._best.value)
            self._history.append(made)
            return made

    def _expected(self, what: object, guess: float | None, rows: int | None) -> ExpectedScore:
        found = self._expect(what) if guess is None else ExpectedScore(_number(guess), rows)
        if found is None:
            raise InvalidInput(
                argument="guess",
                accepted="a score from cross-validation, where the model remembers none and the "
                "holdout has no training rows",
                given="None",
            )
        return found

    def _beats(self, one: float, other: float) -> bool:
        return one > other if self._higher else one < other

    @property
    def best(self) -> Found | None:
        """The best model so far; None before the first offer."""
        return self._best

    @property
    def seen(self) -> int:
        """How many models were offered."""
        return len(self._history)

    @property
    def asked(self) -> int:
        """How many of them were looked at."""
        return sum(each.asked for each in self._history)

    @property
    def history(self) -> tuple[Offered, ...]:
        """All offers in their order, for a plot of the best so far."""
        return tuple(self._history)

    def __repr__(self) -> str:
        best = "nothing found yet" if self._best is None else f"best {self._best}"
        return f"<Search: {best}; looked at {self.asked:,} of {self.seen:,} models>"

    def _repr_html_(self) -> str:
        """The best so far for a notebook."""
        if self._best is None:
            return box(text("no model was offered yet"))
        answer = self._best.answer
        return best_html(
            said=f"{self._best}, the best of {self.seen:,}, of which {self.asked:,} were looked at",
            ends=(answer.low, answer.value, answer.high),
            confidence=answer.confidence,
        )


def _scored(name: str, answer: Answer | Derived) -> str:
    return f"{visible(name)}: {answer.value:.4f} {Range(low=answer.low, high=answer.high)}"


def _number(guess: object) -> float:
    """A guess that can be compared; whether the metric can take such a value is seen when asked."""
    try:
        found = float(guess)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise InvalidInput(argument="guess", accepted="a score", given=repr(guess)[:80])
    return found

"""An agent that proposes models again and again, reads what it is told, and knows when to stop.

It stops when an improvement is certified, when the budget is spent, or when its own guesses fail
so often that it should not trust them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np
import numpy.typing as npt

from lab.examples.selection import Table
from peekproof.audit.opponents.protocol import Reply, reply_of
from peekproof.core import check
from peekproof.core.errors import Refusal
from peekproof.learn.holdout import Holdout
from peekproof.ledger.witness import simulation

Floats = npt.NDArray[np.float64]

_FOLDS = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What makes a model: how many random features, how much they are held back, and a seed."""

    width: int
    ridge: float
    seed: int

    def varied(self, rng: np.random.Generator) -> "Recipe":
        """Another one, not far away."""
        return Recipe(
            width=int(np.clip(self.width * rng.uniform(0.6, 2.0), 2, 200)),
            ridge=float(self.ridge * 10 ** rng.uniform(-1, 1)),
            seed=int(rng.integers(2**32)),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One hidden layer of random features and a ridge regression on top. A model."""

    inner: Floats
    outer: Floats

    def predict(self, pixels: Floats) -> Floats:
        return (_hidden(pixels, self.inner) @ self.outer > 0).astype(np.float64)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proposal:
    """A model, and what cross-validation says it will score."""

    recipe: Recipe
    model: Network
    guess: float


def made(recipe: Recipe, training: Table) -> Proposal:
    """The model of a recipe, fitted to training rows, and to three quarters of them for a guess."""
    inner = np.random.default_rng(recipe.seed).standard_normal(
        (training.pixels.shape[1] + 1, recipe.width)
    )
    hidden, target = _hidden(training.pixels, inner), 2 * training.labels - 1
    right = 0
    for fold in range(_FOLDS):
        rest = np.arange(training.rows) % _FOLDS != fold
        outer = _ridge(hidden[rest], target[rest], recipe.ridge)
        right += int(np.sum((hidden[~rest] @ outer > 0) == (target[~rest] > 0)))
    model = Network(inner, _ridge(hidden, target, recipe.ridge))
    return Proposal(recipe=recipe, model=model, guess=right / training.rows)


class Ending(Enum):
    """Why an agent stopped."""

    IMPROVED = "an improvement is certified"
    REFUSED = "the budget is spent"
    DISTRUST = "its guesses keep failing"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What the agent was told of the first model and of each later one, and why it stopped."""

    told: tuple[Reply, ...]
    ending: Ending
    remaining: str


def improve(
    holdout: Holdout,
    first: Proposal,
    propose: Callable[[Proposal], Proposal],
    *,
    failures: int,
) -> Story:
    """Propose changes of the best model so far until one is certainly better than the first.

    That is so once its whole interval is above that of the first: both hold together.
    """
    check.positive_integer(failures=failures)
    baseline = holdout.score(first.model, guess=first.guess)
    best, score, told = first, baseline.value, [reply_of(baseline)]
    ending = Ending.REFUSED
    try:
        while holdout.failures < failures:
            tried = propose(best)
            answer = holdout.score(tried.model, guess=tried.guess)
            told.append(reply_of(answer))
            if answer.low > baseline.high:
                ending = Ending.IMPROVED
                break
            if answer.value > score:
                best, score = tried, answer.value
        else:
            ending = Ending.DISTRUST
    except Refusal:
        pass  # nothing was read or charged: the story ends with what was told before
    return Story(told=tuple(told), ending=ending, remaining=holdout.remaining)


@simulation()
def agent_story(
    training: Table, held_out: Table, *, questions: int, failures: int, seed: int
) -> Story:
    """An agent that starts from three random features."""
    rng = np.random.default_rng(seed)
    first = made(Recipe(width=3, ridge=1.0, seed=seed), training)
    with Holdout(held_out.pixels, held_out.labels, questions=questions) as holdout:
        return improve(
            holdout,
            first,
            lambda best: made(best.recipe.varied(rng), training),
            failures=failures,
        )


def _hidden(pixels: Floats, inner: Floats) -> Floats:
    return np.asarray(np.tanh(pixels @ inner[:-1] / 4 + inner[-1]))


def _ridge(hidden: Floats, target: Floats, ridge: float) -> Floats:
    square = hidden.T @ hidden + ridge * np.eye(hidden.shape[1])
    return np.asarray(np.linalg.solve(square, hidden.T @ target))

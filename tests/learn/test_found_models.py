"""The model that a search finds, beside the one that a fresh holdout of half the size finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import peekproof
from learn.models import Bits, coins, right
from peekproof.testing.statistics import excess_p_value, statistical
from sizes import sized

ROWS = 4_000
MODELS = sized(40, full=200)
SEEDS = sized(28, full=60)
FALSE_ALARM = 1e-8

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """Models of which one in six memorised the training rows, and their scores there."""

    labels: Bits
    accuracies: Shares
    trained: Shares

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Task:
        accuracies = np.clip(rng.normal(0.75, 0.03, MODELS), 0.0, 1.0)
        trained = rng.binomial(ROWS, accuracies) / ROWS
        trained[::6] = 1.0
        return cls(coins(ROWS, rng), accuracies, trained)


Finder = Callable[[Task, np.random.Generator], int]


def searched(task: Task, rng: np.random.Generator) -> int:
    """By a holdout that is asked for every model which promises more than the best."""
    with peekproof.Holdout(None, task.labels, questions=MODELS) as holdout:
        search = holdout.search()
        for number, (accuracy, guess) in enumerate(zip(task.accuracies, task.trained, strict=True)):
            search.offer(right(task.labels, accuracy, rng), guess=guess, name=str(number))
        assert search.best is not None
        return int(search.best.name)


def fresh(task: Task, rng: np.random.Generator) -> int:
    """By half as many rows that nobody used before: the best of all scores on them."""
    return int(np.argmax(rng.binomial(ROWS // 2, task.accuracies)))


def trusting(task: Task, rng: np.random.Generator) -> int:
    """By the training rows alone, which praise those who memorised them."""
    del rng
    return int(np.argmax(task.trained))


def worse(finder: Finder) -> int:
    """In how many of all seeds it finds a model that is worse than the fresh holdout's."""
    lost = 0
    for seed in range(SEEDS):
        task = Task.drawn(np.random.default_rng([seed, 0]))
        theirs = task.accuracies[fresh(task, np.random.default_rng([seed, 1]))]
        ours = task.accuracies[finder(task, np.random.default_rng([seed, 2]))]
        lost += bool(ours < theirs)
    return lost


@statistical(false_alarm=FALSE_ALARM)
def test_a_search_finds_models_as_good_as_a_fresh_holdout_of_half_the_size() -> None:
    """At most every other seed is lost. Wrong variant: trust in the training rows alone."""
    assert excess_p_value(worse(searched), trials=SEEDS, probability=0.5) > FALSE_ALARM
    assert excess_p_value(worse(trusting), trials=SEEDS, probability=0.5) <= FALSE_ALARM

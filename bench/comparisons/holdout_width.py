"""How wide the intervals of an honest search of ten thousand models are, and how long scores take.

Models are right in each row by a chance of their own; guesses are their scores on training rows,
as many as are held out. Half-widths are in floors √(ln(2k/β)/(2n)): that of k questions which were
all written down beforehand. The time of a score is told beside that of a bare mean.

Run: make bench ARGS="--only holdout_width"
"""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from measure import asked, installed, side_by_side
from result import Cell, Chart, Result, Sheet

import peekproof
from peekproof.derive.derived import Derived

MODELS, QUICK = 10_000, 500
ROWS = 10_000
BETA = 0.05
ACCURACIES = (0.5, 0.7, 0.9)
SPREAD = 0.02  # standard deviation of the models' accuracies
ROUNDS = 200  # of the clock

Labels = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Model:
    """Its accuracy in the population, its score on the training rows, and what it predicts."""

    accuracy: float
    guess: float
    predictions: Labels


def honest(labels: Labels, around: float, models: int, seed: int) -> Iterator[Model]:
    rng = np.random.default_rng(seed)
    for accuracy in np.clip(rng.normal(around, SPREAD, models), 0.0, 1.0):
        wrong = rng.random(len(labels), dtype=np.float32) >= accuracy
        guess = rng.binomial(len(labels), accuracy) / len(labels)
        yield Model(float(accuracy), guess, labels ^ wrong)


@dataclass
class Told:
    """Half-widths in floors, and how many intervals missed the model's accuracy."""

    widths: list[float]
    missed: int = 0

    def add(self, answer: peekproof.Answer | Derived, truth: float, floor: float) -> None:
        self.widths.append((answer.high - answer.low) / 2 / floor)
        self.missed += truth not in answer


def summary(told: Told, holdout: peekproof.Holdout) -> dict[str, Cell]:
    return {
        "asked": len(told.widths),
        "missed": told.missed,
        "failed guesses": holdout.failures,
        "median": statistics.median(told.widths),
        "largest": max(told.widths),
    }


def score_all(labels: Labels, around: float, models: int, floor: float) -> dict[str, Cell]:
    """Every model is asked for."""
    told = Told([])
    with peekproof.Holdout(None, labels, confidence=1 - BETA, questions=models) as holdout:
        for each in honest(labels, around, models, seed=2):
            answer = holdout.score(each.predictions, guess=each.guess, trained_on=ROWS)
            told.add(answer, each.accuracy, floor)
        return summary(told, holdout)


def running_best(labels: Labels, around: float, models: int, floor: float) -> dict[str, Cell]:
    """Only what beats the best by its guess is asked for."""
    told = Told([])
    with peekproof.Holdout(None, labels, confidence=1 - BETA, questions=models) as holdout:
        search = holdout.search()
        for each in honest(labels, around, models, seed=2):
            made = search.offer(each.predictions, guess=each.guess, trained_on=ROWS)
            if isinstance(made.answer, peekproof.Answer):
                told.add(made.answer, each.accuracy, floor)
        return summary(told, holdout)


def speed(labels: Labels, *, rounds: int) -> float:
    """A score of new predictions over the mean that it certifies."""
    models = list(honest(labels, 0.7, rounds + 1, seed=3))
    to_score, to_average = iter(models), iter(models)
    with peekproof.Holdout(None, labels, confidence=1 - BETA, questions=MODELS) as holdout:

        def score() -> object:
            model = next(to_score)
            return holdout.score(model.predictions, guess=model.guess, trained_on=ROWS)

        seconds = side_by_side(
            {"mean": lambda: np.mean(next(to_average).predictions == labels), "score": score},
            rounds=rounds,
        )
    return seconds["score"] / seconds["mean"]


def main() -> None:
    run = asked(__doc__)
    models = QUICK if run.quick else MODELS
    floor = math.sqrt(math.log(2 * models / BETA) / (2 * ROWS))
    labels = np.random.default_rng(1).integers(0, 2, ROWS, dtype=np.int8)
    widths: dict[str, dict[str, Cell]] = {
        "All fixed beforehand": {"asked": models, "median": 1.0, "largest": 1.0}
    }
    for around in ACCURACIES:
        for name, way in (("all scores", score_all), ("running best", running_best)):
            widths[f"Peekproof, {name}, accuracy {around}"] = way(labels, around, models, floor)
    sizes: dict[str, dict[str, Cell]] = {
        "The search": {"models": models, "rows": ROWS, "confidence": 1 - BETA, "floor": floor}
    }
    times: dict[str, dict[str, Cell]] = {
        "Bare mean": {"over a bare mean": 1.0},
        "Peekproof score": {"over a bare mean": speed(labels, rounds=ROUNDS)},
    }
    run.keep(
        Result(
            name="holdout_width",
            title="A holdout in an honest search",
            about=(
                "Models are scored on rows held out, each guessed from as many training rows, and "
                "all intervals hold together. Their half-widths are in floors √(ln(2k/β)/(2n)), "
                "that of k questions about n rows that were all written down beforehand; less is "
                "better. The floor does not use that accuracies far from one half vary less, so "
                "they can be below 1. Missed are intervals without the model's true accuracy."
            ),
            sheets=(
                Sheet.of("Half-widths of the scores, in floors", widths),
                Sheet.of("What was searched", sizes),
                Sheet.of("The time of a score over the mean that it certifies", times),
            ),
            charts=(
                Chart(
                    kind="bars",
                    title=f"The widest interval of {models:,} models",
                    axis="half-width in floors",
                    column="largest",
                ),
            ),
            versions=installed("numpy"),
        )
    )


if __name__ == "__main__":
    main()

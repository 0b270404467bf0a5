"""How wide the intervals of an honest search of ten thousand models are, and how long scores take.

Models are right in each row by a chance of their own; guesses are their scores on training rows,
as many as are held out. Half-widths are in floors √(ln(2k/β)/(2n)): that of k questions which were
all written down beforehand. The time of a score is told beside that of a bare mean.

Run: python bench/holdout_width.py [--quick]
"""

import argparse
import json
import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from measure import record, side_by_side

import holdfast
from holdfast.derive.derived import Derived

MODELS, QUICK = 10_000, 500
ROWS = 10_000
BETA = 0.05
ACCURACIES = (0.5, 0.7, 0.9)
SPREAD = 0.02  # standard deviation of the models' accuracies
ROUNDS = 200

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

    def add(self, answer: holdfast.Answer | Derived, truth: float, floor: float) -> None:
        self.widths.append((answer.high - answer.low) / 2 / floor)
        self.missed += truth not in answer


def summary(told: Told, holdout: holdfast.Holdout) -> dict[str, float]:
    return {
        "asked": len(told.widths),
        "missed": told.missed,
        "failures": holdout.failures,
        "median_width": statistics.median(told.widths),
        "largest_width": max(told.widths),
    }


def score_all(labels: Labels, around: float, models: int, floor: float) -> dict[str, float]:
    """Every model is asked for."""
    told = Told([])
    with holdfast.Holdout(None, labels, confidence=1 - BETA, questions=models) as holdout:
        for each in honest(labels, around, models, seed=2):
            answer = holdout.score(each.predictions, guess=each.guess, trained_on=ROWS)
            told.add(answer, each.accuracy, floor)
        return summary(told, holdout)


def running_best(labels: Labels, around: float, models: int, floor: float) -> dict[str, float]:
    """Only what beats the best by its guess is asked for."""
    told = Told([])
    with holdfast.Holdout(None, labels, confidence=1 - BETA, questions=models) as holdout:
        search = holdout.search()
        for each in honest(labels, around, models, seed=2):
            made = search.offer(each.predictions, guess=each.guess, trained_on=ROWS)
            if isinstance(made.answer, holdfast.Answer):
                told.add(made.answer, each.accuracy, floor)
        return summary(told, holdout)


def speed(labels: Labels) -> dict[str, float]:
    """A score of new predictions beside the mean that it certifies."""
    models = list(honest(labels, 0.7, ROUNDS + 1, seed=3))
    to_score, to_average = iter(models), iter(models)
    with holdfast.Holdout(None, labels, confidence=1 - BETA, questions=MODELS) as holdout:

        def score() -> object:
            model = next(to_score)
            return holdout.score(model.predictions, guess=model.guess, trained_on=ROWS)

        seconds = side_by_side(
            {"mean": lambda: np.mean(next(to_average).predictions == labels), "score": score},
            rounds=ROUNDS,
        )
    return {
        "mean_ms": 1e3 * seconds["mean"],
        "score_ms": 1e3 * seconds["score"],
        "score_over_mean": seconds["score"] / seconds["mean"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    models = QUICK if given.quick else MODELS
    floor = math.sqrt(math.log(2 * models / BETA) / (2 * ROWS))
    labels = np.random.default_rng(1).integers(0, 2, ROWS, dtype=np.int8)
    print(f"{models:,} models, {ROWS:,} rows; half-widths in floors of {floor:.5f}")
    print(f"{'':28}{'asked':>8}{'missed':>8}{'failed':>8}{'median':>8}{'largest':>9}")
    results: dict[str, object] = {"models": models, "rows": ROWS, "floor": floor}
    for around in ACCURACIES:
        for name, way in (("all", score_all), ("running best", running_best)):
            found = way(labels, around, models, floor)
            results[f"{name} {around}"] = found
            print(
                f"{f'{name}, accuracy {around}':28}{found['asked']:>8,}{found['missed']:>8}"
                f"{found['failures']:>8}{found['median_width']:>8.3f}{found['largest_width']:>9.3f}",
                flush=True,
            )
    results["speed"] = speed(labels)
    if given.quick:
        print(json.dumps(results["speed"]))
    else:
        record("holdout_width", results)


if __name__ == "__main__":
    main()

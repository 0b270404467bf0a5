"""The best of many models, chosen and certified at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import peekproof
from learn.models import Bits, Squared, coins, right
from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import InvalidInput
from peekproof.learn.choosing import best, named
from peekproof.learn.column import Labels, Predictions, labels_of, predictions_of
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.metrics.classification import Accuracy
from peekproof.learn.metrics.named import metric_of
from peekproof.learn.metrics.quotients import Rest
from peekproof.learn.score import MeanScore

ROWS = 4_000


@dataclass
class Choosing:
    """A desk that chooses by looking, and certifies the winner by a guess of its own."""

    holdout: peekproof.Holdout
    asked: list[MeanScore] = field(default_factory=list)

    @property
    def labels(self) -> Labels:
        return self.holdout.desk.labels

    def best(self, scores: Sequence[MeanScore]) -> Choice:
        self.asked += scores
        means = [float(each.worth(self.labels).mean()) for each in scores]
        index = int(np.argmax(means))
        winner: Answer = self.holdout.desk.ask(scores[index], Guessed(share=means[index]))
        chosen = SimpleNamespace(index=index, winner=winner, gap=winner.high - winner.low)
        return cast(Choice, chosen)


def three_models() -> tuple[Bits, dict[str, Bits]]:
    rng = np.random.default_rng(1)
    labels = coins(ROWS, rng)
    return labels, {name: right(labels, each, rng) for name, each in SHARES.items()}


SHARES = {"poor": 0.6, "good": 0.9, "fair": 0.75}


def columns(models: dict[str, Bits]) -> dict[str, Predictions]:
    return {name: predictions_of(each, rows=ROWS) for name, each in models.items()}


def test_the_winner_is_named_with_an_interval_for_its_score() -> None:
    labels, models = three_models()
    with peekproof.Holdout(None, labels) as holdout:
        found = best(cast(Desk, Choosing(holdout)), Accuracy(), columns(models))
    assert (found.name, found.index, found.candidates) == ("good", 1, ("poor", "good", "fair"))
    assert 0.9 in found.answer.interval
    assert str(found).startswith("good is the best of 3: accuracy 0.")
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["name"], told["gap"]) == ("good", found.gap)
    assert "good is the best of 3" in found._repr_html_()
    assert found.to_dicts()[0]["low"] == found.answer.low


def test_of_errors_the_smallest_is_the_best() -> None:
    labels, models = three_models()
    with peekproof.Holdout(None, labels) as holdout:
        found = best(cast(Desk, Choosing(holdout)), Squared(), columns(models))
    assert found.name == "good"
    assert found.answer.low < 0.1 < found.answer.high
    assert found.answer.value == pytest.approx(0.1, abs=0.02)
    assert str(found).startswith("good is the best of 3: squared 0.")


def test_models_that_predict_the_same_are_one_candidate() -> None:
    labels, models = three_models()
    doubled = {"poor": models["poor"], "again": models["poor"], "good": models["good"]}
    with peekproof.Holdout(None, labels) as holdout:
        desk = Choosing(holdout)
        found = best(cast(Desk, desk), Accuracy(), columns(doubled))
        assert len(desk.asked) == 2
        assert (found.name, found.index) == ("good", 2)
        with pytest.raises(InvalidInput, match="at least two that do not predict the same"):
            best(cast(Desk, desk), Accuracy(), columns({"a": models["poor"], "b": models["poor"]}))


def test_models_of_a_list_are_called_after_their_places() -> None:
    assert named(["x", "y"]) == {"model 0": "x", "model 1": "y"}
    assert named({"x": 1, 2: 3}) == {"x": 1, "2": 3}


@pytest.mark.parametrize("models", ["model", 3, {1: "x", "1": "y"}])
def test_what_is_no_collection_of_models_is_refused(models: object) -> None:
    with pytest.raises(InvalidInput, match="models must be"):
        named(models)


def test_the_rest_is_what_is_missing_to_one() -> None:
    labels, predicted = labels_of([0.0, 1.0]), predictions_of([0.5, 1.0], rows=2)
    assert Rest(Squared()).values(labels, predicted).tolist() == [0.75, 1.0]
    assert Rest(Squared()).higher
    assert metric_of("rest_of_accuracy") == Rest(Accuracy())


def test_a_holdout_chooses_the_best_of_models() -> None:
    labels, models = three_models()
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.best(models)
        assert (found.name, found.index) == ("good", 1)
        assert 0.9 in found.answer.interval
        assert holdout.best(list(models.values())).name == "model 1"  # again, and free
        assert holdout.desk.standing().asked == 1


def test_a_holdout_chooses_the_model_with_the_smallest_error() -> None:
    labels, models = three_models()
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.best(models, metric=Squared())
        assert found.name == "good"
        assert found.answer.low < 0.1 < found.answer.high

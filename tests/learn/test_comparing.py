"""Two models compared by the rows in which they differ."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import peekproof
from learn.models import Bits, Constant, Squared, coins, right
from peekproof.core.errors import InvalidInput
from peekproof.learn.column import labels_of, predictions_of
from peekproof.learn.comparing import from_scores
from peekproof.learn.desk import Desk
from peekproof.learn.metrics.classification import Accuracy, Gain
from peekproof.learn.metrics.named import metric_of

ROWS = 4_000


def two_models() -> tuple[Bits, Bits, Bits]:
    """Labels, a model right in 9 of 10 rows, and one that spoils a tenth of what it says."""
    rng = np.random.default_rng(1)
    labels = coins(ROWS, rng)
    good = right(labels, 0.9, rng)
    return labels, good, right(good, 0.9, rng)


def recorded(holdout: peekproof.Holdout) -> list[str]:
    """The guesses that were checked, in their order."""
    desk = holdout.desk
    assert isinstance(desk, Desk)
    return [each.terms["guess"] for each in desk.session.ledger.answers().values()]


def test_the_better_model_wins_and_the_interval_holds_the_difference() -> None:
    labels, good, _ = two_models()
    bad = right(good, 0.85, np.random.default_rng(2))
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.compare(good, bad, guess=(0.9, 0.78))
        assert found.winner == "a"
        assert not found.tied
        assert 0.12 in found.difference
        assert str(found).startswith("a is better by 0.1")
        assert holdout.desk.standing().asked == 2


def test_exchanged_models_get_the_opposite_for_free() -> None:
    labels, good, bad = two_models()
    with peekproof.Holdout(None, labels) as holdout:
        one, other = holdout.compare(good, bad), holdout.compare(bad, good)
        assert holdout.desk.standing().asked == 2
    assert other.winner == "b"
    assert (other.difference.low, other.difference.high) == (
        -one.difference.high,
        -one.difference.low,
    )
    assert str(other) == str(one).replace("a is", "b is")


def test_its_interval_is_narrower_than_that_of_two_scores() -> None:
    labels, good, _ = two_models()
    close = right(good, 0.97, np.random.default_rng(4))
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.compare(good, close, guess=(0.9, 0.876))
    with peekproof.Holdout(None, labels) as holdout:
        a, b = holdout.score(good, guess=0.9), holdout.score(close, guess=0.876)
    assert found.winner == "a"
    assert found.difference.high - found.difference.low < (a.high - a.low + b.high - b.low) / 2
    assert a.low < b.high  # the two scores do not say who is better


def test_models_that_cannot_be_told_apart_are_tied() -> None:
    rng = np.random.default_rng(2)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.compare(right(labels, 0.8, rng), right(labels, 0.8, rng), guess=0.0)
    assert found.tied
    assert found.winner is None
    assert str(found) == f"a tie: the difference is within {found.difference.interval}"


def test_of_errors_the_smaller_wins() -> None:
    labels, good, bad = two_models()
    with peekproof.Holdout(None, labels, metric=Squared()) as holdout:
        found = holdout.compare(good, bad, guess=(0.1, 0.18), names=("good", "bad"))
    assert found.winner == "good"
    assert found.difference.high < 0
    assert -0.08 in found.difference
    assert str(found).startswith("good is better by 0.")
    assert found.to_dict()["winner"] == "good"


def test_a_comparison_is_told_to_programs_and_notebooks() -> None:
    labels, good, bad = two_models()
    with peekproof.Holdout(None, labels) as holdout:
        found = holdout.compare(good, bad, names=("<new>", "old"))
    told = json.loads(json.dumps(found.to_dict()))
    assert told["names"] == ["<new>", "old"]
    assert told["difference"]["label"] == "accuracy of <new> − accuracy of old"
    assert told["difference"]["low"] == found.difference.low
    assert "&lt;new&gt; is better by" in found._repr_html_()
    assert "<new>" not in found._repr_html_()
    assert found.to_dicts()[0]["low"] == found.difference.low


def test_training_rows_say_how_models_differ() -> None:
    rng = np.random.default_rng(3)
    features, labels = rng.random((ROWS, 2)), right(np.zeros(ROWS, np.int8), 0.75, rng)
    training = features[:100] + 1, np.arange(100) >= 70
    with peekproof.Holdout(features, labels, training=training) as holdout:
        holdout.compare(Constant(0.0), Constant(1.0))
        assert recorded(holdout) == ["7/10", "3/10"]


def test_models_that_remember_their_scores_need_no_guess() -> None:
    rng = np.random.default_rng(3)
    features, labels = rng.random((ROWS, 2)), right(np.zeros(ROWS, np.int8), 0.75, rng)
    expected = from_scores(0.75, 0.25, Accuracy())
    with peekproof.Holdout(features, labels) as holdout:
        holdout.compare(Constant(0.0, 0.75), Constant(1.0, 0.25))
        gain, loss = (float(Fraction(each)) for each in recorded(holdout))
    assert (gain, loss) == (expected.gain.share, expected.loss.share)


def test_guesses_do_not_depend_on_predictions_for_the_held_rows() -> None:
    """How often models disagree there would tell of features, which are held out, too."""
    labels, good, bad = two_models()
    made = []
    for other in (bad, 1 - good):
        with peekproof.Holdout(None, labels) as holdout:
            holdout.compare(good, other, guess=0.1)
            made.append(recorded(holdout))
    assert made[0] == made[1]


@pytest.mark.parametrize("scores", [(0.9, 0.8), (0.8, 0.9), (1.0, 0.0), (0.5, 0.5), (0.0, 0.0)])
def test_guessed_gains_differ_by_the_guessed_difference(scores: tuple[float, float]) -> None:
    for metric in (Accuracy(), Squared()):
        found = from_scores(*scores, metric)
        assert found.gain.share - found.loss.share == pytest.approx(scores[0] - scores[1])
        assert found.gain.share <= min(scores[0], 1 - scores[1]) + 1e-12
        assert found.loss.share <= min(scores[1], 1 - scores[0]) + 1e-12


@pytest.mark.parametrize("guess", ["high", 1.5, (0.5, 1.5), (0.1, 0.2, 0.3), float("nan"), "ab"])
def test_a_guess_that_is_none_is_refused_before_anything_is_asked(guess: object) -> None:
    labels, good, bad = two_models()
    with peekproof.Holdout(None, labels) as holdout:
        with pytest.raises(InvalidInput, match="guess must be the first score less the second"):
            holdout.compare(good, bad, guess=guess)
        assert holdout.desk.standing().asked == 0


def test_a_gain_is_what_one_prediction_has_beyond_the_other() -> None:
    labels = labels_of([0.0, 1.0, 1.0, 0.0])
    a, b = (predictions_of(each, rows=4) for each in ([0.0, 1.0, 0.0, 0.5], [1.0, 1.0, 1.0, 0.0]))
    assert Gain(Accuracy()).values(labels, a, b).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert Gain(Squared()).values(labels, a, b).tolist() == [0.0, 0.0, 1.0, 0.25]
    assert metric_of("gain(accuracy)") == Gain(Accuracy())
    with pytest.raises(InvalidInput, match="two models"):
        Gain(Accuracy()).check(labels, a)

"""The area under the curve: counted exactly, certified by pairs, and held under attack."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.column import labels_of, predictions_of
from peekproof.learn.metrics.named import measure_of, pairs_of
from peekproof.learn.metrics.ranked import Order, Ranked
from peekproof.session.receipt import receipts
from peekproof.session.replay import replay
from peekproof.testing.statistics import excess_p_value, statistical

CONCORDANT, ANTICONCORDANT = Ranked(Order.CONCORDANT), Ranked(Order.ANTICONCORDANT)
ROWS = 6000
RNG = np.random.default_rng(31)
TRUTH = (RNG.random(2 * ROWS) < 0.4).astype(int)
RANKS = np.round(TRUTH + RNG.normal(0, 1, 2 * ROWS), 1)  # with many ties
Y, SCORES = TRUTH[:ROWS], RANKS[:ROWS]
AREA = float(roc_auc_score(Y, SCORES))
NAMES = np.array(["no", "yes"])


# Counting -------------------------------------------------------------------------------------


def pair_by_pair(labels: list[int], scores: list[float], order: Order) -> int:
    """Twice the kernel, over all pairs."""
    total = 0
    for (first, a), (second, b) in combinations(zip(labels, scores, strict=True), 2):
        if (first == 1) == (second == 1):
            continue
        of_class, other = (a, b) if first == 1 else (b, a)
        if order is Order.ANTICONCORDANT:
            of_class, other = other, of_class
        total += 2 * (of_class > other) + (of_class == other)
    return total


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2).map(float)), min_size=2, max_size=30)
)
def test_ranks_count_what_all_pairs_do(rows: list[tuple[int, float]]) -> None:
    truth, scores = [label for label, _ in rows], [score for _, score in rows]
    labels, predicted = labels_of(truth), predictions_of(scores, rows=len(rows))
    found = {each: Ranked(each).halves(labels, predicted) for each in Order}

    assert found == {each: pair_by_pair(truth, scores, each) for each in Order}
    different = sum((a == 1) != (b == 1) for a, b in combinations(truth, 2))
    assert sum(found.values()) == 2 * different


def test_the_quotient_of_counts_is_the_number_of_scikit_learn() -> None:
    labels, predicted = labels_of(Y), predictions_of(SCORES, rows=ROWS)
    over, rest = (each.halves(labels, predicted) for each in (CONCORDANT, ANTICONCORDANT))
    assert over / (over + rest) == pytest.approx(AREA, rel=1e-12)


# Scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("guess", [AREA, 0.05, None])
@pytest.mark.parametrize("named", [False, True])
def test_the_interval_holds_the_number_of_scikit_learn(named: bool, guess: float | None) -> None:
    metric, y = ('auc("yes")', NAMES[Y]) if named else ("auc", Y)
    holdout = peekproof.Holdout(None, y, metric=metric)
    found = holdout.score(SCORES, guess=guess)

    assert isinstance(found, Derived)
    assert found.low <= AREA <= found.high
    assert found.high - found.low < 0.4
    assert found.confidence == 0.95
    theorems = found.to_dict()["theorems"]
    assert {"T-joint-function", "T-pairs"} <= set(theorems)  # type: ignore[call-overload]
    assert str(found).count(f"{metric if named else 'auc(1)'} of predictions ") == 1
    left = holdout.left
    again = holdout.score(SCORES, guess=0.5)
    assert (again.value, again.low, again.high, holdout.left) == (
        found.value, found.low, found.high, left
    )  # fmt: skip


def test_a_model_is_guessed_from_its_training_rows() -> None:
    held, seen = np.arange(ROWS), np.arange(ROWS, 2 * ROWS)

    class Ranks:
        """A model with one method that orders rows, and one that would not."""

        def decision_function(self, rows: npt.NDArray[np.int64]) -> object:
            return RANKS[rows]

        def predict(self, rows: npt.NDArray[np.int64]) -> object:
            raise AssertionError(rows)

    holdout = peekproof.Holdout(held, Y, metric="auc", training=(seen, TRUTH[seen]))
    found = holdout.score(Ranks())
    assert found.value == pytest.approx(roc_auc_score(TRUTH[seen], RANKS[seen]))
    assert found.low <= AREA <= found.high
    assert (holdout.failures, 10_000 - holdout.left) == (0, 2)


def test_the_next_model_is_guessed_by_the_last_one() -> None:
    holdout = peekproof.Holdout(None, Y, metric="auc")
    holdout.score(SCORES, guess=AREA)
    failures = holdout.failures
    found = holdout.score(SCORES + RNG.normal(0, 0.05, ROWS))
    assert found.low <= AREA <= found.high
    assert holdout.failures == failures


def test_a_constant_ranks_nothing_and_a_mirror_ranks_the_other_way() -> None:
    holdout = peekproof.Holdout(None, Y, metric="auc")
    assert 0.5 in holdout.score(np.zeros(ROWS), guess=0.5)
    found = holdout.score(-SCORES, guess=1 - AREA)
    assert found.low <= 1 - AREA <= found.high


def test_where_no_label_is_of_the_class_nothing_is_said() -> None:
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
        peekproof.Holdout(None, np.zeros(ROWS), metric="auc").score(SCORES, guess=0.7)


@pytest.mark.parametrize(
    ("said", "metric", "told"),
    [
        (np.stack([SCORES, SCORES], axis=1), "auc", "one number a row"),
        (NAMES[Y], "auc", "one number a row"),
        (SCORES, 'auc("yes")', "a class that labels can have"),
        (SCORES, "concordant(1)", "one of accuracy"),
    ],
)
def test_what_cannot_be_ranked_is_refused_for_nothing(said: object, metric: str, told: str) -> None:
    holdout = peekproof.Holdout(None, Y)
    with pytest.raises(InvalidInput, match=told):
        holdout.score(said, metric=metric, guess=0.7)
    assert holdout.left == 10_000


def test_among_some_rows_it_is_refused() -> None:
    holdout = peekproof.Holdout(None, Y, metric="auc")
    with pytest.raises(InvalidInput, match="left out for auc"):
        holdout.score(SCORES, guess=0.7, where="label = 1")
    assert holdout.left == 10_000


def test_parts_are_read_by_name() -> None:
    assert pairs_of(CONCORDANT.text) == CONCORDANT == pairs_of("concordant")
    assert pairs_of('anticoncordant("a")') == Ranked(Order.ANTICONCORDANT, "a")
    assert pairs_of("accuracy") is None
    for text in ("concordant(", "concordant(1, 2)", "concordant([1])"):
        with pytest.raises(InvalidInput):
            pairs_of(text)
    assert measure_of("auc").text == "auc(1)"


def test_a_ledger_is_replayed_with_a_receipt_for_each_part(tmp_path: Path) -> None:
    place = tmp_path / "a.peekproof"
    with peekproof.Holdout(None, Y, metric="auc", ledger=place) as holdout:
        found = holdout.score(SCORES, guess=AREA)
    with peekproof.Holdout(None, Y, metric="auc", ledger=place) as holdout:
        assert holdout.score(SCORES).low == found.low  # free, and the guess does not matter
        assert holdout.desk.held is not None
        ledger = holdout.desk.session.ledger
        assert replay(ledger).certificates == 3
        _, over, rest = receipts(ledger)
        for each, part in ((over, CONCORDANT), (rest, ANTICONCORDANT)):
            assert each.question.startswith(f"pairs: {part.text} of predictions ")
            assert "T-pairs" in each.certificate.theorems
        for recorded in holdout.answers():
            assert recorded.certificate.verify() == recorded.certificate


# Under attack ---------------------------------------------------------------------------------

FALSE_ALARM = 1e-9
HELD, STEPS, TRIALS = 200, 15, 8
Ranks = npt.NDArray[np.float64]
Answers = Callable[[Ranks], tuple[float, float, float]]  # a value and the ends of its interval


def promised(truth: npt.NDArray[np.int64]) -> Answers:
    """A holdout. Guesses that are far off make it tell as much of the sample as it does."""
    holdout = peekproof.Holdout(None, truth, metric="auc")

    def answers(said: Ranks) -> tuple[float, float, float]:
        try:
            found = holdout.score(said, guess=0.02)
        except InvalidInput:  # after so many failures it would say nothing
            return 0.5, 0.0, 1.0
        return found.value, found.low, found.high

    return answers


def plain(truth: npt.NDArray[np.int64]) -> Answers:
    """The area of the sample with twice its standard error, as if nothing were asked before."""
    ones = truth.sum()
    error = 2 * np.sqrt((HELD + 1) / (12 * ones * (HELD - ones)))

    def answers(said: Ranks) -> tuple[float, float, float]:
        value = float(roc_auc_score(truth, said))
        return value, value - error, value + error

    return answers


def broken(seed: int, opened: Callable[[npt.NDArray[np.int64]], Answers]) -> bool:
    """Whether an interval misses ½, which is the area for labels that are coins, whoever ranks."""
    rng = np.random.default_rng(seed)
    answers = opened(rng.integers(0, 2, HELD))
    votes, missed = np.zeros(HELD), False
    for step in range(STEPS + 1):
        said = votes if step == STEPS else rng.random(HELD)
        value, low, high = answers(said)
        missed |= not low <= 0.5 <= high
        votes = votes + (said - 0.5) * (value - 0.5)
    return missed


@statistical(false_alarm=FALSE_ALARM)
def test_it_holds_under_an_attack_that_breaks_plain_intervals() -> None:
    """Kills the interval of a sample that is taken as if no scores were chosen by it."""
    held = sum(broken(seed, promised) for seed in range(TRIALS))
    naive = sum(broken(seed, plain) for seed in range(TRIALS))

    assert excess_p_value(held, trials=TRIALS, probability=0.05) > FALSE_ALARM
    assert excess_p_value(naive, trials=TRIALS, probability=0.05) < FALSE_ALARM

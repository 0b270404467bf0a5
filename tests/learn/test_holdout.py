"""A holdout as people use it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import peekproof
from peekproof.core.errors import BudgetExhausted, InvalidInput

ROWS = 2_000
RNG = np.random.default_rng(5)
X = RNG.normal(size=(2 * ROWS, 3))
Y = (X[:, 0] + RNG.normal(size=2 * ROWS) > 0).astype(int)
TRAIN, HELD = (X[:ROWS], Y[:ROWS]), (X[ROWS:], Y[ROWS:])
MODEL = LogisticRegression().fit(*TRAIN)
TRUTH = float((MODEL.predict(HELD[0]) == HELD[1]).mean())


def test_a_model_is_scored_in_three_lines() -> None:
    holdout = peekproof.Holdout(*HELD, confidence=0.95, training=TRAIN)
    answer = holdout.score(MODEL)
    assert answer.low <= TRUTH <= answer.high
    assert answer.confidence == 0.95
    assert answer.radius < 0.1
    assert holdout.failures == 0


def test_predictions_with_a_guess_are_the_same_question_as_the_model() -> None:
    holdout = peekproof.Holdout(*HELD, training=TRAIN)
    first = holdout.score(MODEL)
    again = holdout.score(MODEL.predict(HELD[0]), guess=0.1)
    assert isinstance(again, peekproof.Answer)
    assert again.replayed
    assert again.interval == first.interval
    assert holdout.left == 9_999


def test_a_wrong_guess_is_counted_told_and_still_right() -> None:
    holdout = peekproof.Holdout(*HELD)
    answer = holdout.score(MODEL, guess=0.05)
    assert holdout.failures == 1
    assert answer.low <= TRUTH <= answer.high
    assert "1 of 1 guesses failed" in holdout.remaining


def test_what_is_left_is_said_in_words() -> None:
    holdout = peekproof.Holdout(*HELD, questions=20)
    holdout.score(MODEL, guess=TRUTH)
    assert holdout.remaining.startswith("19 of 20 scores left, 0 of 1 guesses failed")
    assert "2,000 rows" in repr(holdout)


def test_a_budget_that_is_used_up_refuses_and_repeats_stay_free() -> None:
    holdout = peekproof.Holdout(*HELD, questions=1)
    first = holdout.score(MODEL, guess=TRUTH)
    with pytest.raises(BudgetExhausted):
        holdout.score(np.zeros(ROWS), guess=0.5)
    assert holdout.score(MODEL, guess=TRUTH).interval == first.interval


def test_a_ledger_keeps_the_budget_over_restarts_and_orders_of_rows(tmp_path: Path) -> None:
    place = tmp_path / "scores.peekproof"
    with peekproof.Holdout(*HELD, questions=10, ledger=place) as holdout:
        holdout.score(MODEL, guess=TRUTH)
    order = RNG.permutation(ROWS)
    with peekproof.Holdout(HELD[0][order], HELD[1][order], ledger=place) as holdout:
        assert holdout.left == 9
        assert holdout.left == 9
        holdout.score(MODEL.predict(HELD[0]), guess=TRUTH)
        assert holdout.left == 8


def test_another_ledger_for_the_same_rows_is_refused(tmp_path: Path) -> None:
    with peekproof.Holdout(*HELD, ledger=tmp_path / "one.peekproof") as holdout:
        holdout.score(MODEL, guess=TRUTH)
    with pytest.raises(peekproof.BudgetElsewhere):
        peekproof.Holdout(*HELD, ledger=tmp_path / "two.peekproof")


def test_analysts_share_the_budget() -> None:
    holdout = peekproof.Holdout(*HELD, questions=10)
    holdout.as_analyst("ann").score(MODEL, guess=TRUTH)
    holdout.as_analyst("bob").score(np.ones(ROWS), guess=0.5)
    assert holdout.left == 8
    assert [each.analyst for each in holdout.answers()] == ["ann", "bob"]


def test_certificates_say_what_the_promise_is_about() -> None:
    answer = peekproof.Holdout(*HELD).score(MODEL, guess=TRUTH)
    assert isinstance(answer, peekproof.Answer)
    assert any("fresh labels for the same rows" in each for each in answer.certificate.assumptions)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"guess": 1.5}, "guess must be a score from 0 to 1"),
        ({"guess": "high"}, "guess must be a score from 0 to 1"),
        ({"guess": float("nan")}, "guess must be a score from 0 to 1"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"metric": 7}, "metric must be one of"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_costs_nothing(given: dict[str, object], match: str) -> None:
    holdout = peekproof.Holdout(*HELD)
    with pytest.raises(InvalidInput, match=match):
        holdout.score(MODEL, **given)  # type: ignore[arg-type]
    assert holdout.left == 10_000


@pytest.mark.parametrize(
    "wrong", [np.zeros(ROWS - 1), ["yes"] * ROWS, np.zeros((ROWS, 2)), object()], ids=type
)
def test_predictions_that_no_label_can_equal_cost_nothing(wrong: object) -> None:
    holdout = peekproof.Holdout(*HELD)
    with pytest.raises(InvalidInput, match="predictions must"):
        holdout.score(wrong)
    assert holdout.left == 10_000


def test_a_model_needs_features() -> None:
    holdout = peekproof.Holdout(None, HELD[1])
    with pytest.raises(InvalidInput, match="give X to the holdout"):
        holdout.score(MODEL)


def test_predictions_for_rows_in_another_order_are_others(tmp_path: Path) -> None:
    place, predictions = tmp_path / "scores.peekproof", (HELD[0][:, 0] > 0).astype(int)
    with peekproof.Holdout(*HELD, ledger=place) as holdout:
        right = holdout.score(predictions, guess=TRUTH)
    order = np.argsort(HELD[0][:, 1])
    with peekproof.Holdout(HELD[0][order], HELD[1][order], ledger=place) as holdout:
        mixed_up = holdout.score(predictions, guess=0.5)
        assert isinstance(mixed_up, peekproof.Answer)
        assert not mixed_up.replayed
        assert mixed_up.high < right.low


def test_the_same_labels_have_one_budget_however_they_are_grouped(tmp_path: Path) -> None:
    groups = {"side": (HELD[0][:, 1] > 0).astype(int)}
    with peekproof.Holdout(*HELD, groups=groups, ledger=tmp_path / "one.peekproof") as holdout:
        holdout.score(MODEL, guess=TRUTH)
    with pytest.raises(peekproof.BudgetElsewhere):
        peekproof.Holdout(*HELD, ledger=tmp_path / "two.peekproof")


def test_a_ledger_does_not_answer_for_other_groups_of_the_same_name(tmp_path: Path) -> None:
    place, side = tmp_path / "scores.peekproof", (HELD[0][:, 1] > 0).astype(int)
    peekproof.Holdout(*HELD, groups={"side": side}, ledger=place).close()
    with pytest.raises(peekproof.LedgerMismatch, match="the same groups"):
        peekproof.Holdout(*HELD, groups={"side": 1 - side}, ledger=place)
    peekproof.Holdout(*HELD, groups={"side": side}, ledger=place).close()


@pytest.mark.one_budget
@pytest.mark.parametrize("kind", ["file", "memory"])
def test_a_holdout_that_takes_the_place_of_another_has_as_many_questions(
    kind: str, tmp_path: Path
) -> None:
    place = tmp_path / "scores.peekproof" if kind == "file" else None
    with peekproof.Holdout(*HELD, questions=5, confidence=0.9, ledger=place) as holdout:
        holdout.score(MODEL, guess=TRUTH)
    if place:
        place.unlink()
    with peekproof.Holdout(*HELD, ledger=place, override="it was lost") as again:
        assert again.left == 5
        assert again.score(MODEL, guess=TRUTH).confidence == 0.9
    if place:
        place.unlink()
    with peekproof.Holdout(*HELD, ledger=place, questions=7, override="it was lost") as again:
        assert again.left == 7

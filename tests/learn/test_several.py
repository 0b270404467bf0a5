"""Scores of several questions, where the budget ends between them."""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from peekproof.learn.column import predictions_of

LABELS = np.random.default_rng(3).integers(0, 2, 500)


@pytest.mark.parametrize("questions", [1, 2])
def test_a_refusal_says_what_became_of_the_parts_before_it(questions: int) -> None:
    holdout = peekproof.Holdout(None, LABELS, questions=questions)
    with pytest.raises(peekproof.BudgetExhausted) as refused:
        holdout.score(1 - LABELS, metric="f1", guess=0.5)
    assert "is paid for, and free when the score is asked for again" in str(refused.value)
    assert refused.value.fields()["of_several"] is True
    assert holdout.left == 0


def test_a_refusal_of_one_question_says_that_nothing_was_charged() -> None:
    holdout = peekproof.Holdout(None, LABELS, questions=1)
    holdout.score(LABELS, guess=0.5)
    with pytest.raises(peekproof.BudgetExhausted, match="nothing was read or charged\\. "):
        holdout.score(1 - LABELS, guess=0.5)


def test_answers_are_shown_by_their_metric_and_the_first_digits_of_the_predictions() -> None:
    holdout = peekproof.Holdout(None, LABELS)
    answer, rate = holdout.score(LABELS, guess=0.9), holdout.score(LABELS, where="label = 1")
    named = f"accuracy of predictions {predictions_of(LABELS, rows=len(LABELS)).digest[:16]}"
    assert str(answer).endswith(f"]  {named}")
    assert str(rate).endswith(f"]  {named} among rows with label = 1")
    for each in (answer, rate):
        assert repr(each) == f"<{type(each).__name__} {each}>"

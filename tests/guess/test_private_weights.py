from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from guess.cells import NUMBERED, Listed
from peekproof.core.errors import InvalidInput
from peekproof.core.refusals import BudgetExhausted
from peekproof.core.secret import Exact
from peekproof.guess.private_weights import PrivateWeights, SparseRun
from peekproof.guess.weights import MultiplicativeWeights
from peekproof.mechanisms.numeric_sparse import NumericSparse
from peekproof.noise.entropy import Seeded
from peekproof.query.question import Question, parse_question
from peekproof.testing.statistics import statistical
from peekproof.theory.weights import private_weights

CELLS = 64
ROWS = 15_000
FALSE_ALARM = 1e-9


class Sample:
    """Rows by cell, and questions about random sets of cells."""

    def __init__(self, seed: int, questions: int, *, rows: int = ROWS) -> None:
        rng = np.random.default_rng(seed)
        self.counts = rng.multinomial(rows, rng.dirichlet(np.full(CELLS, 0.1)))
        self.sets = [rng.random(CELLS) < rng.random() for _ in range(questions)]
        self.values = Listed(self.sets)

    def count(self, question: Question) -> int:
        return int(self.counts[self.values(question)].sum())

    def differences(self, question: Question, whole: int) -> tuple[Exact[int], Exact[int]]:
        count = self.count(question)
        return Exact(count - whole), Exact(whole - count)


class Scripted:
    """A run without noise: it answers what reaches the threshold."""

    def __init__(self, threshold: int, *, off: int = 0) -> None:
        self.threshold, self.off, self.asked = threshold, off, 0

    def release(self, exact: Exact[int]) -> int | None:
        self.asked += 1
        count = exact.reveal()
        return count + self.off if count >= self.threshold else None


def private(
    sample: Sample, run: SparseRun, *, threshold: int, radius: Fraction, rows: int = ROWS
) -> tuple[PrivateWeights, MultiplicativeWeights]:
    error = (threshold - radius - Fraction(1, 2)) / rows
    weights = MultiplicativeWeights(cells=CELLS, values=sample.values, error=error)
    both = PrivateWeights(
        weights=weights, run=run, differences=sample.differences, rows=rows, radius=radius
    )
    return both, weights


@statistical(false_alarm=FALSE_ALARM)
def test_answers_err_and_guesses_fail_no_more_than_proved() -> None:
    questions = 150
    sample = Sample(1, questions)
    plan = NumericSparse(threshold=1, epsilon=Fraction(40), answers=60, questions=2 * questions)
    radius = Fraction(plan.radius(beta=Fraction(1, 10**9)))
    threshold = math.ceil(3 * radius) + 1
    mechanism = NumericSparse(
        threshold=threshold, epsilon=Fraction(40), answers=60, questions=2 * questions
    )
    run = mechanism.start(rng=Seeded(1))
    ours, weights = private(sample, run, threshold=threshold, radius=radius)
    most, reach = private_weights(cells=CELLS, rows=ROWS, threshold=threshold, radius=radius)
    errors = []
    for asked in sample.values.questions:
        errors.append(abs(ours.answer(asked) - Fraction(sample.count(asked), ROWS)))

    assert reach < Fraction(1, 10)
    assert max(errors) <= reach
    assert 5 <= weights.updates <= min(most, 60)
    # Guesses come near the reach, so that half of it would be too little.
    assert max(errors) > reach / 2
    # Most answers are guesses that held.
    assert weights.updates < questions / 2


@pytest.mark.parametrize("off", [-9, 0, 9])
def test_without_noise_answers_are_the_guess_or_the_count(off: int) -> None:
    sample, run = Sample(2, 60, rows=1000), Scripted(30, off=off)
    ours, weights = private(sample, run, threshold=30, radius=Fraction(9), rows=1000)
    learnt = 0
    for asked in sample.values.questions:
        guess, before = weights.guess(asked), run.asked
        answer, gap = ours.answer(asked), sample.count(asked) - round(guess * 1000)
        if abs(gap) < 30:
            assert answer == guess
            assert run.asked == before + 2
        else:
            learnt += 1
            found = sample.count(asked) + (off if gap > 0 else -off)
            assert answer == Fraction(min(max(found, 0), 1000), 1000)
            assert run.asked == before + (1 if gap > 0 else 2)
        assert weights.updates == learnt
    most, _ = private_weights(cells=CELLS, rows=1000, threshold=30, radius=Fraction(9))
    assert 5 < learnt <= most


def test_a_run_that_is_used_up_refuses_and_nothing_is_learnt() -> None:
    sample = Sample(3, 40)
    mechanism = NumericSparse(threshold=1000, epsilon=Fraction(40), answers=2, questions=80)
    run = mechanism.start(rng=Seeded(3))
    ours, weights = private(sample, run, threshold=1000, radius=Fraction(9))
    answers = map(ours.answer, sample.values.questions)
    with pytest.raises(BudgetExhausted):
        list(answers)

    assert weights.updates == 2


def test_known_bounds() -> None:
    # γ = (100 − 30 − ½)/1000 = 0.0695; ln 64/(2γ²) = 430.5
    assert private_weights(cells=64, rows=1000, threshold=100, radius=Fraction(30)) == (
        430,
        Fraction(1305, 10_000),
    )


@pytest.mark.parametrize(
    "given",
    [
        {"threshold": 90},  # 3r + ½ = 90½
        {"threshold": 0},
        {"radius": Fraction(-1)},
        {"radius": 3.0},
        {"rows": 0},
        {"cells": 0},
    ],
)
def test_absurd_parameters_are_refused(given: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"cells": 64, "rows": 9, "threshold": 100, "radius": Fraction(30)}
    with pytest.raises(InvalidInput) as caught:
        private_weights(**(usual | given))

    assert caught.value.argument in given


def test_only_shares_are_asked_and_absurd_rows_refused() -> None:
    sample, run = Sample(4, 1), Scripted(9)
    ours, weights = private(sample, run, threshold=100, radius=Fraction(9))
    with pytest.raises(InvalidInput, match="a share"):
        ours.answer(parse_question("mean(x, 0, 1)", NUMBERED))
    assert run.asked == 0
    for rows, radius in ((0, Fraction(1)), (9, Fraction(-1))):
        with pytest.raises(InvalidInput):
            PrivateWeights(
                weights=weights,
                run=run,
                differences=sample.differences,
                rows=rows,
                radius=radius,
            )

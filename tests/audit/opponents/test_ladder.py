"""The leaderboard as an opponent: what it tells is the best so far, and that alone it claims."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from peekproof.audit.opponents.ladder import Board, Climbed
from peekproof.audit.opponents.protocol import Terms
from peekproof.core.certificate import Target
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.mechanisms.ladder import Ladder

ROWS = 4_000
COLUMNS = {"a": (np.arange(ROWS) % 100).astype(float)}


def board(*, questions: int = 5, seed: int = 1) -> Board:
    terms = Terms(confidence=Fraction(19, 20), questions=questions, seed=seed)
    return Climbed().open(COLUMNS, terms=terms)


def test_it_tells_the_best_so_far_whatever_is_submitted_next() -> None:
    opponent = board()
    told = [opponent.reply(f"a < {each}", guess=0.1).value for each in (30, 10, 60, 59, 5)]

    assert told[0] == told[1] == pytest.approx(0.3, abs=0.05)
    assert told[2] == told[3] == told[4] == pytest.approx(0.6, abs=0.05)


def test_it_claims_the_best_truth_among_all_submissions() -> None:
    truths = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]

    assert board().claimed(truths) == Fraction(3, 4)
    assert board().claimed(truths[:1]) == Fraction(1, 2)


def test_its_step_is_about_the_one_that_promises_most() -> None:
    target = Target(confidence=Fraction(19, 20), questions=5)
    radii = [
        Ladder(rows=ROWS, step=Fraction(1, cells), questions=5).certify(target).radius
        for cells in range(2, 400)
    ]
    opponent = board()
    reply = opponent.reply("a < 50")
    opponent.close()

    assert reply.radius <= 1.001 * min(radii)
    assert 1.01 * min(radii) < min(radii[0], radii[-1])


def test_nothing_is_drawn() -> None:
    assert board(seed=1).reply("a < 50") == board(seed=2).reply("a < 50")


def test_a_mean_is_no_submission() -> None:
    with pytest.raises(InvalidInput, match=r"^question must be a share of rows"):
        board().reply("mean(a, 0, 100, 0)")


def test_more_submissions_than_were_agreed_are_refused() -> None:
    opponent = board(questions=1)
    opponent.reply("a < 50")

    with pytest.raises(BudgetExhausted):
        opponent.reply("a < 60")


def test_one_row_is_no_contest() -> None:
    terms = Terms(confidence=Fraction(19, 20), questions=5, seed=1)

    with pytest.raises(InvalidInput, match=r"^rows must be at least 2 for a ladder, got 1$"):
        Climbed().open({"a": np.array([1.0])}, terms=terms)

"""Freedman's paradox: the law of Student, what noise seems to explain, and what a session says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted
from lab.experiments.freedman import (
    LEVEL,
    SCREENING,
    VARIABLES,
    Told,
    noise,
    regress,
    repetitions,
    student_p_value,
    told,
)
from lab.figures.freedman import draw_freedman
from peekproof.audit.evidence import mean_deviation
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.testing.statistics import statistical

# Means of 6,000 repetitions by other code, with Student's critical values: 5.61 ± 0.04, 0.311.
SIGNIFICANT, EXPLAINED = 5.6, 0.311
COUNT = 600


@cache
def hundred() -> Told:
    return told(100, seed=1)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 49, 84, 99])
def test_p_values_are_those_of_students_law(freedom: int) -> None:
    for t in (0.0, 0.3, -1.2, 2.0, 7.0):
        x = freedom / (freedom + mpmath.mpf(t) ** 2)
        exact = mpmath.betainc(mpmath.mpf(freedom) / 2, 0.5, 0, x, regularized=True)
        assert student_p_value(t, freedom=freedom) == pytest.approx(float(exact), abs=1e-13)


def test_one_variable_is_fitted_as_by_hand() -> None:
    x = np.array([0.0, 1, 2, 3, 4])
    label = np.array([1.0, 2, 2, 4, 5])
    (p_value,), r_squared = regress(x[:, None], label, [0])
    assert r_squared == pytest.approx(100 / 108)  # (Σxy)² / (Σx²·Σy²) = 10²/(10·10.8)
    assert p_value == pytest.approx(
        student_p_value((3 * r_squared / (1 - r_squared)) ** 0.5, freedom=3)
    )


def test_more_variables_than_rows_are_refused() -> None:
    with pytest.raises(InvalidInput, match="fewer than 4 variables, got 4"):
        regress(np.eye(5), np.arange(5.0), range(4))


@statistical(false_alarm=3 * FALSE_ALARM)
def test_noise_seems_significant_as_freedman_found() -> None:
    """The wrong variants: nothing is screened, so half of the variance is explained; what was
    screened is not fitted again, so no more than one variable in twenty seems to matter.
    """
    fits = list(repetitions(COUNT, seed=1))
    within = mean_deviation(trials=COUNT, false_alarm=FALSE_ALARM / 2)
    assert as_predicted([float(fit.significant) for fit in fits], SIGNIFICANT)
    assert as_predicted([fit.r_squared for fit in fits], EXPLAINED)
    assert abs(np.mean([fit.r_squared for fit in fits]) - EXPLAINED) < within

    rng = np.random.default_rng(2)
    first = [regress(*noise(rng), range(VARIABLES)) for _ in range(COUNT // 4)]
    unscreened = [r_squared for _, r_squared in first]
    unfitted = [float(np.sum(found[found <= SCREENING] <= LEVEL)) for found, _ in first]
    assert not as_predicted(unscreened, EXPLAINED)
    assert not as_predicted(unfitted, SIGNIFICANT)
    assert abs(np.mean(unscreened) - EXPLAINED) > within


def test_a_session_refuses_a_hundred_rows_and_covers_nothing_with_more() -> None:
    few, enough = hundred(), told(10_000, seed=1)
    assert isinstance(few.refusal, VacuousPlan)
    assert few.held is None
    assert 100 < few.refusal.rows_needed < 10_000
    assert 0 not in few.plain
    assert enough.refusal is None
    assert enough.held is not None
    assert 0 in enough.held
    assert enough.held.high < 1


def test_the_refusal_names_the_rows_from_which_on_it_answers() -> None:
    refusal = hundred().refusal
    assert isinstance(refusal, VacuousPlan)
    assert told(refusal.rows_needed - 1, seed=2).held is None
    assert told(refusal.rows_needed, seed=2).held is not None


def test_the_picture_says_how_it_was_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = draw_freedman(
        tmp_path / "freedman.svg", count=20, sizes=(100, 1_000), seed=3
    ).read_text()
    for words in (
        "20 times",
        "351 questions",
        "seed 3",
        "python -m lab.figures.freedman",
    ):
        assert words in written
    assert "below 836 rows" in written

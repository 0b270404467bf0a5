"""The tolerance of guesses that are means of other rows: room for chance, and little more."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import asin, erfinv, mpf, pi, sin, sqrt, workdps

from peekproof.core.certificate import Target
from peekproof.mechanisms.base import Past
from peekproof.mechanisms.checking import Checking, GuessAndCheck, honest_room
from peekproof.testing.statistics import statistical
from peekproof.theory.generalization.checking import (
    Transcript,
    checked_interval,
    next_log_inverse_level,
)

HALF = Fraction(1, 2)
TARGET = Target.of(confidence=0.95, questions=10_000)


def test_the_last_of_ten_thousand_guesses_needs_little_more_than_all_fixed_in_advance() -> None:
    found = honest_room(
        rows=10_000,
        guess=HALF,
        guessing_rows=10_000,
        past=Transcript(questions=9_999),
        target=TARGET,
        levels=1,
    )
    fixed = (log(2 * 10_000 / 0.05) / (2 * 10_000)) ** 0.5

    assert fixed < found <= 2.45 * fixed  # 0.0610 in place of 0.0254


@given(
    rows=st.integers(1, 10**6),
    guessing_rows=st.integers(1, 10**6),
    before=st.integers(0, 9_999),
    guess=st.fractions(0, 1, max_denominator=10**4),
)
def test_it_is_the_formula(rows: int, guessing_rows: int, before: int, guess: Fraction) -> None:
    past = Transcript(questions=before)
    found = honest_room(
        rows=rows,
        guess=guess,
        guessing_rows=guessing_rows,
        past=past,
        target=TARGET,
        levels=1,
    )
    level = next_log_inverse_level(past=past, target=TARGET)
    with workdps(40):
        weight = 3 / (pi * (before + 1)) ** 2 + mpf(1) / (2 * TARGET.questions)
        beyond = weight / 50
        z = sqrt(mpf(2)) * erfinv(1 - beyond)
        off = z / 2 * sqrt(mpf(1) / rows + mpf(1) / guessing_rows)
        angle = asin(sqrt(mpf(guess.numerator) / guess.denominator))
        first = int(rows * sin(max(mpf(0), angle - off)) ** 2 - mpf("1e-9"))
        last = int(rows * sin(min(pi / 2, angle + off)) ** 2 + 1)
    low = checked_interval(first, rows=rows, log_inverse_level=level).low
    high = checked_interval(min(rows, last), rows=rows, log_inverse_level=level).high
    reach = max(guess - Fraction(low), Fraction(high) - guess)

    # Where rounding decides to which side a total belongs, one more or less is as good.
    assert abs(found - reach) <= Fraction(1, 2**20) + Fraction(2, rows)


@pytest.mark.parametrize("questions", [1, 10**18, 10**300])
def test_there_is_one_for_any_number_of_questions(questions: int) -> None:
    found = honest_room(
        rows=10**30,
        guess=HALF,
        guessing_rows=10**30,
        past=Transcript(),
        target=Target.of(confidence=0.95, questions=questions),
        levels=1,
    )
    assert 0 < found < Fraction(1, 10**5)


ROWS, PAST = 4_000, Transcript(questions=5_000)


@cache
def passes(tolerance: Callable[[Fraction], Fraction], guess: Fraction) -> range:
    past = Past(target=TARGET, draws=PAST.questions, failures=PAST.failures, values=PAST.values)
    level = Checking(rows=ROWS).level(past)
    made = GuessAndCheck.at(
        rows=ROWS, guess=guess, tolerance=tolerance(guess), log_inverse_level=level, bins=1
    )
    return range(made.low, made.high + 1)


def honest(guess: Fraction) -> Fraction:
    return honest_room(
        rows=ROWS, guess=guess, guessing_rows=ROWS, past=PAST, target=TARGET, levels=1
    )


def as_at_one_half(guess: Fraction) -> Fraction:
    """The mutant: the guess's own interval and a normal error, as if the guess were not random."""
    level = next_log_inverse_level(past=PAST, target=TARGET)
    around = checked_interval(round(guess * ROWS), rows=ROWS, log_inverse_level=level)
    share = max(1 / ROWS, min(float(guess), 1 - 1 / ROWS))
    off = 4.417 * (2 * share * (1 - share) / ROWS) ** 0.5
    return max(guess - Fraction(around.low), Fraction(around.high) - guess) + Fraction(off)


@statistical(false_alarm=1e-9)
def test_honest_guesses_seldom_fail_not_even_of_small_shares() -> None:
    """Each fails with probability 10⁻⁵ or so: of 20,000, more than 9 do with less than 10⁻⁹.

    With the mutant's tolerance dozens fail.
    """
    rng = np.random.default_rng(5)
    failed = mutant = 0
    for share in (0.5, 0.03, 0.005, 0.002):
        guesses, totals = rng.binomial(ROWS, share, (2, 5_000)).tolist()
        for guess, total in zip(guesses, totals, strict=True):
            failed += total not in passes(honest, Fraction(guess, ROWS))
            mutant += total not in passes(as_at_one_half, Fraction(guess, ROWS))

    assert failed <= 9 < 50 < mutant

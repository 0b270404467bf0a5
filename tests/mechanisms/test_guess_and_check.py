"""Guess and check: every total tried by hand, and a conversation that tries to overfit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.checking import Checked, Failed, GuessAndCheck, Passed
from peekproof.mechanisms.protocol import OneShot
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical
from peekproof.theory.generalization.checking import (
    Transcript,
    acceptance,
    checked_interval,
    failure_interval,
    least_tolerance,
    log_inverse_level,
)

RNG = Seeded(1)
HALF = Fraction(1, 2)
FALSE_ALARM = 1e-9


def made(**changes: Any) -> GuessAndCheck:
    """A check of ½ ± 0.2 among 200 rows, with what is to be different."""
    usual = GuessAndCheck.at(
        rows=200, guess=HALF, tolerance=Fraction(1, 5), log_inverse_level=10.0, bins=8
    )
    return replace(usual, **changes)


# One check -------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    rows=st.integers(1, 60),
    levels=st.integers(1, 3),
    guess=st.fractions(0, 1, max_denominator=1000),
    log_level=st.floats(0.7, 30.0),
    extra=st.fractions(0, 1, max_denominator=1000),
    data=st.data(),
)
def test_what_is_released_is_right_for_every_total(
    rows: int,
    levels: int,
    guess: Fraction,
    log_level: float,
    extra: Fraction,
    data: st.DataObject,
) -> None:
    units = rows * levels
    tolerance = extra + least_tolerance(
        rows=rows, guess=guess, log_inverse_level=log_level, levels=levels
    )
    bins = data.draw(st.integers(1, units + 1))
    mechanism: OneShot[int, Checked] = GuessAndCheck.at(
        rows=rows,
        guess=guess,
        tolerance=tolerance,
        log_inverse_level=log_level,
        bins=bins,
        levels=levels,
    )
    reach = Fraction(mechanism.radius(beta=Fraction(1, 20)))
    passed = []
    for total in range(units + 1):
        share = Fraction(total, units)
        interval = checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)
        low, high = Fraction(interval.low), Fraction(interval.high)
        match mechanism.release(Exact(total), rng=RNG):
            case Passed():
                passed.append(total)
                assert max(Fraction(0), guess - tolerance) <= low
                assert high <= min(Fraction(1), guess + tolerance)
                assert abs(share - guess) <= min(reach, tolerance)
            case Failed(bin=held):
                assert low < guess - tolerance or high > guess + tolerance
                assert Fraction(held, bins) <= share <= Fraction(held + 1, bins)
                assert share < Fraction(held + 1, bins) or held == bins - 1
                assert abs(share - Fraction(2 * held + 1, 2 * bins)) <= reach
                said = failure_interval(
                    held, bins=bins, rows=rows, log_inverse_level=log_level, levels=levels
                )
                assert said.low <= interval.low <= interval.high <= said.high

    assert passed
    assert reach <= max(tolerance, Fraction(1, 2 * bins)) * (1 + Fraction(1, 2**50))


def test_it_has_no_more_outcomes_than_the_levels_count() -> None:
    mechanism = made()
    outcomes = {mechanism.release(Exact(total), rng=RNG) for total in range(201)}

    assert outcomes <= {Passed(), *(Failed(bin=held) for held in range(8))}
    assert Passed() in outcomes
    assert len(outcomes) > 4


def test_no_total_is_an_error_once_it_is_opened() -> None:
    """A total out of reach is a mistake elsewhere; to complain would tell."""
    assert made().release(Exact(10**6), rng=RNG) == Failed(bin=7)


def test_it_draws_nothing() -> None:
    class Dry:
        description = "dry"

        def bits(self, count: int) -> int:
            raise AssertionError(count)

    assert made().release(Exact(100), rng=Dry()) == Passed()
    assert made().release(Exact(0), rng=Dry()) == Failed(bin=0)


def test_its_description_rebuilds_it() -> None:
    for mechanism in (
        made(),
        GuessAndCheck.at(
            rows=200,
            guess=Fraction(1, 3),
            tolerance=Fraction(1, 4),
            log_inverse_level=9.0,
            bins=50,
            levels=6,
        ),
    ):
        said = mechanism.describe()
        assert said.pop("kind") == "guess-and-check"
        low, high = said.pop("passes").split(":")
        again = GuessAndCheck(
            rows=200,
            guess=Fraction(said.pop("guess")),
            tolerance=Fraction(said.pop("tolerance")),
            bins=int(said.pop("bins")),
            low=int(low),
            high=int(high),
            levels=int(said.pop("levels", "1")),
        )
        assert again == mechanism
        assert said == {}
    assert made().cost() == Draws(Fraction(1))


def test_a_tolerance_that_nothing_could_meet_is_refused_with_the_least() -> None:
    with pytest.raises(InvalidInput, match=r"^tolerance must be at least 0\.\d+ for") as refused:
        GuessAndCheck.at(
            rows=200, guess=HALF, tolerance=Fraction(1, 100), log_inverse_level=10.0, bins=8
        )
    least = Fraction(refused.value.accepted.split()[2])

    assert 0 <= least - least_tolerance(rows=200, guess=HALF, log_inverse_level=10.0) < 1e-4
    made_there = GuessAndCheck.at(
        rows=200, guess=HALF, tolerance=least, log_inverse_level=10.0, bins=8
    )
    assert made_there.low <= 100 <= made_there.high


@pytest.mark.parametrize(
    "nonsense",
    [
        {"rows": 0},
        {"levels": 0},
        {"guess": Fraction(3, 2)},
        {"guess": 0.5},
        {"tolerance": Fraction(0)},
        {"bins": 0},
        {"bins": 202},
        {"low": -1},
        {"low": 10},
        {"low": True},
        {"high": 201},
        {"high": 199},
        {"low": 101, "high": 99},
    ],
)
def test_absurd_checks_are_refused(nonsense: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        made(**nonsense)


def test_a_level_without_a_meaning_has_no_radius() -> None:
    with pytest.raises(InvalidInput):
        made().radius(beta=Fraction(0))


# A conversation --------------------------------------------------------------------------------

ROWS, LEVELS, FEATURES, BINS, BETA, SESSIONS = 70, 1000, 150, 60, Fraction(1, 5), 200
Level = Callable[[Transcript], float]


@cache
def honest(past: Transcript) -> float:
    return log_inverse_level(beta=BETA, transcript=past)


@cache
def careless(past: Transcript) -> float:
    """The mutant: the level is not divided by how many pasts there could have been."""
    places = Transcript(questions=past.questions)
    return log_inverse_level(beta=BETA, transcript=places) + 2 * log(past.failures + 1)


@cache
def doubtful(level: float) -> GuessAndCheck:
    """A half, as closely as the level allows."""
    least = least_tolerance(rows=ROWS, guess=HALF, log_inverse_level=level, levels=LEVELS)
    return made_at(HALF, least, level)


def made_at(guess: Fraction, tolerance: Fraction, level: float) -> GuessAndCheck:
    return GuessAndCheck.at(
        rows=ROWS,
        guess=guess,
        tolerance=tolerance,
        log_inverse_level=level,
        bins=BINS,
        levels=LEVELS,
    )


@cache
def allows_half(held: int, level: float) -> bool:
    said = failure_interval(held, bins=BINS, rows=ROWS, log_inverse_level=level, levels=LEVELS)
    return 0.5 in said


def overfits(level_of: Level, rng: np.random.Generator) -> bool:
    """Whether one analyst, who learns labels that are coin tosses, gets any wrong answer.

    He asks how well each feature agrees with the label, guessing ½; then how often the weighted
    vote of the features does, guessing ½, and guessing that it is nearly always right. Labels are
    independent of features, so the truth is ½ for every question.
    """
    features = rng.integers(0, LEVELS + 1, size=(ROWS, FEATURES))
    labels = rng.choice([False, True], size=ROWS)
    agreement = np.where(labels[:, None], features, LEVELS - features).sum(axis=0)
    past, right = Transcript(), True
    weights = np.zeros(FEATURES)

    def ask(check: GuessAndCheck, total: int) -> Checked:
        nonlocal past, right
        outcome = check.release(Exact(total), rng=RNG)
        if isinstance(outcome, Passed):
            right = right and abs(HALF - check.guess) <= check.tolerance
            past = past.passed()
        else:
            right = right and allows_half(outcome.bin, level_of(past))
            past = past.failed(bins=BINS)
        return outcome

    for j in range(FEATURES):
        outcome = ask(doubtful(level_of(past)), int(agreement[j]))
        if isinstance(outcome, Failed):
            weights[j] = (2 * outcome.bin + 1) / (2 * BINS) - 0.5
    vote = (2 * features - LEVELS) @ weights > 0
    total = LEVELS * int((vote == labels).sum())
    ask(doubtful(level_of(past)), total)
    bold = (Fraction(1), Fraction(9, 20))
    if acceptance(
        rows=ROWS,
        guess=bold[0],
        tolerance=bold[1],
        log_inverse_level=level_of(past),
        levels=LEVELS,
    ):
        ask(made_at(*bold, level_of(past)), total)
    return not right


def wrong_sessions(level_of: Level) -> int:
    rng = np.random.default_rng(31)
    return sum(overfits(level_of, rng) for _ in range(SESSIONS))


@statistical(false_alarm=FALSE_ALARM)
def test_an_analyst_who_overfits_gets_no_wrong_answer_unless_pasts_are_not_counted() -> None:
    promised = float(BETA)
    kept = wrong_sessions(honest)
    broken = wrong_sessions(careless)

    assert excess_p_value(kept, trials=SESSIONS, probability=promised) > FALSE_ALARM
    assert excess_p_value(broken, trials=SESSIONS, probability=promised) < FALSE_ALARM

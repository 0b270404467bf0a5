"""The audit of ε: its ends against exact binomial sums, and what it makes of counts."""

from __future__ import annotations

from math import e, exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import betainc, mpf, workdps

from holdfast.core.errors import InvalidInput
from holdfast.testing.epsilon import Chance, chance, epsilon_floor

trials_and_hits = st.integers(1, 400).flatmap(
    lambda trials: st.tuples(st.just(trials), st.integers(0, trials))
)
levels = st.sampled_from([0.5, 1e-2, 1e-6, 1e-9, 1e-12])


def reaches(hits: int, trials: int, probability: float) -> mpf:
    """Pr[Binomial ≥ hits], by the incomplete beta function."""
    return betainc(hits, trials - hits + 1, 0, mpf(probability), regularized=True)


@given(drawn=trials_and_hits, false_alarm=levels)
def test_beyond_an_end_counts_would_be_rarer_than_half_the_false_alarm(
    drawn: tuple[int, int], false_alarm: float
) -> None:
    trials, hits = drawn
    ends = chance(hits, trials=trials, false_alarm=false_alarm)

    assert 0 <= ends.low <= hits / trials <= ends.high <= 1
    with workdps(40):
        if hits:
            assert reaches(hits, trials, ends.low) <= mpf(false_alarm) / 2 * (1 + mpf(1e-9))
        else:
            assert ends.low == 0
        if hits < trials:
            below = reaches(trials - hits, trials, 1 - ends.high)
            assert below <= mpf(false_alarm) / 2 * (1 + mpf(1e-9))
        else:
            assert ends.high == 1


@pytest.mark.parametrize("hits", [1, 20, 500, 980, 999])
def test_the_ends_are_no_further_than_chernoff_puts_them(hits: int) -> None:
    """At an end, e^{−m·KL} is the share of the false alarm: neither more nor less."""
    trials, false_alarm = 1000, 1e-6
    ends = chance(hits, trials=trials, false_alarm=false_alarm)
    share = hits / trials
    for end in (ends.low, ends.high):
        kl = share * log(share / end) + (1 - share) * log((1 - share) / (1 - end))
        assert exp(-trials * kl) == pytest.approx(false_alarm / 2, rel=1e-6)


def test_the_floor_of_counts_as_they_are_expected_lies_below_the_loss() -> None:
    """Randomised response with ε = 1: counts of 100,000 draws leave little room."""
    trials = 100_000
    yes = round(trials * e / (1 + e))
    floor = epsilon_floor(yes, trials - yes, trials=trials, false_alarm=1e-9)

    assert 0.95 < floor < 1
    assert epsilon_floor(trials - yes, yes, trials=trials, false_alarm=1e-9) < -1


def test_more_draws_and_a_larger_false_alarm_raise_the_floor() -> None:
    few = epsilon_floor(80, 20, trials=100, false_alarm=1e-9)
    assert few < epsilon_floor(80, 20, trials=100, false_alarm=1e-3)
    assert few < epsilon_floor(800, 200, trials=1000, false_alarm=1e-9)


def test_what_never_happened_tells_nothing() -> None:
    assert epsilon_floor(0, 0, trials=100, false_alarm=1e-9) == -inf
    assert epsilon_floor(0, 100, trials=100, false_alarm=1e-9) == -inf
    assert epsilon_floor(100, 0, trials=100, false_alarm=1e-9) > 0


def test_the_complement_turns_round() -> None:
    assert Chance(low=0.25, high=0.5).complement == Chance(low=0.5, high=0.75)


@pytest.mark.parametrize(
    ("hits", "trials", "false_alarm"),
    [(-1, 10, 0.1), (11, 10, 0.1), (0, 0, 0.1), (1, 2, 0.0), (1, 2, 1.0), (1, 2, float("nan"))],
)
def test_absurd_counts_are_refused(hits: int, trials: int, false_alarm: float) -> None:
    with pytest.raises(InvalidInput):
        chance(hits, trials=trials, false_alarm=false_alarm)

"""Filters and the odometer: exact sums, formulas against mpmath, and what they are good for."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mp, mpf, sqrt, workdps

from peekproof.accounting.filters import (
    Admitted,
    ApproxFilter,
    ApproxSpent,
    Odometer,
    PureFilter,
    Refused,
    ZCDPFilter,
    largest_squares,
)
from peekproof.core.charge import ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import excess_p_value, statistical

amounts = st.fractions(Fraction(1, 10**9), 10)
levels = st.fractions(Fraction(1, 10**12), Fraction(999, 1000))


def exactly(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


@given(charges=st.lists(amounts, min_size=1, max_size=20), order=st.randoms(use_true_random=False))
def test_sums_are_exact_and_their_order_does_not_matter(
    charges: list[Fraction], order: Random
) -> None:
    limit = sum(charges, Fraction(0))
    shuffled = list(charges)
    order.shuffle(shuffled)
    pure, zcdp = PureDP(Fraction(0)), ZCDP(Fraction(0))
    for charge in shuffled:
        first = PureFilter(PureDP(limit)).admit(PureDP(charge), spent=pure)
        second = ZCDPFilter(ZCDP(limit)).admit(ZCDP(charge), spent=zcdp)
        assert isinstance(first, Admitted)
        assert isinstance(second, Admitted)
        pure, zcdp = first.spent, second.spent

    assert pure.epsilon == zcdp.rho == limit
    crumb = Fraction(1, 10**40)
    assert PureFilter(PureDP(limit)).admit(PureDP(crumb), spent=pure) == Refused(PureDP(limit))
    assert ZCDPFilter(ZCDP(limit)).admit(ZCDP(crumb), spent=zcdp) == Refused(ZCDP(limit))


@given(epsilon=st.fractions(Fraction(1, 10**6), 100), slack=levels)
def test_the_limit_on_squares_solves_the_inequality_and_wastes_nothing(
    epsilon: Fraction, slack: Fraction
) -> None:
    limit = ApproxDP(epsilon=epsilon, delta=Fraction(1))
    squares = largest_squares(limit, slack=slack)
    with workdps(50):

        def loss(total: mpf) -> mpf:
            return sqrt(2 * log(1 / exactly(slack)) * total) + total / 2

        assert loss(exactly(squares)) <= exactly(epsilon)
        assert loss(exactly(squares) * (1 + mpf(10) ** -10)) > exactly(epsilon)


def test_the_approximate_filter_admits_what_fits_and_not_more() -> None:
    limit = ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**5))
    gate = ApproxFilter(limit=limit, slack=Fraction(1, 10**6))
    cost = ApproxDP(epsilon=Fraction(1, 100), delta=Fraction(0))
    affordable = int(largest_squares(limit, slack=gate.slack) / cost.epsilon**2)
    spent = ApproxSpent()
    admitted = 0
    while isinstance(verdict := gate.admit(cost, spent=spent), Admitted):
        spent = verdict.spent
        admitted += 1

    assert admitted == affordable
    assert admitted > 300  # basic composition would stop at 100
    assert isinstance(gate.admit(cost, spent=spent), Refused)


def test_deltas_are_counted_too() -> None:
    limit = ApproxDP(epsilon=Fraction(5), delta=Fraction(3, 10**6))
    gate = ApproxFilter(limit=limit, slack=Fraction(1, 10**6))
    cost = ApproxDP(epsilon=Fraction(1, 1000), delta=Fraction(1, 10**6))
    spent = ApproxSpent(delta=Fraction(1, 10**6))

    assert isinstance(last := gate.admit(cost, spent=spent), Admitted)
    assert isinstance(gate.admit(cost, spent=last.spent), Refused)


@pytest.mark.parametrize("slack", [Fraction(0), Fraction(1), Fraction(2, 10**5)])
def test_slack_must_fit_into_delta(slack: Fraction) -> None:
    with pytest.raises(InvalidInput, match="slack"):
        ApproxFilter(limit=ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**5)), slack=slack)


@given(
    spent=st.fractions(0, 10**6),
    first=st.fractions(Fraction(1, 10**6), 10),
    delta=levels,
)
def test_readings_follow_the_formula(spent: Fraction, first: Fraction, delta: Fraction) -> None:
    reading = Odometer(delta=delta, first=ZCDP(first)).read(ZCDP(spent))
    level = 0
    while first * 2**level < spent:
        level += 1
    with workdps(50):
        rho = exactly(first) * 2**level
        share = exactly(delta) * 6 / (mp.pi * (level + 1)) ** 2
        exact = rho + 2 * sqrt(rho * log(1 / share))
        assert exact <= exactly(reading.epsilon) <= exact * (1 + mpf(10) ** -10)
    assert reading.delta == delta


def test_odometers_need_a_start_and_a_level() -> None:
    with pytest.raises(InvalidInput, match="first"):
        Odometer(delta=Fraction(1, 10), first=ZCDP(Fraction(0)))
    with pytest.raises(InvalidInput, match="delta"):
        Odometer(delta=Fraction(0), first=ZCDP(Fraction(1)))


WALKS, STEPS, DELTA, RHO = 4_000, 2_000, Fraction(1, 10), Fraction(1, 1000)
FALSE_ALARM = 1e-9


def losses(seed: int) -> np.ndarray:
    """Privacy losses of conversations of Gaussian answers, each ρ-zCDP: drift ρ, variance 2ρ."""
    rho = float(RHO)
    steps = np.random.default_rng(seed).normal(rho, np.sqrt(2 * rho), (WALKS, STEPS))
    return np.asarray(steps.cumsum(axis=1))


@statistical(false_alarm=FALSE_ALARM)
def test_no_reading_is_ever_too_small_and_a_fixed_time_bound_is() -> None:
    """The mutant reads each moment at the full δ, as if only that moment were looked at."""
    walks = losses(seed=3)
    odometer = Odometer(delta=DELTA, first=ZCDP(RHO))
    spent = [RHO * step for step in range(1, STEPS + 1)]
    readings = np.array([float(odometer.read(ZCDP(each)).epsilon) for each in spent])
    totals = np.array([float(each) for each in spent])
    naive = totals + 1.2816 * np.sqrt(2 * totals)  # the exact 90 % point of the loss at that time

    exceeded = int((walks > readings).any(axis=1).sum())
    exceeded_naive = int((walks > naive).any(axis=1).sum())
    delta = float(DELTA)
    assert excess_p_value(exceeded, trials=WALKS, probability=delta) > FALSE_ALARM
    assert excess_p_value(exceeded_naive, trials=WALKS, probability=delta) < FALSE_ALARM

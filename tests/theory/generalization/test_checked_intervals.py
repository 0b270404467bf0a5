"""Checked guesses: exact binomials, every total tried by hand, and the ends at 50 digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, inf, log, nan, nextafter, sqrt
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import log as mp_log
from mpmath import mpf, mpmathify, workdps

from peekproof.core.certificate import Interval
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.checking import (
    acceptance,
    best_failure_bins,
    check_bins,
    checked_interval,
    failure_interval,
    least_tolerance,
)
from peekproof.theory.generalization.description_length import chernoff_interval

log_levels = st.floats(0.7, 60.0)
shares = st.fractions(0, 1, max_denominator=10**6)
tolerances = st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6)


# One interval ----------------------------------------------------------------------------------


@settings(max_examples=30)
@given(rows=st.integers(1, 10**9), levels=st.integers(1, 1000), log_level=log_levels, at=shares)
def test_the_ends_solve_the_divergence_at_fifty_digits(
    rows: int, levels: int, log_level: float, at: Fraction
) -> None:
    total = round(at * rows * levels)
    found = checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)
    with workdps(50):
        m = mpmathify(Fraction(total, rows * levels))
        exponent = (mpf(log_level) + mp_log(2)) / rows

        def divergence(p: mpf) -> mpf:
            parts = ((m, p), (1 - m, 1 - p))
            return sum((a * mp_log(a / b) for a, b in parts if a > 0), mpf(0))

        for end, inside in ((mpf(found.low), 1), (mpf(found.high), -1)):
            if 0 < end < 1:
                shift = abs(end - m) * mpf("1e-9") + mpf("1e-15")
                assert divergence(end) >= exponent
                assert abs(end - m) <= shift or divergence(end + inside * shift) <= exponent
        near = mpf("1e-11")  # an end nearer to 0 or 1 may be rounded to it
        assert found.low > 0 or m <= near or divergence(near) <= exponent
        assert found.high < 1 or 1 - m <= near or divergence(1 - near) <= exponent
        assert Fraction(found.low) <= Fraction(total, rows * levels) <= Fraction(found.high)


def miss(p: Fraction, intervals: list[Interval]) -> Fraction:
    """Pr[p outside the interval of a Binomial(n, p)], exactly."""
    n = len(intervals) - 1
    outside = (
        heads
        for heads, interval in enumerate(intervals)
        if not Fraction(interval.low) <= p <= Fraction(interval.high)
    )
    return sum((comb(n, c) * p**c * (1 - p) ** (n - c) for c in outside), Fraction(0))


@pytest.mark.parametrize("rows", [1, 2, 7, 23, 60])
def test_exact_binomials_miss_no_more_than_the_level_and_a_cheat_more(rows: int) -> None:
    biases = [Fraction(i, 83) for i in range(1, 83)]
    for level in (0.4, 0.1, 0.01):
        honest, cheat = (
            [checked_interval(c, rows=rows, log_inverse_level=claimed) for c in range(rows + 1)]
            # The mutant: the level is not divided by the number of possible pasts.
            for claimed in (-log(level), max(0.7, -log(20 * level)))
        )
        assert max(miss(p, honest) for p in biases) <= Fraction(level)
        if rows >= 23 and level < 0.05:
            assert max(miss(p, cheat) for p in biases) > Fraction(level)


@given(rows=st.integers(1, 400), log_level=log_levels)
@settings(max_examples=15)
def test_both_ends_grow_with_the_total(rows: int, log_level: float) -> None:
    found = [
        checked_interval(c, rows=rows, log_inverse_level=log_level)
        for c in range(0, rows + 1, 1 + rows // 50)
    ]
    for less, more in pairwise(found):
        assert less.low <= more.low
        assert less.high <= more.high


# Which totals pass -----------------------------------------------------------------------------


def passing(
    interval: Callable[[int], Interval], *, units: int, guess: Fraction, tolerance: Fraction
) -> list[int]:
    """All totals whose interval lies within the tolerance, tried one by one."""
    low, high = max(Fraction(0), guess - tolerance), min(Fraction(1), guess + tolerance)
    return [
        total
        for total in range(units + 1)
        for found in [interval(total)]
        if low <= Fraction(found.low) and Fraction(found.high) <= high
    ]


@settings(max_examples=40)
@given(
    rows=st.integers(1, 70),
    levels=st.integers(1, 3),
    guess=shares,
    tolerance=tolerances,
    log_level=log_levels,
)
def test_the_totals_that_pass_are_the_ones_found_by_trying(
    rows: int, levels: int, guess: Fraction, tolerance: Fraction, log_level: float
) -> None:
    def interval(total: int) -> Interval:
        return checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)

    tried = passing(interval, units=rows * levels, guess=guess, tolerance=tolerance)
    found = acceptance(
        rows=rows, guess=guess, tolerance=tolerance, log_inverse_level=log_level, levels=levels
    )

    assert list(found or ()) == tried
    assert (found is None) == (not tried)


@settings(max_examples=40)
@given(
    rows=st.integers(1, 10**12),
    levels=st.sampled_from([1, 1000]),
    guess=shares,
    tolerance=tolerances,
    log_level=log_levels,
)
def test_at_any_size_the_first_and_last_pass_and_their_neighbours_do_not(
    rows: int, levels: int, guess: Fraction, tolerance: Fraction, log_level: float
) -> None:
    found = acceptance(
        rows=rows, guess=guess, tolerance=tolerance, log_inverse_level=log_level, levels=levels
    )
    least = least_tolerance(rows=rows, guess=guess, log_inverse_level=log_level, levels=levels)
    ulps = Fraction(1, 10**12)
    if found is None:
        assert tolerance < least + ulps
        return
    assert tolerance >= least - ulps
    units, far = rows * levels, rows * levels // 10**11 + 1

    def fits(total: int) -> bool:
        here = checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)
        return bool(
            max(Fraction(0), guess - tolerance) <= Fraction(here.low)
            and Fraction(here.high) <= min(Fraction(1), guess + tolerance)
        )

    assert fits(found[0])
    assert fits(found[-1])
    assert found[0] < far or not fits(found[0] - far)
    assert found[-1] + far > units or not fits(found[-1] + far)


@settings(max_examples=40)
@given(rows=st.integers(1, 70), levels=st.integers(1, 3), guess=shares, log_level=log_levels)
def test_the_least_tolerance_is_the_least_and_something_passes_there(
    rows: int, levels: int, guess: Fraction, log_level: float
) -> None:
    needed = []
    for total in range(rows * levels + 1):
        here = checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)
        needed.append(max(guess - Fraction(here.low), Fraction(here.high) - guess))
    least = least_tolerance(rows=rows, guess=guess, log_inverse_level=log_level, levels=levels)

    def passes(tolerance: Fraction) -> range | None:
        return acceptance(
            rows=rows, guess=guess, tolerance=tolerance, log_inverse_level=log_level, levels=levels
        )

    assert least == min(needed)
    assert passes(least) is not None
    assert passes(least - Fraction(1, 10**9)) is None


def test_a_check_is_prepared_in_milliseconds() -> None:
    start = perf_counter()
    for i in range(1, 20):
        acceptance(
            rows=10**6, guess=Fraction(i, 20), tolerance=Fraction(1, 50), log_inverse_level=40.0
        )
    assert (perf_counter() - start) / 19 < 0.02


# Failures --------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(rows=st.integers(1, 60), levels=st.integers(1, 3), log_level=log_levels, data=st.data())
def test_a_failure_allows_what_the_totals_in_its_bin_allow(
    rows: int, levels: int, log_level: float, data: st.DataObject
) -> None:
    units = rows * levels
    bins = data.draw(st.integers(1, units + 1))
    held = data.draw(st.integers(0, bins - 1))
    found = failure_interval(held, bins=bins, rows=rows, log_inverse_level=log_level, levels=levels)
    each = [
        checked_interval(total, rows=rows, log_inverse_level=log_level, levels=levels)
        for total in range(units + 1)
        if min(bins - 1, total * bins // units) == held
    ]

    assert found.low == min(interval.low for interval in each)
    assert found.high == max(interval.high for interval in each)


@given(rows=st.integers(1, 3000), log_level=log_levels, levels=st.integers(1, 2))
def test_no_number_of_bins_serves_better(rows: int, log_level: float, levels: int) -> None:
    def width(bins: int) -> float:
        return 1 / (2 * bins) + sqrt((log_level + log(2) + log(bins)) / (2 * rows))

    best = best_failure_bins(rows=rows, log_inverse_level=log_level, levels=levels)

    assert 2 <= best <= rows * levels + 1
    least = min(map(width, range(2, min(rows * levels + 1, 1200) + 1)))
    assert width(best) <= least * (1 + 1e-12)


def test_even_absurdly_many_rows_have_a_number_of_bins() -> None:
    assert best_failure_bins(rows=10**400, log_inverse_level=50.0) > 10**200


# Refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "log_level", [0.5, -1.0, nan, inf, 1e300, 3, True, nextafter(log(2), 0), Fraction(3)]
)
def test_levels_above_a_half_and_nonsense_are_refused(log_level: float) -> None:
    third = Fraction(1, 3)
    for refused in (
        lambda: checked_interval(3, rows=10, log_inverse_level=log_level),
        lambda: acceptance(rows=10, guess=third, tolerance=third, log_inverse_level=log_level),
        lambda: least_tolerance(rows=10, guess=third, log_inverse_level=log_level),
        lambda: failure_interval(0, bins=2, rows=10, log_inverse_level=log_level),
        lambda: best_failure_bins(rows=10, log_inverse_level=log_level),
    ):
        with pytest.raises(InvalidInput, match=r"^log_inverse_level must be"):
            refused()


def test_the_largest_level_is_a_half() -> None:
    found = checked_interval(5, rows=10, log_inverse_level=log(2))

    assert found == chernoff_interval(Fraction(1, 2), rows=10, beta=Fraction(1, 2))


@pytest.mark.parametrize("total", [-1, 11, 2.5, True])
def test_totals_that_cannot_be_are_refused(total: int) -> None:
    with pytest.raises(InvalidInput, match=r"^total must be"):
        checked_interval(total, rows=10, log_inverse_level=3.0)


@pytest.mark.parametrize("bins", [0, 12, 1.5])
def test_bins_that_hold_no_total_are_refused(bins: int) -> None:
    with pytest.raises(InvalidInput, match=r"^bins must be"):
        failure_interval(0, bins=bins, rows=10, log_inverse_level=3.0)
    with pytest.raises(InvalidInput, match=r"^bins must be"):
        check_bins(bins, units=10)


def test_other_nonsense_is_refused() -> None:
    half = Fraction(1, 2)
    for refused in (
        lambda: checked_interval(0, rows=0, log_inverse_level=3.0),
        lambda: checked_interval(0, rows=1, log_inverse_level=3.0, levels=0),
        lambda: failure_interval(2, bins=2, rows=10, log_inverse_level=3.0),
        lambda: failure_interval(-1, bins=2, rows=10, log_inverse_level=3.0),
        lambda: acceptance(rows=9, guess=2 * half + half, tolerance=half, log_inverse_level=3.0),
        lambda: acceptance(rows=9, guess=half, tolerance=0 * half, log_inverse_level=3.0),
        lambda: least_tolerance(rows=9, guess=-half, log_inverse_level=3.0),
        lambda: best_failure_bins(rows=0, log_inverse_level=3.0),
    ):
        with pytest.raises(InvalidInput):
            refused()

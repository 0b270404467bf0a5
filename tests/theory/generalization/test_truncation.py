"""T-truncation: counted by hand, reproduced from an independent map, and the best bins."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, sqrt
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.description_length import chernoff_interval
from peekproof.theory.generalization.truncation import (
    best_bins,
    truncation_certificate,
    truncation_interval,
)
from theory.generalization.radius_map import RADII


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


@given(rows=st.integers(1, 10**9), bins=st.integers(1, 500), questions=st.integers(1, 40))
def test_the_radius_is_half_a_bin_and_the_count(rows: int, bins: int, questions: int) -> None:
    certificate = truncation_certificate(rows=rows, bins=bins, target=target(questions))
    counted = sum(bins**before for before in range(questions))
    by_hand = 1 / (2 * bins) + min(1, sqrt(log(40 * counted) / (2 * rows)))

    assert certificate.radius == pytest.approx(min(1, by_hand), rel=1e-9)
    assert certificate.theorems == ("T-truncation", "T-length")
    assert len(certificate.citations()) == 2


@pytest.mark.parametrize(("rows", "questions"), RADII)
def test_the_best_radius_is_the_one_of_the_map(rows: int, questions: int) -> None:
    bins = best_bins(rows=rows, target=target(questions))
    found = truncation_certificate(rows=rows, bins=bins, target=target(questions)).radius

    assert found == pytest.approx(RADII[rows, questions][1], rel=2e-4)


@pytest.mark.parametrize(("rows", "questions"), [(1, 1), (3, 2), (50, 1), (300, 2), (2000, 7)])
def test_no_number_of_bins_is_better(rows: int, questions: int) -> None:
    def radius(bins: int) -> float:
        return truncation_certificate(rows=rows, bins=bins, target=target(questions)).radius

    best = radius(best_bins(rows=rows, target=target(questions)))
    assert best <= min(map(radius, range(2, max(3, rows + 1)))) * (1 + 1e-6)


def test_planning_takes_milliseconds_at_any_size() -> None:
    start = perf_counter()
    for rows, questions in product((10, 10**9, 10**18), (1, 10**6, 10**12)):
        best_bins(rows=rows, target=target(questions))
    assert perf_counter() - start < 0.5


@given(
    midpoint=st.fractions(0, 1),
    rows=st.integers(1, 10**7),
    bins=st.integers(2, 99),
    questions=st.integers(1, 50),
)
def test_an_interval_is_never_wider_than_the_radius(
    midpoint: Fraction, rows: int, bins: int, questions: int
) -> None:
    interval = truncation_interval(midpoint, rows=rows, bins=bins, target=target(questions))
    radius = truncation_certificate(rows=rows, bins=bins, target=target(questions)).radius

    assert interval.low <= midpoint <= interval.high
    assert interval.low >= midpoint - radius - 1e-9
    assert interval.high <= midpoint + radius + 1e-9


def test_an_interval_near_0_is_much_narrower() -> None:
    bins, promise = 26, target(100)
    low = truncation_interval(Fraction(1, 52), rows=10_000, bins=bins, target=promise)
    counted = sum(bins**before for before in range(100))
    same = chernoff_interval(
        Fraction(1, 52), rows=10_000, beta=promise.beta / counted, within=Fraction(1, 52)
    )

    assert (low.low, low.high) == pytest.approx((same.low, same.high), rel=1e-9)
    assert low.high - low.low < 0.75 * 0.146957


@pytest.mark.parametrize("nonsense", [{"rows": 0}, {"bins": 0}, {"bins": -3}, {"bins": True}])
def test_nonsense_is_refused(nonsense: dict[str, int]) -> None:
    given_ = {"rows": 10, "bins": 4} | nonsense
    with pytest.raises(InvalidInput):
        truncation_certificate(**given_, target=target(3))
    with pytest.raises(InvalidInput):
        truncation_interval(Fraction(1, 2), **given_, target=target(3))


def test_no_rows_have_no_best_bins() -> None:
    with pytest.raises(InvalidInput):
        best_bins(rows=0, target=target(3))

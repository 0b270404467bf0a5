"""T-ladder: transcripts against brute force, and never wider than the published bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, exp, log, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Interval, Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.description_length import chernoff_interval
from peekproof.theory.generalization.ladder import (
    improvement_certificate,
    ladder_certificate,
    ladder_interval,
    log_ladder_transcripts,
)

Climb = Callable[[int, Fraction], int]


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


def climb(best: int, score: Fraction) -> int:
    """The next best from the definition; both in steps, halves rounded upward."""
    return int(score + Fraction(1, 2)) if score > best + 1 else best


def eager(best: int, score: Fraction) -> int:
    """A wrong ladder, on which any gain that rounding shows counts."""
    return max(best, int(score + Fraction(1, 2)))


def transcripts(cells: int, rows: int, questions: int, step: Climb) -> int:
    """How many transcripts can precede any of the questions, found by walking through them."""
    scores = [Fraction(count * cells, rows) for count in range(rows + 1)]
    reached: set[tuple[int, ...]] = {(0,)}
    total = 0
    for _ in range(questions):
        total += len(reached)
        reached = {(*path, step(path[-1], score)) for path in reached for score in scores}
    return total


@pytest.mark.parametrize(
    ("cells", "questions"), [(2, 1), (2, 2), (2, 6), (3, 5), (4, 5), (5, 4), (7, 3)]
)
def test_brute_force_finds_as_many_transcripts(cells: int, questions: int) -> None:
    counted = exp(log_ladder_transcripts(cells=cells, questions=questions))

    for rows in (4 * cells, 4 * cells + 3):
        assert counted == pytest.approx(transcripts(cells, rows, questions, climb), rel=1e-9)
    assert transcripts(cells, cells, questions, climb) <= counted * (1 + 1e-9)
    if questions > 2:
        assert transcripts(cells, 4 * cells, questions, eager) > counted * (1 + 1e-9)


@given(cells=st.integers(2, 60), questions=st.integers(1, 60))
def test_the_sum_over_improvements_is_the_closed_form(cells: int, questions: int) -> None:
    total = sum(
        comb(m, j) * (comb(cells - 1, j) + (comb(cells - 2, j - 1) if j else 0))
        for m in range(questions)
        for j in range(m + 1)
    )
    found = log_ladder_transcripts(cells=cells, questions=questions)

    assert log(total) <= found <= log(total) + 1e-9 * (1 + log(total))


@given(cells=st.integers(1001, 1500), questions=st.integers(1001, 1500))
def test_large_counts_are_bounded_from_above_and_closely(cells: int, questions: int) -> None:
    top = questions + cells - 1
    exact = log(comb(top, cells) + comb(top - 1, cells))

    assert exact < log_ladder_transcripts(cells=cells, questions=questions) < exact + 6


@given(cells=st.integers(2, 10**6), questions=st.integers(1, 10**12))
def test_it_is_never_wider_than_the_published_bound(cells: int, questions: int) -> None:
    """Published: Pr[any |R_t − best| > ε + η] ≤ exp(−2ε²n + (1/η + 2)·ln(4k/η) + 1)."""
    ours = log(2) + log_ladder_transcripts(cells=cells, questions=questions)
    published = (cells + 2) * log(4 * questions * cells) + 1
    assert ours < published

    rows = 10**9
    certificate = ladder_certificate(rows=rows, step=Fraction(1, cells), target=target(questions))
    theirs = 1 / cells + sqrt((published + log(20)) / (2 * rows))
    assert certificate.radius <= theirs


@given(rows=st.integers(2, 10**7), cells=st.integers(2, 300), questions=st.integers(1, 1000))
def test_the_parts_add_up(rows: int, cells: int, questions: int) -> None:
    cells = min(cells, rows)
    step = Fraction(1, cells)
    best = ladder_certificate(rows=rows, step=step, target=target(questions))
    shown = improvement_certificate(rows=rows, step=step, target=target(questions))
    top = questions + cells - 1
    counted = comb(top, cells) + comb(top - 1, cells)
    sampling = min(1, sqrt(log(40 * counted) / (2 * rows)))

    assert best.radius == pytest.approx(min(1, 1 / cells + sampling), rel=1e-9)
    assert shown.radius == pytest.approx(min(1, 0.5 / cells + sampling), rel=1e-9)
    assert best.theorems == ("T-ladder", "T-length")
    assert shown.theorems == ("T-ladder-improvement", "T-length")
    assert any("leaderboard" in line for line in best.citations())


@given(
    rows=st.integers(2, 10**6),
    cells=st.integers(2, 100),
    questions=st.integers(1, 200),
    rung=st.integers(0, 100),
)
def test_intervals_are_no_wider_than_the_radius(
    rows: int, cells: int, questions: int, rung: int
) -> None:
    cells = min(cells, rows)
    best, step = Fraction(min(rung, cells), cells), Fraction(1, cells)
    certificate = ladder_certificate(rows=rows, step=step, target=target(questions))
    shape = ladder_interval(best, rows=rows, step=step, above=step, target=target(questions))
    sampling = certificate.parts[1].radius

    assert shape.low <= best <= shape.high
    assert shape.low >= best - step / 2 - Fraction(sampling) - Fraction(1, 10**9)
    assert shape.high <= best + step + Fraction(sampling) + Fraction(1, 10**9)
    joined = certificate.interval(best)
    assert (joined.low, joined.high) == pytest.approx((shape.low, shape.high), abs=1e-9)


def test_the_ends_are_those_of_the_shares_that_the_sample_may_have() -> None:
    """Half a step below the best, and a step above it, or half for an improvement."""
    best, step, promise = Fraction(7, 10), Fraction(1, 20), target(4)
    counted = comb(4 + 19, 20) + comb(4 + 18, 20)

    def exactly(share: Fraction) -> Interval:
        return chernoff_interval(share, rows=5000, beta=promise.beta / counted)

    low = exactly(best - step / 2).low
    for certify, above in ((ladder_certificate, step), (improvement_certificate, step / 2)):
        found = certify(rows=5000, step=step, target=promise).interval(best)
        assert found.low == pytest.approx(low, abs=1e-9)
        assert found.high == pytest.approx(exactly(best + above).high, abs=1e-9)


def test_near_0_and_1_intervals_are_much_narrower() -> None:
    step, promise = Fraction(1, 50), target(1000)
    certificate = improvement_certificate(rows=10_000, step=step, target=promise)
    high, middle = (certificate.interval(best) for best in (Fraction(49, 50), Fraction(1, 2)))

    assert high.high - high.low < 0.6 * (middle.high - middle.low)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"rows": 0},
        {"rows": 9},
        {"rows": True},
        {"step": Fraction(1)},
        {"step": Fraction(0)},
        {"step": Fraction(2, 5)},
        {"step": Fraction(1, 101)},
        {"step": 0.1},
    ],
)
def test_nonsense_is_refused(nonsense: dict[str, object]) -> None:
    given_: dict[str, Any] = {"rows": 100, "step": Fraction(1, 10), "target": target(5)}
    given_ |= nonsense
    for certify in (ladder_certificate, improvement_certificate):
        with pytest.raises(InvalidInput):
            certify(**given_)
    with pytest.raises(InvalidInput):
        ladder_interval(Fraction(1, 2), above=Fraction(1, 10), **given_)


@pytest.mark.parametrize("nonsense", [{"cells": 1}, {"cells": 0}, {"questions": 0}])
def test_counts_of_nonsense_are_refused(nonsense: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        log_ladder_transcripts(**({"cells": 3, "questions": 3} | nonsense))
    with pytest.raises(InvalidInput):
        log_ladder_transcripts(cells=3, questions=10**101)

"""T-split: floors, levels, the map, and exact coverage under an analyst who adapts."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.description_length import chernoff_interval
from peekproof.theory.generalization.splitting import (
    rows_per_round,
    split_certificate,
    split_interval,
)
from theory.generalization.radius_map import RADII


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


@given(rows=st.integers(1, 10**9), rounds=st.integers(1, 10**5), questions=st.integers(1, 10**6))
def test_each_round_has_its_share_of_rows_rounded_down(
    rows: int, rounds: int, questions: int
) -> None:
    if rounds > rows:
        with pytest.raises(InvalidInput, match=r"^rounds must be at most the number of rows"):
            split_certificate(rows=rows, rounds=rounds, target=target(questions))
        return
    each = rows_per_round(rows=rows, rounds=rounds)
    assert each * rounds <= rows < (each + 1) * rounds

    certificate = split_certificate(rows=rows, rounds=rounds, target=target(questions))
    by_hand = sqrt(log(2 * questions / 0.05) / (2 * each))
    assert certificate.radius == pytest.approx(min(1, by_hand), rel=1e-9)
    assert certificate.radius >= min(1, by_hand * (1 - 1e-15))
    assert certificate.theorems == ("T-split",)


@pytest.mark.parametrize(("rows", "questions"), RADII)
def test_one_question_a_round_is_the_map(rows: int, questions: int) -> None:
    found = split_certificate(rows=rows, rounds=questions, target=target(questions)).radius
    assert found == pytest.approx(RADII[rows, questions][0], abs=6e-7)


def test_one_round_is_hoeffding_for_all_questions() -> None:
    # The row of the map for questions that do not adapt: n = 10⁴, k = 1000.
    found = split_certificate(rows=10**4, rounds=1, target=target(1000)).radius
    assert found == pytest.approx(0.023018, abs=6e-7)


@given(
    mean=st.fractions(0, 1),
    rows=st.integers(10, 10**6),
    rounds=st.integers(1, 10),
    questions=st.integers(1, 1000),
)
def test_the_interval_shares_the_level_among_all_questions(
    mean: Fraction, rows: int, rounds: int, questions: int
) -> None:
    promise = target(questions)
    found = split_interval(mean, rows=rows, rounds=rounds, target=promise)
    alone = chernoff_interval(mean, rows=rows // rounds, beta=promise.beta / questions)
    radius = split_certificate(rows=rows, rounds=rounds, target=promise).radius

    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert found.high - found.low <= 2 * radius + 1e-9


def misses(rows: int, rounds: int, promise: Target, *, seen: int) -> float:
    """Pr[some interval misses] when round 2 asks a fair or a rare coin, as round 1 suggests.

    `seen` rows are believed to be in each round; more than there are is the mutant.
    """
    each = rows // rounds

    def miss(bias: Fraction, heads: int) -> bool:
        interval = split_interval(
            Fraction(heads, each), rows=seen * rounds, rounds=rounds, target=promise
        )
        return not Fraction(interval.low) <= bias <= Fraction(interval.high)

    def law(bias: Fraction, heads: int) -> Fraction:
        return comb(each, heads) * bias**heads * (1 - bias) ** (each - heads)

    fair, rare = Fraction(1, 2), Fraction(1, 10)
    second = {
        bias: sum((law(bias, heads) for heads in range(each + 1) if miss(bias, heads)), Fraction(0))
        for bias in (fair, rare)
    }
    total = Fraction(0)
    for heads in range(each + 1):
        later = second[fair] if 2 * heads > each else second[rare]
        total += law(fair, heads) * (1 if miss(fair, heads) else later)
    return float(total)


def test_coverage_is_exact_and_a_forgotten_split_is_caught() -> None:
    promise = Target.of(confidence=0.9, questions=2)

    assert 0 < misses(40, 2, promise, seen=20) <= 0.1
    assert misses(40, 2, promise, seen=80) > 0.1


def test_nonsense_is_refused() -> None:
    for nonsense in ({"rows": 0, "rounds": 1}, {"rows": 5, "rounds": 0}, {"rows": 5, "rounds": 6}):
        with pytest.raises(InvalidInput):
            split_certificate(**nonsense, target=target(3))
        with pytest.raises(InvalidInput):
            split_interval(Fraction(1, 2), **nonsense, target=target(3))

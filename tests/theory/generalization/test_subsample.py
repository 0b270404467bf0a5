"""T-subsample: exact binomials and multinomials, and draws that agree when they say so."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import ceil, log, mpf, mpmathify, workdps

from peekproof.core.errors import InvalidInput
from peekproof.noise.entropy import Seeded, below
from peekproof.testing.statistics import excess_p_value, fit_p_value, statistical
from peekproof.theory.median import agreeing_subsample, subsample_size

FALSE_ALARM = 1e-9


@given(
    questions=st.integers(1, 10**12) | st.integers(2**2000, 2**2001),
    tolerance=st.fractions(Fraction(1, 10**3), 2),
)
def test_the_size_is_the_formula_rounded_up(questions: int, tolerance: Fraction) -> None:
    claimed = subsample_size(questions=questions, tolerance=tolerance)
    with workdps(60):
        needed = log(4 * mpf(questions)) / (2 * mpmathify(tolerance) ** 2)
        assert needed <= claimed <= ceil(needed * (1 + mpf("1e-11")))


def agreement(size: int, tolerance: Fraction, p: Fraction) -> Fraction:
    """Pr[|Binomial(size, p)/size − p| ≤ tolerance], exactly."""
    return sum(
        (
            comb(size, c) * p**c * (1 - p) ** (size - c)
            for c in range(size + 1)
            if abs(Fraction(c, size) - p) <= tolerance
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("tolerance", [Fraction(1, 20), Fraction(1, 8), Fraction(2, 5)])
def test_one_question_agrees_at_least_half_of_the_time(tolerance: Fraction) -> None:
    size = subsample_size(questions=1, tolerance=tolerance)
    least = min(agreement(size, tolerance, Fraction(i, 16)) for i in range(17))
    # The mutant: the tolerance enters once, not squared.
    wrong = max(1, -(-size * tolerance.numerator // tolerance.denominator))

    assert least >= Fraction(1, 2)
    if tolerance < Fraction(1, 10):
        assert min(agreement(wrong, tolerance, Fraction(i, 16)) for i in range(17)) < Fraction(1, 2)


def test_three_questions_agree_at_least_half_of_the_time_by_enumeration() -> None:
    values = ((1, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1))
    tolerance = Fraction(9, 20)
    size = subsample_size(questions=3, tolerance=tolerance)
    agreeing = sum(
        all(
            abs(Fraction(sum(each[row] for row in drawn), size) - Fraction(sum(each), 4))
            <= tolerance
            for each in values
        )
        for drawn in product(range(4), repeat=size)
    )

    assert size == 7
    assert Fraction(agreeing, 4**size) >= Fraction(1, 2)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 40),
    levels=st.sampled_from([1, 7]),
    data=st.data(),
)
def test_what_is_found_agrees_on_every_question(
    seed: int, rows: int, levels: int, data: st.DataObject
) -> None:
    row = st.lists(st.integers(0, levels), min_size=rows, max_size=rows)
    values = data.draw(st.lists(row, min_size=1, max_size=4))
    tolerance = Fraction(1, 4)
    size = subsample_size(questions=len(values), tolerance=tolerance)
    found = agreeing_subsample(
        values,
        size=size,
        tolerance=tolerance,
        below=partial(below, rng=Seeded(seed)),
        levels=levels,
    )

    assert len(found.rows) == size
    assert set(found.rows) <= set(range(rows))
    assert found.attempts >= 1
    for each in values:
        drawn = Fraction(sum(each[i] for i in found.rows), size * levels)
        assert abs(drawn - Fraction(sum(each), rows * levels)) <= tolerance


def test_it_draws_again_until_the_rows_agree() -> None:
    """The first attempt draws row 1 alone, half a unit from the mean; the second both evenly."""
    script = iter([1] * 4 + [0, 1] * 2)
    found = agreeing_subsample(
        [[0, 1]], size=4, tolerance=Fraction(9, 20), below=lambda bound: next(script) % bound
    )

    assert subsample_size(questions=1, tolerance=Fraction(9, 20)) == 4
    assert found.rows == (0, 1, 0, 1)
    assert found.attempts == 2


@statistical(false_alarm=FALSE_ALARM)
def test_a_second_attempt_is_needed_at_most_half_of_the_time() -> None:
    values = [[int(i >> j & 1) for i in range(16)] for j in range(4)]
    tolerance, trials = Fraction(1, 5), 400
    size = subsample_size(questions=4, tolerance=tolerance)
    draw = partial(below, rng=Seeded(11))
    again = sum(
        agreeing_subsample(values, size=size, tolerance=tolerance, below=draw).attempts > 1
        for _ in range(trials)
    )
    # The mutant: a sixth of the rows, which agree far less often.
    few = [[draw(16) for _ in range(size // 6)] for _ in range(trials)]
    apart = sum(
        any(
            abs(Fraction(sum(each[i] for i in drawn), len(drawn)) - Fraction(1, 2)) > tolerance
            for each in values
        )
        for drawn in few
    )

    assert excess_p_value(again, trials=trials, probability=0.5) > FALSE_ALARM
    assert excess_p_value(apart, trials=trials, probability=0.5) < FALSE_ALARM


@statistical(false_alarm=FALSE_ALARM)
def test_rows_are_drawn_evenly() -> None:
    """Every draw agrees here, so nothing is selected; without the last row it would not be even."""
    found = agreeing_subsample(
        [[1] * 5], size=20_000, tolerance=Fraction(1, 2), below=partial(below, rng=Seeded(12))
    )

    assert fit_p_value(found.rows, lambda row: min(5, max(0, row + 1)) / 5) > FALSE_ALARM
    assert fit_p_value(found.rows, lambda row: min(4, max(0, row + 1)) / 4) < FALSE_ALARM


@pytest.mark.parametrize(
    "nonsense",
    [
        {"values": []},
        {"values": [[]]},
        {"values": [[0, 1], [1]]},
        {"values": [[0, 2]]},
        {"values": [[-1, 0]]},
        {"size": 0},
        {"size": 3},
        {"levels": 0},
        {"tolerance": Fraction(0)},
        {"tolerance": 0.5},
    ],
)
def test_nonsense_is_refused(nonsense: dict[str, object]) -> None:
    given_: dict[str, object] = {"values": [[0, 1]], "size": 50, "tolerance": Fraction(1, 3)}
    given_ |= nonsense
    with pytest.raises(InvalidInput):
        agreeing_subsample(**given_, below=partial(below, rng=Seeded(1)))  # type: ignore[arg-type]


def test_no_questions_need_no_size() -> None:
    with pytest.raises(InvalidInput):
        subsample_size(questions=0, tolerance=Fraction(1, 2))

"""The textbook's parameters, and what they are worth."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.guess.median.guesser import MedianParameters

BETA = Fraction(1, 20)


@given(
    rows=st.integers(20, 10**12),
    questions=st.integers(1, 10**9),
    domain_size=st.integers(2, 10**6),
)
def test_they_are_the_formulas(rows: int, questions: int, domain_size: int) -> None:
    found = MedianParameters.lecture(rows=rows, questions=questions, domain_size=domain_size)
    with mpmath.workdps(60):
        close = mpmath.mpf(2) ** -38
        worst = mpmath.log(4 * questions)
        tolerance = (worst / (2 * rows)) ** mpmath.mpf("0.25")
        size = 8 * worst / tolerance**2
        eta = mpmath.mpf(found.tolerance.numerator) / found.tolerance.denominator

        assert tolerance <= eta <= tolerance * (1 + close)
        assert size <= found.size <= mpmath.ceil(size * (1 + close))
        assert mpmath.ceil(8 * mpmath.sqrt(2 * rows * worst)) == mpmath.ceil(size)
        bits = found.size * mpmath.log(domain_size, 2)
        assert bits * (1 - close) <= found.failures <= mpmath.ceil(bits * (1 + close)) + 1
        assert found.within == found.tolerance / 2
        assert found.values == mpmath.ceil(2 / eta)
        assert found.suffice


@pytest.mark.parametrize(
    ("rows", "questions", "domain_size", "size", "failures"),
    [
        # 8√(2·10⁴·ln 4000) = 3258.3, 8√(2·10⁶·ln(4·10⁶)) = 44,111.6; ·log₂ 3 = 1.58496
        (10**4, 10**3, 2, 3259, 3259),
        (10**4, 10**3, 1024, 3259, 32590),
        (10**4, 10**3, 3, 3259, 5166),
        (10**6, 10**6, 2, 44112, 44112),
    ],
)
def test_some_of_them_by_hand(
    rows: int, questions: int, domain_size: int, size: int, failures: int
) -> None:
    found = MedianParameters.lecture(rows=rows, questions=questions, domain_size=domain_size)

    assert (found.size, found.failures) == (size, failures)


def least_useful_rows(*, questions: int, domain_size: int) -> int:
    """The least power of 10^(1/10) from which the textbook's intervals say anything."""
    for tenths in range(45, 90):
        rows = round(10 ** (tenths / 10))
        found = MedianParameters.lecture(rows=rows, questions=questions, domain_size=domain_size)
        if not found.vacuous:
            return rows
    raise AssertionError


def test_they_are_valid_but_vacuous_below_a_million_rows() -> None:
    # The smallest domain there is, and more questions than failures: so that guesses matter.
    assert 3e5 < least_useful_rows(questions=10**6, domain_size=2) < 1.5e6
    assert least_useful_rows(questions=10**6, domain_size=16) > 2e6
    for rows in (10**3, 10**4, 10**5, 3 * 10**5):
        found = MedianParameters.lecture(rows=rows, questions=10**6, domain_size=2)
        assert found.vacuous
        assert found.suffice
        assert found.radius(beta=BETA) >= 0.5


def test_few_questions_are_not_what_they_are_for() -> None:
    # With fewer questions than allowed failures every guess may fail: nothing is saved.
    found = MedianParameters.lecture(rows=10**5, questions=1000, domain_size=2)
    assert found.failures > found.questions
    assert not found.vacuous


@given(
    rows=st.integers(1, 10**9),
    questions=st.integers(1, 10**6),
    failures=st.integers(1, 100),
    tolerance=st.fractions(Fraction(1, 1000), 1, max_denominator=1000),
)
def test_the_radius_is_computed_for_the_numbers_used(
    rows: int, questions: int, failures: int, tolerance: Fraction
) -> None:
    found = MedianParameters(
        rows=rows,
        questions=questions,
        domain_size=2,
        tolerance=tolerance,
        size=100,
        failures=failures,
    )
    with mpmath.workdps(60):
        transcripts = mpmath.fsum(
            mpmath.binomial(questions, j + 1) * mpmath.mpf(found.values) ** j
            for j in range(min(failures, questions - 1) + 1)
        )
        eta = mpmath.mpf(tolerance.numerator) / tolerance.denominator
        sampling = mpmath.sqrt((mpmath.log(transcripts) + mpmath.log(40)) / (2 * rows))
        exact = min(mpmath.mpf(1), eta + min(mpmath.mpf(1), sampling))

        assert exact <= found.radius(beta=BETA) <= exact * (1 + mpmath.mpf("1e-10"))


def test_free_parameters_can_be_far_better() -> None:
    free = MedianParameters(
        rows=10**5,
        questions=10**6,
        domain_size=64,
        tolerance=Fraction(1, 50),
        size=2000,
        failures=20,
    )
    assert free.radius(beta=BETA) < 0.07
    assert not free.vacuous
    assert not free.suffice  # but nothing promises that 20 failures are enough


def test_a_tolerance_above_one_is_cut() -> None:
    found = MedianParameters.lecture(rows=1, questions=10**6, domain_size=2)
    assert found.tolerance == 1
    assert found.values == 2
    assert found.vacuous
    assert found.suffice


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": 0},
        {"questions": 0},
        {"domain_size": 0},
        {"size": 0},
        {"failures": 0},
        {"failures": True},
        {"tolerance": Fraction(0)},
        {"tolerance": Fraction(11, 10)},
        {"tolerance": 0.1},
    ],
)
def test_absurd_parameters_are_refused(wrong: dict[str, object]) -> None:
    good: dict[str, object] = {
        "rows": 10,
        "questions": 10,
        "domain_size": 2,
        "tolerance": Fraction(1, 10),
        "size": 10,
        "failures": 10,
    }
    assert MedianParameters(**good).describe()["tolerance"] == "1/10"  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        MedianParameters(**{**good, **wrong})  # type: ignore[arg-type]
    for name in ("rows", "questions", "domain_size"):
        counts = {"rows": 10, "questions": 10, "domain_size": 2, name: cast("int", 0.5)}
        with pytest.raises(InvalidInput):
            MedianParameters.lecture(**counts)

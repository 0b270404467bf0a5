"""Plans for conversations of guesses that end."""

from fractions import Fraction
from math import log, sqrt

import pytest

from peekproof.audit.guesses import guessed_plan_radius
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import Limit, Options, Past
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.plan import plan, questions_affordable, rows_needed

TARGET = Target(confidence=Fraction(19, 20), questions=1000)
ONLY = (LimitedChecking,)


def radius(rows: int, limit: Limit, target: Target = TARGET) -> float:
    return plan(rows=rows, target=target, mechanisms=ONLY, limit=limit).radius


@pytest.mark.parametrize("failures", [1, 2, 11, 500, 2_000])
def test_it_is_what_guesses_from_half_of_the_rows_are_planned_with(failures: int) -> None:
    """The last failure is free: as wide as a plan for one failure less, which may be answered."""
    planned = guessed_plan_radius(
        rows=10**6, guessing_rows=10**6, target=TARGET, failures=failures - 1
    )
    assert radius(10**6, Limit(failures=failures)) == planned.radius


def test_the_tolerance_is_as_given_or_that_of_two_samples() -> None:
    def tolerance(limit: Limit) -> Fraction:
        found = plan(rows=10_000, target=TARGET, mechanisms=ONLY, limit=limit).mechanism
        assert isinstance(found, LimitedChecking)
        return found.tolerance

    assert tolerance(Limit(failures=2, tolerance=Fraction(1, 30))) == Fraction(1, 30)
    assert float(tolerance(Limit(failures=2))) == pytest.approx(sqrt(log(40_000) / 10_000))


@pytest.mark.parametrize("confidence", [Fraction(1, 100), Fraction(19, 20)])
def test_any_number_of_rows_has_a_plan(confidence: Fraction) -> None:
    for rows in range(1, 40):
        target = Target(confidence=confidence, questions=1)
        assert 0 < radius(rows, Limit(failures=1), target) <= 1


@pytest.mark.parametrize("tolerance", [None, Fraction(1, 50), Fraction(1, 5)])
def test_rows_and_questions_invert_the_radius(tolerance: Fraction | None) -> None:
    limit = Limit(failures=10, tolerance=tolerance)
    wanted = 0.25
    rows = rows_needed(target=TARGET, radius=wanted, mechanisms=ONLY, limit=limit)

    assert radius(rows, limit) <= wanted < radius(rows - 1, limit)
    most = questions_affordable(
        rows=rows, confidence=TARGET.confidence, radius=wanted, mechanisms=ONLY, limit=limit
    )
    assert most >= TARGET.questions
    more = Target(confidence=TARGET.confidence, questions=most + 1)
    assert radius(rows, limit, more) > wanted


def test_bins_finer_than_a_row_need_more_rows() -> None:
    limit = Limit(failures=1, tolerance=Fraction(1, 10_000))
    needed = rows_needed(target=TARGET, radius=0.4, mechanisms=ONLY, limit=limit)

    least = LimitedChecking.least_rows(TARGET, Options(limit=limit))
    assert needed == least == 19_999
    with pytest.raises(InvalidInput, match="tolerance"):
        radius(needed - 1, limit)


def test_it_is_weighed_against_others_that_are_named() -> None:
    both = (Gaussian, LimitedChecking)
    few, many = Limit(failures=2), Limit(failures=300)

    found = [plan(rows=100_000, target=TARGET, mechanisms=both, limit=each) for each in (few, many)]
    assert [type(each.mechanism) for each in found] == [LimitedChecking, Gaussian]


def test_what_is_left_ends_with_the_last_failure() -> None:
    found = plan(rows=10_000, target=TARGET, mechanisms=ONLY, limit=Limit(failures=3))
    past = Past(target=TARGET, spent=Fraction(20), draws=20, failures=2)

    assert found.mechanism.left(past) == 980
    assert found.mechanism.left(past.told(1)) == 0
    assert plan(rows=10_000, target=TARGET, mechanisms=[Gaussian]).mechanism.left(
        Past(target=TARGET, failures=10**6)
    )


def test_a_limit_and_its_mechanism_come_together() -> None:
    for mechanisms, limit in (
        (ONLY, None),
        (None, Limit(failures=1)),
        ((Gaussian,), Limit(failures=1)),
    ):
        with pytest.raises(InvalidInput) as refused:
            plan(rows=1000, target=TARGET, mechanisms=mechanisms, limit=limit)
        assert refused.value.argument == "failures"
    with pytest.raises(InvalidInput, match="fewer digits"):
        Limit(failures=1, tolerance=Fraction(10**3_000 + 1, 3 * 10**3_000))

"""Conversations that failure m ends: counted one by one, and solved with many digits."""

from fractions import Fraction
from functools import cache
from math import ceil, comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import e, findroot, log, mpf, mpmathify, sqrt, workdps

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.checking import lecture_certificate
from peekproof.theory.generalization.limited_checking import (
    failure_bins,
    halted_certificate,
    halting_certificate,
    halting_interval,
    log_reachable,
)

DIGITS = 50
CLOSE = mpf(10) ** -11


def target(questions: int) -> Target:
    return Target(confidence=Fraction(19, 20), questions=questions)


def nodes(questions: int, failures: int, values: int) -> int:
    """The questions that some sample could lead to: the tree, walked node by node."""

    @cache
    def below(left: int, failed: int) -> int:
        if left == 0 or failed == failures:
            return 0
        return 1 + below(left - 1, failed) + values * below(left - 1, failed + 1)

    return below(questions, 0)


def counted(questions: int, failures: int, values: int) -> int:
    return sum(comb(questions, j + 1) * values**j for j in range(failures))


@given(
    questions=st.integers(1, 40),
    failures=st.integers(1, 45),
    tolerance=st.fractions(Fraction(1, 10**6), 1),
)
def test_every_question_within_reach_is_counted_once(
    questions: int, failures: int, tolerance: Fraction
) -> None:
    values = ceil(2 / tolerance)
    found = nodes(questions, failures, values)
    claimed = log_reachable(tolerance=tolerance, failures=failures, questions=questions)

    assert failure_bins(tolerance) == values
    assert found == counted(questions, failures, values)
    with workdps(DIGITS):
        exact = log(mpf(found))
        assert exact <= claimed <= exact + CLOSE * (1 + exact)


@given(
    rows=st.integers(1, 10**9),
    tolerance=st.fractions(Fraction(1, 10**6), 1),
    failures=st.integers(1, 50),
    questions=st.integers(1, 60),
)
def test_the_radii_are_those_of_the_count(
    rows: int, tolerance: Fraction, failures: int, questions: int
) -> None:
    promise = target(questions)
    passed = halting_certificate(rows=rows, tolerance=tolerance, failures=failures, target=promise)
    failed = halted_certificate(rows=rows, tolerance=tolerance, failures=failures, target=promise)
    values = ceil(2 / tolerance)
    with workdps(DIGITS):
        reach = log(mpf(40 * counted(questions, failures, values)))
        sampling = min(mpf(1), sqrt(reach / (2 * rows)))
        passes = min(mpf(1), mpmathify(tolerance) + sampling)
        fails = min(mpf(1), mpf(1) / (2 * values) + sampling)

        assert passes <= passed.radius <= passes * (1 + CLOSE)
        assert fails <= failed.radius <= fails * (1 + CLOSE)
        assert failed.radius <= passed.radius
    looser = lecture_certificate(rows=rows, tolerance=tolerance, failures=failures, target=promise)
    assert passed.radius <= looser.radius
    assert passed.theorems == ("T-check-halt", "T-check", "T-length")
    assert failed.theorems == ("T-check-halt", "T-length")


@pytest.mark.parametrize("answer", [Fraction(1, 2), Fraction(1, 10), Fraction(97, 100)])
@pytest.mark.parametrize(("rows", "failures"), [(1_000, 1), (20_000, 5), (10**6, 40)])
def test_the_ends_of_an_interval_solve_the_equation(
    rows: int, failures: int, answer: Fraction
) -> None:
    tolerance, questions = Fraction(1, 40), 300
    found = halting_interval(
        answer,
        rows=rows,
        tolerance=tolerance,
        failures=failures,
        target=target(questions),
        within=tolerance,
    )
    with workdps(DIGITS):
        level = log(mpf(40 * counted(questions, failures, 80))) / rows

        def excess(x: mpf, p: mpf) -> mpf:
            return x * log(x / p) + (1 - x) * log((1 - x) / (1 - p)) - level

        low, high = (mpmathify(answer + side * tolerance) for side in (-1, 1))
        step = sqrt(level / 2)
        for end, start, side in ((found.low, low, -1), (found.high, high, 1)):
            if not 0 < start < 1 or not 0 < end < 1:
                continue
            bracket = (start, max(min(start + side * step, 1 - e**-80), e**-80))
            exact = findroot(lambda p, x=start: excess(x, p), bracket, solver="anderson", tol=1e-30)
            assert (end - exact) * side >= 0
            assert abs(end - exact) <= 1e-11
    promised = halting_certificate(
        rows=rows, tolerance=tolerance, failures=failures, target=target(questions)
    )
    within = promised.interval(answer)
    assert found.low <= within.low
    assert within.high <= found.high
    assert max(answer - within.low, within.high - answer) <= promised.radius + 1e-15


def test_an_interval_near_the_edge_is_narrower_than_the_radius() -> None:
    promised = halted_certificate(
        rows=10_000, tolerance=Fraction(1, 50), failures=3, target=target(100)
    )
    near, middle = (promised.interval(Fraction(each, 200)) for each in (1, 101))

    assert near.high - 1 / 200 < 0.6 * promised.radius
    assert middle.high - 101 / 200 > 0.99 * promised.radius


@pytest.mark.parametrize("failures", [0, -1, True, 1.5])
def test_a_conversation_that_no_failure_ends_is_refused(failures: object) -> None:
    for bound in (halting_certificate, halted_certificate):
        with pytest.raises(InvalidInput, match="failures"):
            bound(
                rows=10,
                tolerance=Fraction(1, 2),
                failures=failures,  # type: ignore[arg-type]
                target=target(3),
            )
    with pytest.raises(InvalidInput, match="tolerance"):
        failure_bins(Fraction(0))

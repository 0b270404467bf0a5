"""Guesses from rows set aside: the promise by an independent sum, the split, the turning point."""

import re
from fractions import Fraction
from math import ceil, comb, log, nextafter
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.audit.guesses import (
    HALF,
    SHARES,
    best_guessing,
    failures_within,
    guessed_plan_radius,
    split_guessing,
)
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up
from peekproof.guess.median.guesser import MedianParameters
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import MOST_QUESTIONS, MOST_ROWS, plan
from peekproof.theory.generalization.checking import (
    Transcript,
    best_failure_bins,
    next_log_inverse_level,
    sampling_radius,
)

PAGE = Path(__file__).parents[2] / "docs/explanation/guess-then-check.md"
TARGET = Target.of(confidence=0.95, questions=1_000)


def naive(rows: int, guessing: int, questions: int, failures: int, beta: Fraction) -> mpmath.mpf:
    """η + √(ln((2/β)·#transcripts)/(2n)), counting failed positions question by question."""
    with mpmath.workdps(50):
        miss = mpmath.mpf(beta.numerator) / beta.denominator
        share = mpmath.mpf(1) / rows + mpmath.mpf(1) / guessing
        tolerance = min(mpmath.mpf(1), mpmath.sqrt(share * mpmath.log(2 * questions / miss) / 2))
        bins = int(mpmath.ceil(2 / tolerance))
        count = sum(
            comb(before, failed) * bins**failed
            for before in range(questions)
            for failed in range(min(failures, before) + 1)
        )
        deviation = mpmath.sqrt(mpmath.log(2 * mpmath.mpf(count) / miss) / (2 * rows))
        return min(mpmath.mpf(1), tolerance + deviation)


@pytest.mark.parametrize(("failures", "known"), [(0, 0.025), (10, 0.048), (30, 0.0682)])
def test_half_of_a_hundred_thousand_rows_guess_for_the_other_half(
    failures: int, known: float
) -> None:
    found = guessed_plan_radius(rows=50_000, guessing_rows=50_000, target=TARGET, failures=failures)

    assert known - 0.0005 <= found.radius <= known
    assert (found.rows, found.guessing_rows, found.failures) == (50_000, 50_000, failures)
    assert found.certificate.rows == 50_000


@given(
    rows=st.integers(1, 10**7),
    guessing=st.integers(1, 10**7),
    questions=st.integers(1, 40),
    failures=st.integers(0, 50),
    beta=st.sampled_from([Fraction(1, 20), Fraction(1, 2), Fraction(1, 10**9)]),
)
def test_the_radius_is_never_below_the_sum_over_transcripts_and_hardly_above(
    rows: int, guessing: int, questions: int, failures: int, beta: Fraction
) -> None:
    target = Target.of(confidence=1 - beta, questions=questions)
    found = guessed_plan_radius(rows=rows, guessing_rows=guessing, target=target, failures=failures)
    exact = naive(rows, guessing, questions, failures, beta)

    assert exact <= mpmath.mpf(found.radius) <= exact * (1 + mpmath.mpf("1e-9"))


def test_the_parts_are_the_tolerance_and_the_transcripts() -> None:
    found = split_guessing(rows=20_001, share=HALF, target=TARGET, failures=3)
    accepted, sampling = found.certificate.parts

    assert (found.guessing_rows, found.rows) == (10_000, 10_001)
    assert accepted.radius == found.tolerance
    assert found.radius == pytest.approx(accepted.radius + sampling.radius, rel=1e-15)
    assert found.to_dict()["tolerance"] == float(found.tolerance)
    assert found.to_dict()["certificate"] == found.certificate.to_dict()


@pytest.mark.parametrize("rows", [2, 3, 17, 1_000, 100_000])
@pytest.mark.parametrize("failures", [0, 10, 200])
def test_the_best_split_is_certified_as_it_is_and_no_wider_than_any_tried(
    rows: int, failures: int
) -> None:
    best = best_guessing(rows=rows, target=TARGET, failures=failures)
    again = guessed_plan_radius(
        rows=best.rows, guessing_rows=best.guessing_rows, target=TARGET, failures=failures
    )

    assert best == again
    assert best.rows + best.guessing_rows == rows
    for share in SHARES:
        if rows * share >= 1:
            other = split_guessing(rows=rows, share=share, target=TARGET, failures=failures)
            assert best.radius <= other.radius


@pytest.mark.parametrize("failures", [0, 10, 30, 200])
def test_the_shares_tried_miss_the_best_one_by_little(failures: int) -> None:
    best = best_guessing(rows=100_000, target=TARGET, failures=failures)
    half = split_guessing(rows=100_000, share=HALF, target=TARGET, failures=failures)
    fine = min(
        split_guessing(
            rows=100_000, share=Fraction(percent, 100), target=TARGET, failures=failures
        ).radius
        for percent in range(1, 100)
    )

    assert best.radius <= 1.003 * fine
    assert best.radius < 0.98 * half.radius


@pytest.mark.parametrize("rows", [1_000, 10_000, 100_000])
def test_one_failure_more_than_the_most_is_wider(rows: int) -> None:
    half = rows // 2
    noise = plan(rows=rows, target=TARGET, mechanisms=(Gaussian,)).radius
    most = failures_within(rows=half, guessing_rows=half, target=TARGET, radius=noise)

    assert most is not None
    radii = [
        guessed_plan_radius(rows=half, guessing_rows=half, target=TARGET, failures=failures).radius
        for failures in range(60)
    ]
    assert radii == sorted(radii)
    assert most == sum(radius <= noise for radius in radii) - 1


def test_there_may_be_no_turning_point() -> None:
    sizes = {"rows": 500, "guessing_rows": 500}
    target = Target.of(confidence=0.95, questions=7)
    least = guessed_plan_radius(**sizes, target=target, failures=0).radius
    all_fail = guessed_plan_radius(**sizes, target=target, failures=7).radius

    assert failures_within(**sizes, target=target, radius=nextafter(least, 0)) is None
    assert failures_within(**sizes, target=target, radius=least) == 0
    assert failures_within(**sizes, target=target, radius=all_fail) == 7


@pytest.mark.parametrize(
    ("argument", "changed"),
    [
        ("rows", {"rows": 0}),
        ("rows", {"rows": True}),
        ("rows", {"rows": MOST_ROWS}),
        ("guessing_rows", {"guessing_rows": 0}),
        ("guessing_rows", {"guessing_rows": 1.5}),
        ("failures", {"failures": -1}),
        ("failures", {"failures": True}),
        ("questions", {"target": Target.of(confidence=0.95, questions=MOST_QUESTIONS + 1)}),
    ],
)
def test_what_is_no_number_of_rows_or_failures_is_refused(
    argument: str, changed: dict[str, object]
) -> None:
    accepted = {"rows": 500, "guessing_rows": 500, "target": TARGET, "failures": 1}

    with pytest.raises(InvalidInput) as caught:
        guessed_plan_radius(**{**accepted, **changed})  # type: ignore[arg-type]
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("rows", "share"), [(1, HALF), (9, Fraction(1, 10)), (10, Fraction(1)), (10, Fraction(0))]
)
def test_a_split_leaves_rows_on_both_sides(rows: int, share: Fraction) -> None:
    with pytest.raises(InvalidInput):
        split_guessing(rows=rows, share=share, target=TARGET, failures=0)


def session_radius(*, rows: int, tolerance: Fraction, failures: int) -> float:
    """The tolerance that the last of 1,000 guesses needs in a session, if the first ones failed."""
    past = Transcript()
    for _ in range(failures):
        level = next_log_inverse_level(past=past, target=TARGET)
        past = past.failed(bins=best_failure_bins(rows=rows, log_inverse_level=level))
    while past.questions < TARGET.questions - 1:
        past = past.passed()
    level = next_log_inverse_level(past=past, target=TARGET)
    return sampling_radius(rows=rows, log_inverse_level=level) + float(tolerance)


def test_the_page_on_guesses_shows_what_the_planner_says() -> None:
    page = PAGE.read_text()
    lines = re.findall(r"^\| (\d+) \| ±([\d.]+) \| ±([\d.]+) \|$", page, re.M)
    assert len(lines) == 4
    for failures, fixed, session in lines:
        found = split_guessing(rows=100_000, share=HALF, target=TARGET, failures=int(failures))
        assert fixed == decimal_up(found.radius)
        at_work = session_radius(rows=found.rows, tolerance=found.tolerance, failures=int(failures))
        assert session == decimal_up(at_work)
    page = " ".join(page.split())
    best = best_guessing(rows=100_000, target=TARGET, failures=10)
    assert best.guessing_rows == 25_000
    assert f"a quarter of them gives ±{decimal_up(best.radius)}" in page
    for questions in (1_000, 100, 10_000):
        target = Target.of(confidence=0.95, questions=questions)
        noise = plan(rows=100_000, target=target, mechanisms=(Gaussian,)).radius
        most = failures_within(rows=50_000, guessing_rows=50_000, target=target, radius=noise)
        assert most is not None
        assert f"from {most + 1} on" in page
    half = split_guessing(rows=100_000, share=HALF, target=TARGET, failures=0)
    bins = ceil(2 / half.tolerance)
    terms = [comb(1_000, failed + 1) * bins**failed for failed in range(31)]
    added = {m: log(sum(terms[: m + 1])) - log(sum(terms[:m])) for m in (1, 10, 30)}
    assert f"ln(2k/β) = {log(2_000 / TARGET.beta):.1f}" in page
    assert f"adds {added[1]:.1f}" in page
    assert f"the tenth {added[10]:.1f}, the thirtieth {added[30]:.1f}" in page
    assert f"G = {bins} bins" in page
    notes = MedianParameters.lecture(rows=100_000, questions=1_000, domain_size=2)
    assert f"{float(notes.tolerance):.3f}" == "0.080"
    assert notes.tolerance > plan(rows=100_000, target=TARGET).radius

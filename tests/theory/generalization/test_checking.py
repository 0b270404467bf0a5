"""T-check and T-check-anytime: transcripts counted one by one, weights summed over whole trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, comb, prod
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, pi, sqrt, workdps

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.checking import (
    Transcript,
    failed_radius,
    honest_tolerance,
    lecture_certificate,
    log_checked_transcripts,
    log_inverse_level,
)

DIGITS = 50
CLOSE = mpf("1e-11")
LEVEL = Fraction(1, 20)


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


# Counting --------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [1, 2, 3])
@pytest.mark.parametrize("failures", [0, 1, 2, 9])
@pytest.mark.parametrize("questions", [1, 2, 4, 6])
def test_transcripts_are_counted_as_if_written_down(
    questions: int, failures: int, values: int
) -> None:
    """−1 is a pass, any other number what a failure said."""
    written = {
        transcript
        for before in range(questions)
        for transcript in product(range(-1, values), repeat=before)
        if sum(outcome >= 0 for outcome in transcript) <= failures
    }
    claimed = log_checked_transcripts(questions=questions, failures=failures, values=values)
    with workdps(DIGITS):
        exact = log(mpf(len(written)))
        assert exact <= claimed <= exact * (1 + CLOSE)


def naive(questions: int, failures: int, values: int) -> int:
    """The double sum as it stands."""
    return sum(
        comb(before, j) * values**j for before in range(questions) for j in range(failures + 1)
    )


@given(questions=st.integers(1, 80), failures=st.integers(0, 90), values=st.integers(1, 10**6))
def test_the_closed_form_is_the_double_sum(questions: int, failures: int, values: int) -> None:
    claimed = log_checked_transcripts(questions=questions, failures=failures, values=values)
    with workdps(DIGITS):
        exact = log(mpf(naive(questions, failures, values)))
        assert exact <= claimed <= exact * (1 + CLOSE)


@pytest.mark.parametrize("values", [1, 2, 137])
@pytest.mark.parametrize(("questions", "failures"), [(1500, 1200), (2500, 1001), (2500, 9999)])
def test_beyond_a_thousand_failures_the_bound_is_above_and_close(
    questions: int, failures: int, values: int
) -> None:
    exact = sum(comb(questions, j + 1) * values**j for j in range(min(failures, questions - 1) + 1))
    claimed = log_checked_transcripts(questions=questions, failures=failures, values=values)
    with workdps(DIGITS):
        assert log(mpf(exact)) <= claimed <= log(mpf(exact)) * (1 + CLOSE) + 6


def test_counting_takes_milliseconds_at_any_size() -> None:
    start = perf_counter()
    for questions, failures in product((10**6, 10**12, 10**18), (10**3, 10**5, 10**17)):
        log_checked_transcripts(questions=questions, failures=failures, values=10**4)
    assert perf_counter() - start < 0.5


# The lecture's certificate ---------------------------------------------------------------------


@given(
    rows=st.integers(1, 10**9),
    tolerance=st.fractions(Fraction(1, 10**6), 1),
    failures=st.integers(0, 50),
    questions=st.integers(1, 60),
)
def test_the_radius_is_the_tolerance_and_the_count(
    rows: int, tolerance: Fraction, failures: int, questions: int
) -> None:
    certificate = lecture_certificate(
        rows=rows, tolerance=tolerance, failures=failures, target=target(questions)
    )
    failed = failed_radius(
        rows=rows, tolerance=tolerance, failures=failures, target=target(questions)
    )
    values = ceil(2 / tolerance)
    with workdps(DIGITS):
        counted = log(mpf(40 * naive(questions, failures, values)))
        sampling = min(mpf(1), sqrt(counted / (2 * rows)))
        passes = min(mpf(1), mpmathify(tolerance) + sampling)
        fails = min(mpf(1), mpf(1) / (2 * values) + sampling)
        simpler = sum(comb(questions, j) * values**j for j in range(failures + 1))
        lecture = mpmathify(tolerance) + sqrt(log(mpf(40 * questions * simpler)) / (2 * rows))

        assert passes <= certificate.radius <= passes * (1 + CLOSE)
        assert fails <= failed <= fails * (1 + CLOSE)
        assert certificate.radius <= lecture * (1 + CLOSE)
        assert failed <= min(mpf(1), mpmathify(tolerance) / 4 + sampling) * (1 + CLOSE)
    assert certificate.theorems == ("T-check", "T-length")
    assert len(certificate.citations()) == 2


@pytest.mark.parametrize(
    ("failures", "known", "least"), [(0, 0.025, 0.0103), (10, 0.048, 0.0381), (30, 0.068, 0.0608)]
)
def test_the_known_radii_at_half_of_the_data(failures: int, known: float, least: float) -> None:
    """100,000 rows, 1,000 questions, β = 0.05; half of the rows guess and half of them check.

    The tolerance is the one that guesses from the other half keep on questions fixed in advance,
    √(2·ln(2k/β)/(2n)) = 0.01456; it is not the one with the least radius. A scan of η = 2/G
    gives less at the same number of failures, but more failures are then to be expected.
    """
    half, promise = 50_000, target(1_000)
    tolerance = Fraction(honest_tolerance(rows=half, guessing_rows=half, target=promise))

    def radius(eta: Fraction) -> float:
        return lecture_certificate(
            rows=half, tolerance=eta, failures=failures, target=promise
        ).radius

    assert float(tolerance) == pytest.approx(0.014558, abs=1e-6)
    assert round(radius(tolerance), 3) == known
    tried = [2, 10, *range(50, 3_000, 50), 5_000, 10**4, 10**5, 10**9]
    assert min(radius(Fraction(2, values)) for values in tried) == pytest.approx(least, abs=5e-5)
    if failures:  # without failures the smallest tolerance is best; else there is a valley
        assert radius(Fraction(2, 10**9)) > radius(Fraction(2, 1_400)) < radius(Fraction(2, 100))


@given(
    rows=st.integers(1, 10**9),
    guessing_rows=st.integers(1, 10**9),
    questions=st.integers(1, 10**9),
)
def test_two_samples_differ_as_hoeffding_says(
    rows: int, guessing_rows: int, questions: int
) -> None:
    claimed = honest_tolerance(rows=rows, guessing_rows=guessing_rows, target=target(questions))
    with workdps(DIGITS):
        shares = mpf(1) / rows + mpf(1) / guessing_rows
        exact = min(mpf(1), sqrt(shares * log(mpf(40 * questions)) / 2))
        assert exact <= claimed <= exact * (1 + CLOSE)


def test_two_small_samples_differ_by_more_no_oftener_than_promised() -> None:
    n, other, promise = 16, 4, Target.of(confidence=0.7, questions=1)
    reach = Fraction(honest_tolerance(rows=n, guessing_rows=other, target=promise))
    # The mutant: the other half is taken to be the population itself.
    mutant = Fraction(honest_tolerance(rows=n, guessing_rows=10**12, target=promise))

    def beyond(distance: Fraction, p: Fraction) -> Fraction:
        return sum(
            (
                comb(n, a) * comb(other, b) * p ** (a + b) * (1 - p) ** (n + other - a - b)
                for a in range(n + 1)
                for b in range(other + 1)
                if abs(Fraction(a, n) - Fraction(b, other)) > distance
            ),
            Fraction(0),
        )

    biases = [Fraction(i, 12) for i in range(1, 12)]
    assert max(beyond(reach, p) for p in biases) <= promise.beta
    assert max(beyond(mutant, p) for p in biases) > promise.beta


# The anytime levels ----------------------------------------------------------------------------


@given(
    beta=st.fractions(Fraction(1, 10**9), Fraction(999, 1000)),
    questions=st.integers(0, 10**7),
    data=st.data(),
)
def test_the_level_is_the_formula_rounded_down(
    beta: Fraction, questions: int, data: st.DataObject
) -> None:
    failures = data.draw(st.integers(0, min(questions, 40)))
    bins = data.draw(st.lists(st.integers(1, 10**9), min_size=failures, max_size=failures))
    transcript = Transcript(questions=questions, failures=failures, values=prod(bins))
    claimed = log_inverse_level(beta=beta, transcript=transcript)
    with workdps(DIGITS):
        weight = (6 / (pi**2 * mpf(questions + 1) ** 2)) * (6 / (pi**2 * mpf(failures + 1) ** 2))
        level = mpmathify(beta) * weight / (comb(questions, failures) * prod(bins))
        assert -log(level) <= claimed <= -log(level) * (1 + CLOSE)


@pytest.mark.parametrize(
    ("questions", "failures"), [(2002, 1001), (5000, 1500), (5000, 3700), (4000, 4000)]
)
def test_many_failures_get_a_level_below_the_formula_and_close(
    questions: int, failures: int
) -> None:
    transcript = Transcript(questions=questions, failures=failures, values=3**failures)
    claimed = log_inverse_level(beta=LEVEL, transcript=transcript)
    with workdps(DIGITS):
        places = pi**4 / 36 * (mpf(questions + 1) * (failures + 1)) ** 2
        exact = log(20 * places * comb(questions, failures) * 3**failures)
        assert exact <= claimed <= exact * (1 + CLOSE) + 6


def bins_after(path: tuple[int, ...]) -> int:
    """A number of bins that depends on the whole path, as an analyst may choose it."""
    return 1 + sum((place + 2) * (outcome + 3) for place, outcome in enumerate(path)) % 4


def tree(depth: int) -> Iterator[tuple[tuple[int, ...], Transcript]]:
    """Every node with fewer than `depth` questions before it; −1 is a pass."""
    level: list[tuple[tuple[int, ...], Transcript]] = [((), Transcript())]
    for _ in range(depth):
        yield from level
        level = [
            ((*path, outcome), past.passed() if outcome < 0 else past.failed(bins=bins))
            for path, past in level
            for bins in [bins_after(path)]
            for outcome in range(-1, bins)
        ]


def test_the_weights_of_a_whole_tree_sum_to_what_the_proof_says() -> None:
    nodes = list(tree(7))
    sizes = {bins_after(path) for path, _ in nodes}
    sums: dict[tuple[int, int], mpf] = {}
    undivided = mpf(0)
    with workdps(DIGITS):
        for path, past in nodes:
            place = (past.questions, past.failures)
            assert place == (len(path), sum(outcome >= 0 for outcome in path))
            weight = exp(-mpf(log_inverse_level(beta=LEVEL, transcript=past))) / mpmathify(LEVEL)
            sums[place] = sums.get(place, mpf(0)) + weight
            undivided += weight * comb(*place) * past.values
        for (before, failed), found in sums.items():
            share = (6 / (pi**2 * (before + 1) ** 2)) * (6 / (pi**2 * (failed + 1) ** 2))
            assert share * (1 - mpf("1e-10")) <= found <= share

        assert sizes == {1, 2, 3, 4}
        assert len(nodes) > 1_000
        assert sum(sums.values()) <= 1
        # The mutant: weights that do not depend on how many pasts there are.
        assert undivided > 1


def test_a_past_grows_by_what_happened() -> None:
    past = Transcript().passed().failed(bins=7).passed().failed(bins=3)

    assert past == Transcript(questions=4, failures=2, values=21)


def test_a_level_takes_little_time_at_any_size() -> None:
    start = perf_counter()
    for failures in (0, 1_000, 10_000, 500_000):
        past = Transcript(questions=10**6, failures=failures, values=10**failures)
        log_inverse_level(beta=LEVEL, transcript=past)
    assert perf_counter() - start < 1.0


# Refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nonsense",
    [
        {"questions": 0},
        {"questions": True},
        {"questions": 10**301},
        {"failures": -1},
        {"failures": 1.5},
        {"failures": True},
        {"failures": 10**301},
        {"failures": -(10**5000)},
        {"values": 0},
        {"values": 10**301},
    ],
)
def test_impossible_counts_are_refused(nonsense: dict[str, int]) -> None:
    (name,) = nonsense
    with pytest.raises(InvalidInput, match=rf"^{name} must be"):
        log_checked_transcripts(**{"questions": 5, "failures": 2, "values": 3} | nonsense)


@pytest.mark.parametrize(
    "tolerance", [Fraction(0), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 10**300), 0.5]
)
def test_impossible_tolerances_are_refused(tolerance: Fraction) -> None:
    for bound in (lecture_certificate, failed_radius):
        with pytest.raises(InvalidInput, match=r"^tolerance must be"):
            bound(rows=10, tolerance=tolerance, failures=1, target=target(3))


@pytest.mark.parametrize(
    "nonsense",
    [
        {"questions": -1},
        {"questions": 2.0},
        {"failures": 4},
        {"failures": -1},
        {"values": 0},
        {"failures": 0},
    ],
)
def test_impossible_pasts_are_refused(nonsense: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Transcript(**{"questions": 3, "failures": 2, "values": 9} | nonsense)


def test_other_nonsense_is_refused() -> None:
    for refused in (
        lambda: Transcript().failed(bins=0),
        lambda: log_inverse_level(beta=Fraction(0), transcript=Transcript()),
        lambda: log_inverse_level(beta=Fraction(1), transcript=Transcript()),
        lambda: honest_tolerance(rows=0, guessing_rows=1, target=target(1)),
        lambda: honest_tolerance(rows=1, guessing_rows=0, target=target(1)),
        lambda: lecture_certificate(rows=0, tolerance=Fraction(1, 2), failures=1, target=target(1)),
    ):
        with pytest.raises(InvalidInput):
            refused()

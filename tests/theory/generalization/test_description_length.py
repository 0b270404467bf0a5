"""T-length and T-chernoff against mpmath, exact binomial tails and Hoeffding."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, nan

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import log, mpf, mpmathify, sqrt, workdps

from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.description_length import (
    chernoff_interval,
    hoeffding_radius,
    log_possible_transcripts,
    log_transcripts,
)

DIGITS = 50
CLOSE = mpf("1e-11")
rows = st.integers(1, 10**9) | st.integers(10**12, 10**18)
betas = st.fractions(Fraction(1, 10**9), Fraction(999, 1000))
logs = st.floats(0, 1e6)


@given(count=st.integers(2, 10**6) | st.integers(2**60, 2**70) | st.integers(2**5000, 2**5001))
def test_the_logarithm_of_a_count_is_never_below_it(count: int) -> None:
    with workdps(DIGITS):
        exact = log(mpf(count))
        assert exact < log_transcripts(count) < exact * (1 + CLOSE)


def test_one_transcript_costs_nothing() -> None:
    assert log_transcripts(1) == 0.0
    assert log_possible_transcripts(values=7, questions=1) == 0.0


@given(values=st.integers(1, 3000), questions=st.integers(2, 60))
def test_possible_transcripts_are_counted_one_by_one(values: int, questions: int) -> None:
    counted = sum(values**before for before in range(questions))
    with workdps(DIGITS):
        exact = log(mpf(counted))
        claimed = log_possible_transcripts(values=values, questions=questions)
        assert exact <= claimed <= exact * (1 + CLOSE)


def test_an_astronomical_number_of_transcripts_is_no_obstacle() -> None:
    with workdps(DIGITS):
        exact = (10**12 - 1) * log(mpf(1000)) - log(1 - mpf(1) / 1000)
        claimed = log_possible_transcripts(values=1000, questions=10**12)
        assert exact <= claimed <= exact * (1 + CLOSE)


@given(rows=rows, beta=betas, log_count=logs)
def test_the_radius_is_hoeffdings_and_never_below_it(
    rows: int, beta: Fraction, log_count: float
) -> None:
    claimed = hoeffding_radius(rows=rows, beta=beta, log_count=log_count)
    with workdps(DIGITS):
        exact = sqrt((mpf(log_count) + log(2 / mpmathify(beta))) / (2 * rows))
        assert min(mpf(1), exact) <= claimed <= min(mpf(1), exact * (1 + CLOSE))


def divergence(m: mpf, p: mpf) -> mpf:
    """KL(m‖p) as it is defined, with 0·ln 0 = 0."""
    total = mpf(0)
    for share, other in ((m, p), (1 - m, 1 - p)):
        if share > 0:
            if other <= 0:
                return mpf(inf)
            total += share * log(share / other)
    return total


def exact_ends(mean: Fraction, exponent: mpf) -> tuple[mpf, mpf]:
    """The ends of {p : KL(mean‖p) ≤ exponent} by bisection at 50 digits."""

    def end(target: mpf, m: mpf) -> mpf:
        inside, outside = m, target
        for _ in range(160):
            middle = (inside + outside) / 2
            if divergence(m, middle) <= exponent:
                inside = middle
            else:
                outside = middle
        return inside

    m = mpmathify(mean)
    return end(mpf(0), m), end(mpf(1), m)


means = st.fractions(0, 1) | st.sampled_from(
    [Fraction(0), Fraction(1), Fraction(1, 10**9), 1 - Fraction(1, 10**9), Fraction(1, 10**70)]
)


@settings(max_examples=60)
@given(mean=means, rows=rows, beta=betas, log_count=st.floats(0, 1e4))
def test_the_interval_is_the_exact_one_rounded_outward(
    mean: Fraction, rows: int, beta: Fraction, log_count: float
) -> None:
    found = chernoff_interval(mean, rows=rows, beta=beta, log_count=log_count)
    with workdps(DIGITS):
        exponent = (mpf(log_count) + log(2 / mpmathify(beta))) / rows
        low, high = exact_ends(mean, exponent)
        width = high - low

        assert found.low <= low
        assert found.high >= high
        # Floats around the mean are 2⁻⁵³ apart, and the distances good to 1e-11.
        assert low - found.low <= width * mpf("1e-10") + mpf("3e-16")
        assert found.high - high <= width * mpf("1e-10") + mpf("3e-16")


@pytest.mark.parametrize("rows", range(1, 60))
def test_half_has_a_closed_form_even_where_the_end_is_almost_0(rows: int) -> None:
    """KL(½‖p) = −½ ln(4p(1 − p)), so p = (1 ± √(1 − e^{−2c}))/2."""
    beta = Fraction(1, 10**7)
    found = chernoff_interval(Fraction(1, 2), rows=rows, beta=beta)
    with workdps(DIGITS):
        root = sqrt(1 - (mpmathify(beta) / 2) ** (mpf(2) / rows))
        assert (1 - root) / 2 - mpf("1e-11") <= found.low <= (1 - root) / 2
        assert (1 + root) / 2 <= found.high <= (1 + root) / 2 + mpf("1e-11")


@given(mean=means, rows=rows, beta=betas, log_count=st.floats(0, 1e4))
def test_it_lies_within_the_radius(
    mean: Fraction, rows: int, beta: Fraction, log_count: float
) -> None:
    found = chernoff_interval(mean, rows=rows, beta=beta, log_count=log_count)
    radius = Fraction(hoeffding_radius(rows=rows, beta=beta, log_count=log_count))

    assert found.low <= mean <= found.high
    assert Fraction(found.low) >= mean - radius * (1 + Fraction(1, 10**9)) - Fraction(1, 10**15)
    assert Fraction(found.high) <= mean + radius * (1 + Fraction(1, 10**9)) + Fraction(1, 10**15)


def test_the_ends_at_0_and_1_are_in_closed_form() -> None:
    beta = Fraction(1, 20)
    with workdps(DIGITS):
        reach = 1 - (mpmathify(beta) / 2) ** (mpf(1) / 1000)
        none = chernoff_interval(Fraction(0), rows=1000, beta=beta)
        every = chernoff_interval(Fraction(1), rows=1000, beta=beta)

        assert none.low == 0
        assert reach <= none.high <= reach * (1 + CLOSE)
        assert every.high == 1
        assert 1 - reach - mpf("1e-14") <= every.low <= 1 - reach


@given(mean=means, rows=st.integers(1, 10**6), beta=betas, within=st.fractions(0, 1))
def test_a_mean_known_roughly_gives_the_hull_of_what_it_could_be(
    mean: Fraction, rows: int, beta: Fraction, within: Fraction
) -> None:
    found = chernoff_interval(mean, rows=rows, beta=beta, within=within)
    least = chernoff_interval(max(Fraction(0), mean - within), rows=rows, beta=beta)
    most = chernoff_interval(min(Fraction(1), mean + within), rows=rows, beta=beta)

    assert (found.low, found.high) == (least.low, most.high)


@given(shares=st.tuples(means, means), rows=st.integers(1, 10**6), beta=betas)
def test_both_ends_grow_with_the_mean(
    shares: tuple[Fraction, Fraction], rows: int, beta: Fraction
) -> None:
    assume(abs(shares[0] - shares[1]) > Fraction(1, 10**8))
    less, more = (chernoff_interval(share, rows=rows, beta=beta) for share in sorted(shares))

    assert less.low <= more.low + 1e-13
    assert less.high <= more.high + 1e-13


def miss(p: Fraction, *, rows: int, beta: Fraction, claimed: Fraction) -> Fraction:
    """Pr[p outside the interval of level `claimed`] for a coin of bias p, summed exactly."""
    total = Fraction(0)
    for heads in range(rows + 1):
        interval = chernoff_interval(Fraction(heads, rows), rows=rows, beta=claimed)
        if not Fraction(interval.low) <= p <= Fraction(interval.high):
            total += comb(rows, heads) * p**heads * (1 - p) ** (rows - heads)
    return total / beta


def test_exact_binomials_miss_no_more_than_promised_and_a_cheat_more() -> None:
    beta = Fraction(1, 10)
    biases = [Fraction(i, 97) for i in range(1, 97)]
    honest = [miss(p, rows=20, beta=beta, claimed=beta) for p in biases]
    # The mutant: a level eight times larger than the one promised.
    cheating = [miss(p, rows=20, beta=beta, claimed=min(8 * beta, Fraction(9, 10))) for p in biases]

    assert max(honest) <= 1
    assert max(cheating) > 1


@pytest.mark.parametrize("log_count", [-1.0, nan, inf, 1e305, True])
def test_a_count_without_a_logarithm_is_refused(log_count: float) -> None:
    with pytest.raises(InvalidInput, match=r"^log_count must be"):
        hoeffding_radius(rows=10, beta=Fraction(1, 20), log_count=log_count)
    with pytest.raises(InvalidInput, match=r"^log_count must be"):
        chernoff_interval(Fraction(1, 2), rows=10, beta=Fraction(1, 20), log_count=log_count)


def test_nonsense_is_refused() -> None:
    half, level = Fraction(1, 2), Fraction(1, 20)
    for refused in (
        lambda: log_transcripts(0),
        lambda: log_possible_transcripts(values=0, questions=1),
        lambda: log_possible_transcripts(values=2, questions=0),
        lambda: hoeffding_radius(rows=0, beta=level),
        lambda: hoeffding_radius(rows=10, beta=Fraction(0)),
        lambda: hoeffding_radius(rows=10, beta=Fraction(1)),
        lambda: chernoff_interval(half, rows=0, beta=level),
        lambda: chernoff_interval(Fraction(3, 2), rows=10, beta=level),
        lambda: chernoff_interval(Fraction(-1, 2), rows=10, beta=level),
        lambda: chernoff_interval(half, rows=10, beta=level, within=Fraction(-1)),
        lambda: chernoff_interval(half, rows=10, beta=Fraction(2)),
    ):
        with pytest.raises(InvalidInput):
            refused()


def test_rows_beyond_the_floats_still_have_an_interval() -> None:
    found = chernoff_interval(Fraction(1, 3), rows=10**400, beta=Fraction(1, 20))

    assert Fraction(found.low) <= Fraction(1, 3) <= Fraction(found.high)
    assert found.high - found.low < 1e-15

"""T-noise against mpmath: the closed form, the quantity it bounds, and every c."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import (
    erf,
    erfc,
    erfinv,
    exp,
    findroot,
    inf,
    log,
    mpf,
    mpmathify,
    pi,
    quad,
    sqrt,
    workdps,
)

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.generalization.noise import normal_shortfall

DIGITS = 50
betas = st.fractions(Fraction(1, 10**15), 1 - Fraction(1, 10**15)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 30)
)
counts = st.integers(1, 10**12) | st.builds(lambda e: 10**e, st.integers(0, 12))


def density(c: mpf) -> mpf:
    return exp(-c * c / 2) / sqrt(2 * pi)


def beyond(c: mpf) -> mpf:
    """Pr[Z > c]."""
    return erfc(c / sqrt(2)) / 2


def quantile(tail: mpf) -> mpf:
    """The c with Pr[Z > c] = tail, for a tail of at most a half."""
    start = sqrt(2) * erfinv(1 - 2 * tail) if tail > 1e-9 else sqrt(-2 * log(tail))
    return findroot(lambda c: log(beyond(c)) - log(tail), start)


def bound_at(c: mpf, *, beta: Fraction, count: int) -> mpf:
    """The bound of the docstring at any c."""
    return c + 2 * count / mpmathify(beta) * (density(c) - c * beyond(c))


def true_shortfall(*, beta: Fraction, count: int) -> mpf:
    """ES_β(max |Z_j|) of independent normals: the mean above the (1 − β)-quantile."""
    level = (1 - mpmathify(beta)) ** (mpf(1) / count)
    start = sqrt(2) * erfinv(level)
    tail = quad(lambda y: 1 - erf(y / sqrt(2)) ** count, [start, start + 1, start + 4, inf])
    return start + tail / mpmathify(beta)


@given(beta=betas, count=counts)
def test_it_is_the_inverse_mills_ratio_and_never_below_it(beta: Fraction, count: int) -> None:
    claimed = normal_shortfall(beta=beta, count=count)
    with workdps(DIGITS):
        c = quantile(mpmathify(beta) / (2 * count))
        exact = density(c) / beyond(c)

        # The chain may use an eighth of the margin that `up` adds; see core/numerics.
        assert exact * (1 + 7 * mpf(MARGIN) / 8) <= claimed <= exact * (1 + 2 * mpf(MARGIN))


@given(beta=betas, count=counts)
def test_the_mills_ratio_is_the_smallest_of_the_bounds(beta: Fraction, count: int) -> None:
    with workdps(DIGITS):
        best = quantile(mpmathify(beta) / (2 * count))
        smallest = density(best) / beyond(best)

        assert abs(bound_at(best, beta=beta, count=count) / smallest - 1) < mpf(10) ** -40
        for shift in ("-0.5", "-0.001", "0.001", "0.5"):
            assert bound_at(best + mpf(shift), beta=beta, count=count) > smallest


CASES = [(1, "0.05"), (1, "0.9"), (2, "0.5"), (10, "0.05"), (1000, "0.05"), (1000, "0.000001")]


@pytest.mark.parametrize(("count", "level"), CASES)
def test_it_bounds_the_shortfall_of_independent_noise(count: int, level: str) -> None:
    beta = Fraction(level)
    with workdps(30):
        exact = true_shortfall(beta=beta, count=count)
        claimed = normal_shortfall(beta=beta, count=count)

        assert claimed >= exact
        # The union over the questions costs little at the levels people use.
        assert beta > Fraction(1, 20) or claimed <= exact * mpf("1.01")


@pytest.mark.parametrize(("count", "level"), CASES)
def test_every_c_gives_a_valid_bound(count: int, level: str) -> None:
    beta = Fraction(level)
    with workdps(30):
        exact = true_shortfall(beta=beta, count=count)
        for c in range(-8, 33):  # quarters from −2 to 8
            assert bound_at(mpf(c) / 4, beta=beta, count=count) >= exact * (1 - mpf(10) ** -20)


def test_a_mutant_that_forgets_one_tail_is_caught() -> None:
    # Noise errs on both sides: counting only the upper tail is the one-sided β/k.
    with workdps(30):
        c = quantile(mpf("0.05"))
        assert density(c) / beyond(c) < true_shortfall(beta=Fraction(1, 20), count=1)


@given(beta=betas, count=st.integers(1, 10**9), factor=st.integers(2, 1000))
def test_more_questions_and_more_confidence_cost_more(
    beta: Fraction, count: int, factor: int
) -> None:
    shortfall = normal_shortfall(beta=beta, count=count)

    assert normal_shortfall(beta=beta, count=count * factor) > shortfall
    assert normal_shortfall(beta=beta / factor, count=count) > shortfall


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(-1), True])
def test_a_level_outside_the_open_unit_is_refused(beta: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^beta must be"):
        normal_shortfall(beta=beta, count=1)


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_a_count_is_a_positive_integer(count: int) -> None:
    with pytest.raises(InvalidInput, match=r"^count must be"):
        normal_shortfall(beta=Fraction(1, 20), count=count)


def test_the_smallest_levels_are_refused_or_held() -> None:
    for exponent in range(100, 323):
        beta = Fraction(1, 10**exponent)
        try:
            claimed = normal_shortfall(beta=beta, count=1)
        except InvalidInput:
            continue
        with workdps(DIGITS):
            c = quantile(mpmathify(beta) / 2)
            assert claimed >= density(c) / beyond(c)


def test_a_tail_below_the_floats_is_refused() -> None:
    with pytest.raises(InvalidInput):
        normal_shortfall(beta=Fraction(1, 10**330), count=1)

"""Calibration against mpmath: what is returned meets the target, and a little less does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf, ncdf, sqrt, workdps

from peekproof.accounting.calibration import gaussian_sigma, laplace_scale, most_answers
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput

TARGET = ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**6))


def exact_delta(mu: mpf, epsilon: Fraction) -> mpf:
    eps = mpf(epsilon.numerator) / epsilon.denominator
    return ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2)


def ratio(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


@settings(max_examples=30)
@given(
    epsilon=st.fractions(Fraction(1, 1000), 20),
    delta=st.fractions(Fraction(1, 10**12), Fraction(1, 10)),
    sensitivity=st.fractions(Fraction(1, 10**6), 10**6),
    count=st.integers(1, 10**6),
)
def test_the_smallest_gaussian_noise_meets_the_target_and_less_does_not(
    epsilon: Fraction, delta: Fraction, sensitivity: Fraction, count: int
) -> None:
    target = ApproxDP(epsilon=epsilon, delta=delta)
    sigma = gaussian_sigma(target, sensitivity=sensitivity, count=count)
    with workdps(50):
        mu = sqrt(mpf(count)) * ratio(sensitivity) / ratio(sigma)
        assert exact_delta(mu, epsilon) <= ratio(delta)
        assert exact_delta(mu * (1 + mpf(10) ** -9), epsilon) > ratio(delta)


def test_a_known_value() -> None:
    sigma = gaussian_sigma(TARGET, sensitivity=Fraction(1), count=1000)
    assert float(sigma) == pytest.approx(133.596, abs=5e-4)


@settings(max_examples=30)
@given(mu=st.fractions(Fraction(1, 10**4), Fraction(1, 10)))
def test_the_most_answers_fit_and_one_more_does_not(mu: Fraction) -> None:
    count = most_answers(TARGET, each=GDP(mu**2))
    with workdps(50):
        assert exact_delta(sqrt(mpf(count)) * ratio(mu), TARGET.epsilon) <= ratio(TARGET.delta)
        more = sqrt(mpf(count + 1)) * ratio(mu) * (1 + mpf(10) ** -9)
        assert exact_delta(more, TARGET.epsilon) > ratio(TARGET.delta)


def test_one_answer_may_be_too_many() -> None:
    assert most_answers(TARGET, each=GDP(Fraction(100))) == 0


def test_specks_are_not_counted_for_ever() -> None:
    with pytest.raises(InvalidInput, match="each"):
        most_answers(TARGET, each=GDP(Fraction(1, 10**60)))


def test_the_laplace_scale_is_exact() -> None:
    found = laplace_scale(PureDP(Fraction(1, 3)), sensitivity=Fraction(2, 7), count=5)
    assert found == Fraction(30, 7)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1)])
def test_targets_that_no_noise_or_every_noise_meets_are_refused(delta: Fraction) -> None:
    with pytest.raises(InvalidInput, match="target"):
        gaussian_sigma(ApproxDP(epsilon=Fraction(1), delta=delta), sensitivity=Fraction(1))


def test_absurd_arguments_are_refused() -> None:
    with pytest.raises(InvalidInput, match="sensitivity"):
        gaussian_sigma(TARGET, sensitivity=Fraction(0))
    with pytest.raises(InvalidInput, match="count"):
        gaussian_sigma(TARGET, sensitivity=Fraction(1), count=0)
    with pytest.raises(InvalidInput, match="epsilon"):
        laplace_scale(PureDP(Fraction(0)), sensitivity=Fraction(1))
    with pytest.raises(InvalidInput, match="mu_squared"):
        most_answers(TARGET, each=GDP(Fraction(0)))

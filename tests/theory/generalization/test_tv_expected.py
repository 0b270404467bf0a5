"""Total variation to the population: formulas against mpmath, claims against small channels."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mpf, mpmathify, sqrt, workdps

from peekproof.core.certificate import OnAverage, OneQuestion, Simultaneous
from peekproof.core.charge import TV
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.noise import Shortfall
from peekproof.theory.generalization.variation import expected_tv, one_question_tv, tv_markov
from theory.generalization.channels import Channel, channels

TIGHT = mpf("1e-9")
betas = st.fractions(Fraction(1, 10**12), Fraction(99, 100))
distances = st.fractions(0, 1)


@given(distances)
def test_on_average_it_is_the_total_variation(distance: Fraction) -> None:
    bound = expected_tv(TV(distance))

    assert isinstance(bound, OnAverage)
    assert distance <= Fraction(bound.radius) <= distance * (1 + Fraction(1, 10**9))


@given(channels)
def test_no_small_channel_exceeds_it_on_average(channel: Channel) -> None:
    variation = channel.delta(0.0)
    mean = float(channel.marginal() @ channel.drift())

    assert abs(mean) <= variation + 1e-12


@given(channels)
def test_the_mean_size_of_the_drift_is_within_the_total_variation(channel: Channel) -> None:
    assert float(channel.marginal() @ abs(channel.drift())) <= channel.delta(0.0) + 1e-12


@given(distance=distances, rows=st.integers(1, 10**9), beta=betas)
def test_one_question_is_the_corrected_formula(
    distance: Fraction, rows: int, beta: Fraction
) -> None:
    bound = one_question_tv(TV(distance), rows=rows, beta=beta)
    with workdps(50):
        eps = mpmathify(distance)
        exact = eps + (2 * eps * rows + 1) * sqrt(log(2 / mpmathify(beta)) / (2 * rows))

        assert min(1, exact) <= bound.radius <= min(1, exact * (1 + TIGHT))
    assert isinstance(bound, OneQuestion)
    assert bound.beta == beta


@given(distance=distances, beta=betas, noise=st.fractions(0, 1))
def test_markov_adds_the_noise_and_divides_by_the_failure(
    distance: Fraction, beta: Fraction, noise: Fraction
) -> None:
    shortfall = Shortfall(radius=float(noise), beta=beta)
    bound = tv_markov(shortfall, TV(distance))
    exact = Fraction(shortfall.radius) + distance / beta

    assert isinstance(bound, Simultaneous)
    assert min(Fraction(1), exact) <= Fraction(bound.radius)
    assert Fraction(bound.radius) <= exact * (1 + Fraction(1, 10**9)) + Fraction(1, 10**300)


def test_absurd_arguments_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rows"):
        one_question_tv(TV(Fraction(1, 10)), rows=0, beta=Fraction(1, 20))
    with pytest.raises(InvalidInput, match="beta"):
        one_question_tv(TV(Fraction(1, 10)), rows=10, beta=Fraction(0))

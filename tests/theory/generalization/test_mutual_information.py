"""T-mi: the formula against mpmath, the information against conversations where it is known."""

from fractions import Fraction
from math import comb, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import expm1, mpf, mpmathify, sqrt, workdps
from mpmath import log as mlog

from peekproof.core.certificate import Simultaneous
from peekproof.core.charge import ZCDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.mutual_information import (
    by_information,
    gaussian_information,
    second_moment,
    zcdp_information,
)
from peekproof.theory.generalization.noise import Shortfall
from theory.generalization.channels import Channel, channels

amounts = st.floats(0, 1e6) | st.floats(0, 1e-3)


@given(information=amounts, rows=st.integers(1, 10**9), rate=st.floats(1e-6, 1 - 1e-9))
def test_no_rate_gives_a_smaller_second_moment(information: float, rows: int, rate: float) -> None:
    claimed = second_moment(information, rows=rows)
    with workdps(40):
        other = (2 * mpf(information) - mlog(1 - mpf(rate))) / (4 * rows * mpf(rate))

        assert claimed <= other * (1 + mpf("1e-9"))


@given(information=amounts, rows=st.integers(1, 10**9))
def test_the_second_moment_is_never_below_the_least(information: float, rows: int) -> None:
    claimed = second_moment(information, rows=rows)
    with workdps(40):
        # With s = −ln(1−λ), the slope vanishes where e^s − 1 − s = 2I.
        twice, low, high = 2 * mpf(information), mpf(0), mpf(60)
        for _ in range(120):
            s = (low + high) / 2
            low, high = (s, high) if expm1(s) - s < twice else (low, s)
        exact = (twice + high) / (4 * rows * -expm1(-high))

        assert exact * (1 - mpf("1e-30")) <= claimed <= exact * (1 + mpf("1e-9"))


@given(channels)
def test_no_small_channel_has_a_larger_second_moment(channel: Channel) -> None:
    joint = channel.prior()[:, None] * channel.law
    square = (channel.on_sample() - channel.on_population()) ** 2

    assert float((joint * square).sum()) <= second_moment(channel.information(), rows=2)


@given(
    information=amounts,
    noise=st.floats(0, 1),
    beta=st.fractions(Fraction(1, 10**6), Fraction(99, 100)),
)
def test_the_radius_adds_the_noise_and_chebyshev(
    information: float, noise: float, beta: Fraction
) -> None:
    bound = by_information(Shortfall(radius=noise, beta=beta), information=information, rows=1000)
    with workdps(40):
        exact = noise + sqrt(mpf(second_moment(information, rows=1000)) / mpmathify(beta))

        assert min(1, exact) <= bound.radius <= min(1, exact * (1 + mpf("1e-9")))
    assert isinstance(bound, Simultaneous)
    assert bound.beta == beta


def test_information_of_gaussian_noise_is_the_closed_form() -> None:
    sigma = Fraction(1, 50)
    rho = Fraction(100) / (2 * (1000 * sigma) ** 2)
    by_zcdp = zcdp_information(ZCDP(rho), rows=1000)
    by_leaving = gaussian_information(rows=1000, sigma=sigma, count=100)

    assert by_zcdp == pytest.approx(100 / (2 * 1000 * 0.02**2), rel=1e-12)
    assert by_leaving == pytest.approx(by_zcdp / 4, rel=1e-12)
    # The published form has n/(n−1)² for 1/n.
    assert by_leaving <= 100 * 1000 / (8 * 0.02**2 * 999**2)


def gaussian_truth(*, rows: int, sigma: float, chance: float) -> float:
    """I(S; mean + noise) for bits of this chance, by a fine sum over the answer."""
    weights = np.array(
        [comb(rows, i) * chance**i * (1 - chance) ** (rows - i) for i in range(rows + 1)]
    )
    y = np.linspace(-8 * sigma, 1 + 8 * sigma, 20001)
    bells = np.exp(-((y[None] - np.arange(rows + 1)[:, None] / rows) ** 2) / (2 * sigma**2))
    laws = bells / bells.sum(1, keepdims=True)
    mixture = weights @ laws
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(laws > 0, laws * np.log(laws / mixture), 0.0)
    return float(weights @ terms.sum(1))


@pytest.mark.parametrize("rows", [1, 2, 10, 50])
@pytest.mark.parametrize("sigma", [0.1, 0.5, 2.0])
def test_gaussian_information_covers_the_truth_and_is_sharp_for_much_noise(
    rows: int, sigma: float
) -> None:
    truth = gaussian_truth(rows=rows, sigma=sigma, chance=0.5)
    claimed = gaussian_information(rows=rows, sigma=Fraction(sigma), count=1)

    assert truth <= claimed
    if rows * sigma**2 >= 25:
        assert truth >= 0.95 * claimed


@pytest.mark.parametrize("information", [nan, -1.0, 1e101])
def test_absurd_information_is_refused(information: float) -> None:
    with pytest.raises(InvalidInput, match="information"):
        by_information(
            Shortfall(radius=0.1, beta=Fraction(1, 20)), information=information, rows=10
        )


def test_absurd_arguments_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rows"):
        zcdp_information(ZCDP(Fraction(1)), rows=0)
    with pytest.raises(InvalidInput, match="sigma"):
        gaussian_information(rows=1, sigma=Fraction(0), count=1)

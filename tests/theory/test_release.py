"""What one release costs, against divergences of the laws themselves."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpmathify, workdps

from peekproof.core.charge import GDP, ZCDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.discrete_noise import bounded_range, discrete_gaussian, gaussian, laplace


def test_costs_by_hand() -> None:
    half, three = Fraction(1, 2), Fraction(3)

    assert laplace(scale=three, sensitivity=half) == PureDP(Fraction(1, 6))
    assert gaussian(sigma=three, sensitivity=half) == GDP(Fraction(1, 36))
    assert discrete_gaussian(sigma=three, sensitivity=half) == ZCDP(Fraction(1, 72))


@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(2), Fraction(20)])
@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(2)])
def test_the_discrete_gaussian_stays_below_its_line(order: Fraction, sigma: Fraction) -> None:
    rho = discrete_gaussian(sigma=sigma, sensitivity=Fraction(1)).rho
    with workdps(40):
        a, twice = mpmathify(order), 2 * mpmathify(sigma) ** 2
        grid = range(-200, 201)
        total = sum(exp(-(z**2) / twice) for z in grid)
        tilted = sum(exp(-(a * z**2 + (1 - a) * (z - 1) ** 2) / twice) for z in grid)
        assert log(tilted / total) / (a - 1) <= mpmathify(rho * order) * (1 + mpmathify("1e-30"))


scores = st.lists(st.tuples(st.floats(-3, 3), st.floats(-1, 1)), min_size=2, max_size=6)


@given(table=scores, epsilon=st.fractions(Fraction(1, 10), 8), order=st.integers(2, 30))
def test_an_exponential_mechanism_has_a_bounded_range(
    table: list[tuple[float, float]], epsilon: Fraction, order: int
) -> None:
    rho = bounded_range(PureDP(epsilon)).rho
    with workdps(40):
        near = [exp(mpmathify(epsilon) * mpmathify(score) / 2) for score, _ in table]
        far = [exp(mpmathify(epsilon) * (mpmathify(x) + mpmathify(move)) / 2) for x, move in table]
        moment = sum(
            (p / sum(near)) ** order * (q / sum(far)) ** (1 - order)
            for p, q in zip(near, far, strict=True)
        )
        assert log(moment) / (order - 1) <= mpmathify(rho) * order


def test_half_of_the_range_would_not_do() -> None:
    # Two equal candidates of which one gains and one loses: the loss is near ε²/8 for small ε.
    with workdps(40):
        eps = mpmathify("0.01")
        up, down = exp(eps / 2), exp(-eps / 2)
        p, q = (up / (up + down), down / (up + down)), mpmathify("0.5")
        divergence = log(sum(x**2 / q for x in p))
        assert divergence > 2 * eps**2 / 8 * mpmathify("0.99")


@pytest.mark.parametrize("bad", [Fraction(0), Fraction(-1), 1.0, float("nan"), True, None])
def test_absurd_noise_is_refused(bad: object) -> None:
    one = Fraction(1)
    with pytest.raises(InvalidInput, match=r"^scale must be"):
        laplace(scale=bad, sensitivity=one)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^sigma must be"):
        gaussian(sigma=bad, sensitivity=one)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^sensitivity must be"):
        discrete_gaussian(sigma=one, sensitivity=bad)  # type: ignore[arg-type]

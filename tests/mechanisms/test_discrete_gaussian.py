"""The discrete Gaussian mechanism: its grid, its price by enumeration, and its law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, fsum, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import ZCDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import discrete_gaussian
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.protocol import OneShot, nearest_share
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical

DRAWS = 12_000
FALSE_ALARM = 1e-9

mechanisms = st.builds(
    DiscreteGaussian,
    rows=st.integers(1, 10**6),
    sigma=st.fractions(Fraction(1, 10**4), 10),
    step=st.builds(lambda inverse: Fraction(1, inverse), st.integers(1, 10**6)),
)


def weights(sigma: float) -> dict[int, float]:
    reach = int(40 * sigma) + 2
    raw = {z: exp(-z * z / (2 * sigma * sigma)) for z in range(-reach, reach + 1)}
    whole = fsum(raw.values())
    return {z: w / whole for z, w in raw.items()}


def cdf(sigma: float) -> Callable[[int], float]:
    law = weights(sigma)
    return lambda i: fsum(p for z, p in law.items() if z <= i)


def renyi(sigma: float, order: float) -> float:
    """D_a of the law moved by one against itself, by summation."""
    law = weights(sigma)
    # p(z)^a·p(z−1)^{1−a}: the far ends are below 10^−300 and left out.
    terms = [
        exp(order * log(p) + (1 - order) * log(law[z - 1]))
        for z, p in law.items()
        if p > 1e-300 and law.get(z - 1, 0) > 1e-300
    ]
    return log(fsum(terms)) / (order - 1)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("order", [1.5, 2.0, 3.0])
def test_neighbours_are_no_further_apart_than_the_cost_says(sigma: float, order: float) -> None:
    mechanism = DiscreteGaussian(rows=10, sigma=Fraction(sigma) / 10, step=Fraction(1, 10))
    claimed = float(mechanism.cost().rho) * order

    assert renyi(sigma, order) <= claimed * (1 + 1e-9)
    if sigma >= 1:  # and the cost is not more than is lost
        assert renyi(sigma, order) >= claimed * 0.99


@given(mechanism=mechanisms, share=st.fractions(0, 1), noise=st.integers(-(10**9), 10**9))
def test_a_release_is_the_noisy_count_on_the_grid(
    mechanism: DiscreteGaussian, share: Fraction, noise: int
) -> None:
    asked: list[Fraction] = []

    def scripted(*, sigma: Fraction, rng: object) -> int:
        asked.append(sigma)
        return noise

    count = int(share * mechanism.rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discrete_gaussian, "discrete_gaussian", scripted)
        released = mechanism.release(Exact(count), rng=Seeded(0))

    assert asked == [mechanism.sigma * mechanism.rows]
    assert released == nearest_share(count + noise, rows=mechanism.rows, step=mechanism.step)
    assert (released / mechanism.step).denominator == 1


@given(mechanisms)
def test_the_cost_is_exact(mechanism: DiscreteGaussian) -> None:
    cost = mechanism.cost()

    assert isinstance(cost, ZCDP)
    assert 2 * cost.rho * (mechanism.rows * mechanism.sigma) ** 2 == 1


@given(mechanisms)
def test_the_description_rebuilds_the_mechanism(mechanism: DiscreteGaussian) -> None:
    recorded = mechanism.describe()
    fields = {name: Fraction(recorded[name]) for name in ("sigma", "step")}

    assert recorded["kind"] == DiscreteGaussian.kind == "discrete-gaussian"
    assert DiscreteGaussian(rows=mechanism.rows, **fields) == mechanism


def test_it_keeps_the_protocol() -> None:
    mechanism = DiscreteGaussian(rows=10, sigma=Fraction(1), step=Fraction(1))
    typed: OneShot[int, Fraction] = mechanism

    assert typed is mechanism


@pytest.mark.parametrize("beta", [Fraction(1, 3), Fraction(1, 20), Fraction(1, 10**6)])
def test_releases_stay_within_the_radius_by_the_exact_law(beta: Fraction) -> None:
    mechanism = DiscreteGaussian(rows=4000, sigma=Fraction(1, 200), step=Fraction(1, 4000))
    reach = round(mechanism.radius(beta=beta) * 4000 - 0.5)
    law = weights(20.0)

    assert fsum(p for z, p in law.items() if abs(z) > reach) <= beta
    assert fsum(p for z, p in law.items() if abs(z) > reach - 2) > beta


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("rows", True),
        ("sigma", Fraction(0)),
        ("sigma", 0.5),
        ("sigma", Fraction(10**99)),
        ("sigma", Fraction(1, 10**101)),
        ("step", Fraction(2, 3)),
        ("step", Fraction(1, 10**5000)),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"rows": 1000, "sigma": Fraction(1), "step": Fraction(1)}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        DiscreteGaussian(**{**good, name: value})  # type: ignore[arg-type]


@statistical(false_alarm=FALSE_ALARM)
def test_releases_follow_their_law() -> None:
    mechanism = DiscreteGaussian(rows=1000, sigma=Fraction(1, 200), step=Fraction(1, 1000))
    rng = Seeded(3)
    noise = [abs(int(mechanism.release(Exact(500), rng=rng) * 1000) - 500) for _ in range(DRAWS)]

    def folded(sigma: float) -> Callable[[int], float]:
        whole = cdf(sigma)
        return lambda i: whole(i) - whole(-i - 1) if i >= 0 else 0.0

    assert fit_p_value(noise, folded(5.0)) > FALSE_ALARM
    for wrong in (4.5, 5.5):
        assert fit_p_value(noise, folded(wrong)) < FALSE_ALARM

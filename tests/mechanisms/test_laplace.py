"""The Laplace mechanism: its grid, its price by enumeration, and the law of what it releases."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import product
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import (
    Script,
    at_least,
    folded_cdf,
    largest_loss,
    mass,
    signed_cdf,
)
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import laplace
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.protocol import OneShot, nearest_share
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate

DRAWS = 20_000
FALSE_ALARM = 1e-9

steps = st.builds(lambda inverse: Fraction(1, inverse), st.integers(1, 10**6))
mechanisms = st.builds(
    Laplace,
    rows=st.integers(1, 10**9),
    scale=st.fractions(Fraction(1, 10**6), 10),
    step=steps,
)


@pytest.mark.parametrize("rows", [1, 2, 5, 12])
def test_the_nearest_share_is_the_nearest_and_ties_go_up(rows: int) -> None:
    ties = 0
    for inverse, count in product(range(1, 9), range(-3, rows + 4)):
        share = min(Fraction(1), max(Fraction(0), Fraction(count, rows)))
        grid = sorted(
            (abs(Fraction(i, inverse) - share), -Fraction(i, inverse)) for i in range(inverse + 1)
        )
        ties += grid[0][0] == grid[1][0]

        assert nearest_share(count, rows=rows, step=Fraction(1, inverse)) == -grid[0][1]
    assert (ties > 0) == (rows % 2 == 0)  # halfway between two of the grid needs even rows


@given(mechanism=mechanisms, share=st.fractions(0, 1), seed=st.integers(0, 10**6))
def test_releases_lie_on_the_public_grid_whatever_the_count(
    mechanism: Laplace, share: Fraction, seed: int
) -> None:
    released = mechanism.release(Exact(int(share * mechanism.rows)), rng=Seeded(seed))

    assert 0 <= released <= 1
    assert (released / mechanism.step).denominator == 1


@given(mechanism=mechanisms, share=st.fractions(0, 1), noise=st.integers(-(10**9), 10**9))
def test_a_release_is_the_noisy_count_on_the_grid(
    mechanism: Laplace, share: Fraction, noise: int
) -> None:
    count = int(share * mechanism.rows)
    with pytest.MonkeyPatch.context() as patch:
        script = Script(noise=(mechanism.scale * mechanism.rows, [noise]))
        script.install(patch, laplace)
        released = mechanism.release(Exact(count), rng=Seeded(0))

    assert script.asked == [mechanism.scale * mechanism.rows]
    assert released == nearest_share(count + noise, rows=mechanism.rows, step=mechanism.step)


def released_law(mechanism: Laplace, count: int) -> list[float]:
    """Pr[released = i·step]: all integers that round to i, and at the ends all beyond."""
    rows, cells, scale = mechanism.rows, mechanism.step.denominator, float(mechanism.scale)
    low = [-((rows - 2 * i * rows) // (2 * cells)) for i in range(cells + 1)]  # first integer of i
    short = [
        fsum(mass(z - count, scale * rows) for z in range(low[i], low[i + 1]))
        for i in range(1, cells)
    ]
    first = at_least(count - low[1] + 1, scale * rows)  # by symmetry, so that nothing cancels
    return [first, *short, at_least(low[cells] - count, scale * rows)]


@pytest.mark.parametrize("cells", [1, 4, 20, 30])
@pytest.mark.parametrize("scale", [Fraction(1, 10), Fraction(1, 40)])
def test_neighbours_differ_by_what_a_release_costs_and_no_more(cells: int, scale: Fraction) -> None:
    mechanism = Laplace(rows=20, scale=scale, step=Fraction(1, cells))
    epsilon = float(mechanism.cost().epsilon)
    worst = max(
        largest_loss(released_law(mechanism, count), released_law(mechanism, count + 1))
        for count in range(20)
    )
    cheat = replace(mechanism, scale=scale * 9 / 10)

    assert epsilon * (1 - 1e-9) <= worst <= epsilon * (1 + 1e-9)
    assert largest_loss(released_law(cheat, 0), released_law(cheat, 1)) > epsilon * 1.1


def test_the_enumerated_law_is_a_law_and_knows_ties() -> None:
    mechanism = Laplace(rows=20, scale=Fraction(1, 10), step=Fraction(1, 4))
    law = released_law(mechanism, 7)

    assert fsum(law) == pytest.approx(1, abs=1e-12)
    for i, chance in enumerate(law):
        naive = fsum(
            mass(z, 2.0)
            for z in range(-200, 201)
            if nearest_share(7 + z, rows=20, step=Fraction(1, 4)) == Fraction(i, 4)
        )
        assert chance == pytest.approx(naive, rel=1e-9)


@given(mechanisms)
def test_the_cost_is_exact(mechanism: Laplace) -> None:
    assert mechanism.cost().epsilon * mechanism.rows * mechanism.scale == 1


@given(mechanisms)
def test_the_description_rebuilds_the_mechanism(mechanism: Laplace) -> None:
    recorded = mechanism.record()
    scale, step = Fraction(recorded["scale"]), Fraction(recorded["step"])

    assert recorded["kind"] == Laplace.kind == "laplace"
    assert Laplace(rows=mechanism.rows, scale=scale, step=step) == mechanism


def test_it_keeps_the_protocol_and_certifies_its_own_parameters() -> None:
    mechanism = Laplace(rows=5000, scale=Fraction(1, 90), step=Fraction(1, 4096))
    typed: OneShot[int, Fraction] = mechanism
    target = Target.of(confidence=0.9, questions=30)

    assert typed is mechanism
    assert mechanism.certify(target) == discrete_laplace_certificate(
        rows=5000, scale=Fraction(1, 90), step=Fraction(1, 4096), target=target
    )


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)])
@pytest.mark.parametrize("cells", [7, 1000])
def test_releases_stay_within_the_radius_by_the_exact_law(beta: Fraction, cells: int) -> None:
    mechanism = Laplace(rows=1000, scale=Fraction(1, 100), step=Fraction(1, cells))
    radius = mechanism.radius(beta=beta)

    def beyond(reach: float) -> float:
        law = released_law(mechanism, 500)
        return fsum(p for i, p in enumerate(law) if abs(i / cells - 0.5) > reach)

    assert beyond(radius) <= beta
    if cells == 1000:  # otherwise the grid hides the noise
        assert beyond(radius - 0.0025) > beta * Fraction(99, 100)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_are_a_positive_integer(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be an integer of at least 1, got "):
        Laplace(rows=rows, scale=Fraction(1), step=Fraction(1))


@pytest.mark.parametrize(
    "scale", [Fraction(0), Fraction(-1), 0.5, 1, Fraction(1, 10**101), Fraction(10**98)]
)
def test_absurd_noise_is_refused(scale: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^scale must be "):
        Laplace(rows=1000, scale=scale, step=Fraction(1))


@pytest.mark.parametrize(
    "step", [Fraction(2, 3), Fraction(2), Fraction(0), Fraction(-1, 2), 0.5, Fraction(1, 10**5000)]
)
def test_the_grid_holds_0_and_1_and_can_be_written_down(step: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^step must be "):
        Laplace(rows=1, scale=Fraction(1), step=step)


def test_a_mechanism_cannot_be_changed_after_it_was_certified() -> None:
    mechanism = Laplace(rows=1, scale=Fraction(1), step=Fraction(1))
    with pytest.raises(FrozenInstanceError):
        mechanism.scale = Fraction(1, 2)  # type: ignore[misc]


@statistical(false_alarm=2 * FALSE_ALARM)
def test_releases_follow_their_law() -> None:
    mechanism = Laplace(rows=4000, scale=Fraction(1, 200), step=Fraction(1, 4000))
    rng = Seeded(1)
    noise = [int(mechanism.release(Exact(2000), rng=rng) * 4000) - 2000 for _ in range(DRAWS)]
    sizes = [abs(z) for z in noise]

    assert fit_p_value(sizes, folded_cdf(20.0)) > FALSE_ALARM
    assert fit_p_value(sizes, folded_cdf(18.0)) < FALSE_ALARM  # a tenth less noise
    assert fit_p_value(sizes, folded_cdf(22.0)) < FALSE_ALARM  # a tenth more
    assert fit_p_value(noise, signed_cdf(20.0)) > FALSE_ALARM
    assert fit_p_value([z + 2 for z in noise], signed_cdf(20.0)) < FALSE_ALARM  # a bias

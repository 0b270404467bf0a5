"""Several Laplace counts at once: one noise a cell, an L1 price, and their law."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import at_least, folded_cdf, mass
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import laplace
from peekproof.mechanisms.laplace import LaplaceVector
from peekproof.mechanisms.protocol import OneShot, nearest_share
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate

FALSE_ALARM = 1e-9

mechanisms = st.builds(
    LaplaceVector,
    rows=st.integers(1, 10**6),
    cells=st.integers(1, 12),
    sensitivity=st.integers(1, 10),
    scale=st.fractions(Fraction(1, 10**4), 10),
    step=st.builds(lambda inverse: Fraction(1, inverse), st.integers(1, 10**6)),
)
HISTOGRAM = LaplaceVector(
    rows=4000, cells=5, sensitivity=2, scale=Fraction(1, 200), step=Fraction(1, 4000)
)


@given(mechanism=mechanisms, data=st.data())
def test_every_cell_has_its_own_noise_and_lies_on_the_grid(
    mechanism: LaplaceVector, data: st.DataObject
) -> None:
    size = mechanism.cells
    counts = data.draw(st.lists(st.integers(0, mechanism.rows), min_size=size, max_size=size))
    noises = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=size, max_size=size))
    asked = []

    def scripted(*, scale: Fraction, count: int, rng: object) -> list[int]:
        asked.append((scale, count))
        return noises

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(laplace, "discrete_laplaces", scripted)
        released = mechanism.release(Exact(tuple(counts)), rng=Seeded(0))

    assert asked == [(mechanism.scale * mechanism.rows, size)]
    assert released == tuple(
        nearest_share(count + noise, rows=mechanism.rows, step=mechanism.step)
        for count, noise in zip(counts, noises, strict=True)
    )
    assert all((share / mechanism.step).denominator == 1 for share in released)


@given(mechanisms)
def test_the_cost_is_the_l1_sensitivity_over_the_noise(mechanism: LaplaceVector) -> None:
    cost = mechanism.cost().epsilon

    assert cost * mechanism.rows * mechanism.scale == mechanism.sensitivity


def test_a_replaced_record_of_a_histogram_costs_two_moves_and_no_more() -> None:
    scale = float(HISTOGRAM.scale * HISTOGRAM.rows)

    def loss(moves: tuple[int, ...], noisy: tuple[int, ...]) -> float:
        """ln of how the joint probability of one noisy vector changes."""
        return sum(
            log(mass(z, scale) / mass(z - move, scale))
            for z, move in zip(noisy, moves, strict=True)
        )

    replaced = [
        tuple((i == to) - (i == away) for i in range(5)) for away in range(5) for to in range(5)
    ]
    points = [(a, b, 0, 3, -3) for a in range(-4, 5) for b in range(-4, 5)]
    worst = max(abs(loss(moves, noisy)) for moves in replaced for noisy in points)

    assert worst == pytest.approx(float(HISTOGRAM.cost().epsilon), rel=1e-9)
    # The price of one count would be half of what is lost.
    assert worst > 1.9 / scale


@given(mechanisms)
def test_the_description_rebuilds_the_mechanism(mechanism: LaplaceVector) -> None:
    recorded = mechanism.describe()

    assert all(isinstance(value, str) for value in recorded.values())
    assert recorded["kind"] == LaplaceVector.kind == "laplace-vector"
    assert (
        LaplaceVector(
            rows=mechanism.rows,
            cells=int(recorded["cells"]),
            sensitivity=int(recorded["sensitivity"]),
            scale=Fraction(recorded["scale"]),
            step=Fraction(recorded["step"]),
        )
        == mechanism
    )


def test_it_keeps_the_protocol_and_certifies_all_its_cells() -> None:
    typed: OneShot[tuple[int, ...], tuple[Fraction, ...]] = HISTOGRAM
    target = Target.of(confidence=0.95, questions=3)

    assert typed is HISTOGRAM
    assert HISTOGRAM.certify(target) == discrete_laplace_certificate(
        rows=4000,
        scale=HISTOGRAM.scale,
        step=HISTOGRAM.step,
        target=target,
        cells=5,
        sensitivity=2,
    )
    single = Target.of(confidence=0.95, questions=1)
    # Fifteen noises, but three vectors' loss: not the certificate of fifteen counts.
    assert HISTOGRAM.certify(single).parts[1].radius < HISTOGRAM.certify(target).parts[1].radius


@pytest.mark.parametrize("beta", [Fraction(1, 4), Fraction(1, 10**5)])
def test_all_cells_stay_within_the_radius_by_the_exact_law(beta: Fraction) -> None:
    reach = round(HISTOGRAM.radius(beta=beta) * 4000 - 0.5)
    inside = 1 - 2 * at_least(reach + 1, 20.0)

    assert 1 - inside**5 <= beta
    assert 1 - (1 - 2 * at_least(reach - 2, 20.0)) ** 5 > beta


@pytest.mark.parametrize("counts", [(), (1, 2, 3, 4), (1, 2, 3, 4, 5, 6)])
def test_the_number_of_counts_is_public_and_must_fit(counts: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput) as refused:
        HISTOGRAM.release(Exact(counts), rng=Seeded(0))

    assert str(refused.value) == "exact must be 5 integers, got another number of them"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("cells", 0),
        ("cells", True),
        ("cells", 10**101),
        ("sensitivity", 0),
        ("sensitivity", 10**101),
        ("scale", Fraction(0)),
        ("scale", 1.0),
        ("scale", Fraction(10**99)),
        ("step", Fraction(2, 3)),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"rows": 1000, "cells": 2, "sensitivity": 2, "scale": Fraction(1), "step": Fraction(1)}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        LaplaceVector(**{**good, name: value})  # type: ignore[arg-type]


@statistical(false_alarm=FALSE_ALARM)
def test_releases_follow_their_law() -> None:
    rng, counts = Seeded(2), (2000, 1000, 1500, 3000, 700)
    sizes = [
        abs(int(share * 4000) - count)
        for _ in range(3600)
        for share, count in zip(HISTOGRAM.release(Exact(counts), rng=rng), counts, strict=True)
    ]

    assert fit_p_value(sizes, folded_cdf(20.0)) > FALSE_ALARM
    for wrong in (18.0, 22.0):
        assert fit_p_value(sizes, folded_cdf(wrong)) < FALSE_ALARM

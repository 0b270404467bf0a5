"""The bridge to privacy-loss distributions: what is handed over, and what comes back."""

import csv
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

from peekproof.accounting.accountants import GaussianExact, Numerical
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    DiscreteGaussian,
    Gaussian,
    Laplace,
    Neighbours,
    SampledGaussian,
)
from peekproof.accounting.library import LEAST_DELTA, Pld
from peekproof.core.errors import InvalidInput

pytest.importorskip("dp_accounting")
DELTA = Fraction(1, 10**6)
ROWS = list(csv.DictReader((Path(__file__).parent / "pld_map.csv").read_text().splitlines()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["count"])
def test_samples_cost_what_finer_grids_say(row: dict[str, str]) -> None:
    step = SampledGaussian(sigma=Fraction(1), rate=Fraction(1, 100))
    epsilon = Pld().epsilon(Conversation.of((step, int(row["count"]))), delta=DELTA)
    assert Fraction(row["optimistic"]) <= epsilon
    assert abs(epsilon - Fraction(row["pessimistic"])) <= Fraction(row["pessimistic"]) / 1000


def test_it_agrees_with_proven_roundings() -> None:
    gaussian = Conversation.of((Gaussian(sigma=Fraction(8), sensitivity=Fraction(2)), 9))
    exact = GaussianExact().epsilon(gaussian, delta=DELTA)
    assert exact <= Pld().epsilon(gaussian, delta=DELTA) <= exact * Fraction(1001, 1000)
    mixed = Conversation.of(
        (Laplace(scale=Fraction(9), sensitivity=Fraction(2)), 30),
        (Approximate(epsilon=Fraction(1, 9), delta=Fraction(1, 10**9)), 20),
    )
    ours, theirs = (a.epsilon(mixed, delta=DELTA) for a in (Numerical(), Pld()))
    assert abs(ours - theirs) <= ours / 500


def test_a_sample_of_everyone_is_no_sample() -> None:
    everyone = SampledGaussian(sigma=Fraction(3), rate=Fraction(1))
    noise = Gaussian(sigma=Fraction(3), neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    one, other = (Pld().epsilon(Conversation.of((e, 5)), delta=DELTA) for e in (everyone, noise))
    assert abs(one - other) <= one / 1000


def test_small_deltas_are_refused_and_never_returned() -> None:
    talk = Conversation.of(Gaussian(sigma=Fraction(5)))
    with pytest.raises(InvalidInput, match=r"^delta must be a Fraction from 1e-10"):
        Pld().epsilon(talk, delta=LEAST_DELTA * Fraction(99, 100))
    assert LEAST_DELTA < Pld().delta(talk, epsilon=Fraction(50)) < 2 * LEAST_DELTA


def test_nothing_and_what_is_not_covered() -> None:
    assert Pld().epsilon(Conversation.of(), delta=DELTA) == 0
    assert Pld().delta(Conversation.of(), epsilon=Fraction(0)) == 0
    with pytest.raises(InvalidInput, match=r"^events must be ones that the PLD"):
        Pld().epsilon(Conversation.of(Concentrated(rho=DELTA)), delta=DELTA)
    assert not Pld().covers(DiscreteGaussian(sigma=Fraction(2), sensitivity=Fraction(3, 2)))


def spread_over_four(sigma: float, level: float) -> float:
    """δ when four integers, each with discrete Gaussian noise, all move by 1: an L2 of 2."""
    reach = range(-40, 41)
    one = [exp(-z * z / (2 * sigma**2)) for z in reach]
    law = {0: 1.0}
    for _ in range(4):
        after: dict[int, float] = {}
        for total, mass in law.items():
            for z, weight in zip(reach, one, strict=True):
                after[total + z] = after.get(total + z, 0.0) + mass * weight / sum(one)
        law = after
    losses = ((mass, (4 - 2 * z) / (2 * sigma**2)) for z, mass in law.items())
    return sum(mass * max(0.0, 1 - exp(level - loss)) for mass, loss in losses if loss > level)


def test_a_vector_of_integers_is_covered_or_refused() -> None:
    event = DiscreteGaussian(sigma=Fraction(1), sensitivity=Fraction(2))
    if Pld().covers(event):
        claimed = Pld().delta(Conversation.of(event), epsilon=Fraction(4))
        assert float(claimed) >= spread_over_four(1.0, 4.0)


@pytest.mark.parametrize("sigma", [Fraction(10**400), Fraction(1, 10**400)])
def test_absurd_noise_is_refused(sigma: Fraction) -> None:
    with pytest.raises(InvalidInput):
        Pld().epsilon(Conversation.of(Gaussian(sigma=sigma)), delta=DELTA)

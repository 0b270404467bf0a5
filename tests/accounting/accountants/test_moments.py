"""The bridge to the moments accountant."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from peekproof.accounting.accountants import GaussianExact
from peekproof.accounting.events import (
    Conversation,
    Exponential,
    Gaussian,
    Laplace,
    SampledGaussian,
)
from peekproof.accounting.library import Moments
from peekproof.core.errors import InvalidInput

pytest.importorskip("dp_accounting")
DELTA = Fraction(1, 10**6)
STEP = SampledGaussian(sigma=Fraction(1), rate=Fraction(1, 100))
ROWS = list(csv.DictReader((Path(__file__).parent / "pld_map.csv").read_text().splitlines()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["count"])
def test_samples_cost_what_the_map_says(row: dict[str, str]) -> None:
    epsilon = Moments().epsilon(Conversation.of((STEP, int(row["count"]))), delta=DELTA)
    assert Fraction(row["optimistic"]) < epsilon
    assert abs(epsilon - Fraction(row["moments"])) <= epsilon / 10**8


def test_gaussian_noise_costs_no_less_than_it_does() -> None:
    talk = Conversation.of((Gaussian(sigma=Fraction(6), sensitivity=Fraction(2)), 20))
    exact = GaussianExact().epsilon(talk, delta=DELTA)
    assert exact <= Moments().epsilon(talk, delta=DELTA) <= exact * Fraction(5, 4)


def test_only_the_ratio_of_noise_and_sensitivity_matters() -> None:
    wide = SampledGaussian(sigma=Fraction(3), rate=STEP.rate, sensitivity=Fraction(3))
    one, other = (Moments().epsilon(Conversation.of((e, 9)), delta=DELTA) for e in (STEP, wide))
    assert one == other


def test_delta_comes_back() -> None:
    talk = Conversation.of((STEP, 100))
    back = Moments().delta(talk, epsilon=Moments().epsilon(talk, delta=DELTA))
    assert DELTA / 2 <= back <= DELTA * (1 + Fraction(1, 1000))


def test_counts_the_library_forgets_never_reach_it() -> None:
    for event in (Exponential(epsilon=Fraction(1)), Laplace(scale=Fraction(1))):
        assert not Moments().covers(event)
        with pytest.raises(InvalidInput, match=r"^events must be ones that the moments"):
            Moments().epsilon(Conversation.of((event, 100)), delta=DELTA)


def test_nothing_costs_nothing() -> None:
    assert Moments().epsilon(Conversation.of(), delta=DELTA) == 0
    assert Moments().delta(Conversation.of(), epsilon=Fraction(0)) == 0
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        Moments().epsilon(Conversation.of(), delta=Fraction(0))


def test_absurd_noise_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Moments().epsilon(Conversation.of(Gaussian(sigma=Fraction(10**400))), delta=DELTA)


def test_noise_that_hides_everything_has_a_bound() -> None:
    talk = Conversation.of(Gaussian(sigma=Fraction(10**150)))
    try:
        assert Moments().delta(talk, epsilon=Fraction(0)) > 0
    except InvalidInput:
        return

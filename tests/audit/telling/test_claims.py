"""How likely each notion of a loss lets an event be, against closed forms and integrals."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from mpmath import mpf, ncdf, workdps

from peekproof.audit.distinguisher import most_likely
from peekproof.core.charge import GDP, TV, ZCDP, ApproxDP, Draws, PureDP
from peekproof.core.errors import InvalidInput

PROBABILITIES = (0.0, 1e-6, 0.01, 0.3, 0.5, 0.9, 1.0)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_a_pure_loss_multiplies(probability: float) -> None:
    bound = most_likely(PureDP(Fraction(1, 2)), probability)
    assert bound == pytest.approx(min(1, exp(0.5) * probability), rel=1e-8)
    assert bound >= min(1, exp(0.5) * probability)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_what_is_given_away_is_added(probability: float) -> None:
    approx = ApproxDP(epsilon=Fraction(1, 2), delta=Fraction(1, 10))
    near = min(1, exp(0.5) * probability + 0.1)
    assert near <= most_likely(approx, probability) <= near + 1e-8
    far = min(1, probability + 0.1)
    assert far <= most_likely(TV(Fraction(1, 10)), probability) <= far + 1e-8


def test_an_enormous_loss_excludes_nothing_that_can_be() -> None:
    assert most_likely(PureDP(Fraction(10**6)), 1e-12) == 1
    assert most_likely(ZCDP(Fraction(10**6)), 1e-12) == 1
    assert most_likely(PureDP(Fraction(10**6)), 0.0) == 0


@pytest.mark.parametrize("cut", [-30.0, -8.5, -3.0, -1.0, 0.0, 0.7, 2.5])
def test_a_gaussian_loss_is_reached_by_two_normals(cut: float) -> None:
    """Z + μ and Z below a cut, μ = 3/2."""
    with workdps(30):
        rare, likely = float(ncdf(mpf(cut))), float(ncdf(mpf(cut) + mpf(3) / 2))
    bound = most_likely(GDP(Fraction(9, 4)), rare)
    assert bound == pytest.approx(likely, rel=1e-6)
    assert bound >= likely


@pytest.mark.parametrize("cut", [-3.0, -1.0, 0.0, 0.7, 2.5])
def test_a_concentrated_loss_allows_two_normals_and_not_much_more(cut: float) -> None:
    """N(0, 1) and N(1, 1) have ρ = 1/2."""
    with workdps(30):
        rare, likely = float(ncdf(mpf(cut))), float(ncdf(mpf(cut) + 1))
    bound = most_likely(ZCDP(Fraction(1, 2)), rare)
    assert likely <= bound <= 2.2 * likely
    assert most_likely(ZCDP(Fraction(1, 50)), rare) < 0.6 * bound or bound == 1


def test_nothing_becomes_likelier_than_sure() -> None:
    for cost in (PureDP(Fraction(3)), GDP(Fraction(3)), ZCDP(Fraction(3))):
        bounds = [most_likely(cost, probability) for probability in PROBABILITIES]
        assert bounds == sorted(bounds)
        assert bounds[-1] == 1


def test_what_only_counts_bounds_nothing() -> None:
    with pytest.raises(InvalidInput, match="bounds a loss"):
        most_likely(Draws(Fraction(1)), 0.5)

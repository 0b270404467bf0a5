"""Loss variables against the laws that define them: E L = KL, and δ(ε) from the tail."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, inf, isclose, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import erfc, mpmathify, sqrt, workdps
from mpmath import exp as mexp
from numpy.typing import NDArray

from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import GaussianPair, LaplacePair, Number, Pair
from peekproof.theory.loss_law import (
    Atom,
    FiniteLoss,
    GaussianShiftLoss,
    LaplaceShiftLoss,
    LossVariable,
)
from theory.divergence.pairs import any_pairs, few, full_pairs

SKEWED = Pair.of([0.5, 0.25, 0.25], [0.25, 0.125, 0.625])
CONTINUOUS = (
    GaussianShiftLoss(GaussianPair(shift=1, sigma=2)),
    GaussianShiftLoss(GaussianPair(shift=9, sigma=3)),
    LaplaceShiftLoss(LaplacePair(shift=1, scale=2)),
    LaplaceShiftLoss(LaplacePair(shift=9, scale=3)),
)
VARIABLES: tuple[LossVariable, ...] = (
    FiniteLoss(SKEWED),
    FiniteLoss(Pair.of([0.5, 0.25, 0.25], [0.5, 0.5, 0])),
    *CONTINUOUS,
)
every_variable = pytest.mark.parametrize("variable", VARIABLES, ids=repr)


# Cells of the midpoint rule. Every jump of the variables above lies on an edge between cells.
STEP = 2.0**-5
CELLS = STEP * (np.arange(24 / STEP) + 0.5)


def tails(variable: LossVariable, at: Iterable[float]) -> NDArray[np.float64]:
    return np.array([variable.tail(float(t)) for t in at])


@pytest.mark.parametrize("variable", CONTINUOUS, ids=repr)
def test_the_mean_is_the_area_of_the_tails(variable: LossVariable) -> None:
    # E L = ∫₀^∞ Pr[L > t] dt − ∫_{−∞}^0 Pr[L ≤ t] dt.
    area = STEP * (tails(variable, CELLS).sum() - (1 - tails(variable, -CELLS)).sum())
    assert float(area) == pytest.approx(variable.mean(), abs=1e-4)


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 0.375, 1.25])
@pytest.mark.parametrize("variable", CONTINUOUS, ids=repr)
def test_the_hockey_stick_is_a_mean_over_the_tail(
    variable: GaussianShiftLoss | LaplaceShiftLoss, epsilon: float
) -> None:
    # δ(ε) = E(1 − e^{ε−L})₊ = ∫_ε^∞ e^{ε−t} Pr[L > t] dt, for every pair of laws.
    integral = STEP * (np.exp(-CELLS) * tails(variable, epsilon + CELLS)).sum()
    assert variable.pair.hockey_stick(epsilon=epsilon) == pytest.approx(float(integral), abs=1e-4)


@few
@given(pair=any_pairs, epsilon=st.fractions(-3, 3))
def test_the_hockey_stick_is_a_mean_over_the_atoms(pair: Pair, epsilon: Fraction) -> None:
    mean = sum(
        float(atom.probability) * -expm1(float(epsilon) - atom.loss)
        for atom in FiniteLoss(pair).atoms()
        if atom.loss > epsilon
    )
    assert pair.hockey_stick(epsilon=epsilon) == pytest.approx(mean, abs=1e-14)


@every_variable
def test_points_rise_and_agree_with_the_tail(variable: LossVariable) -> None:
    points = variable.points()
    for (t, below), (later, more) in pairwise(points):
        assert t <= later
        assert below <= more
        if t < later:  # the second point of a jump, or a continuous one
            assert below == pytest.approx(1 - variable.tail(t), abs=1e-12)
    assert points[0][1] < 1e-6
    assert points[-1][1] == pytest.approx(1 - variable.tail(10**6), abs=1e-6)


@few
@given(t=st.fractions(-6, 6), more=st.fractions(0, 3))
def test_tails_fall_from_one(t: Fraction, more: Fraction) -> None:
    for variable in VARIABLES:
        assert 0 <= variable.tail(t + more) <= variable.tail(t) <= 1
        assert variable.tail(-(10**9)) == 1


@few
@given(any_pairs)
def test_atoms_are_the_outcomes_of_p(pair: Pair) -> None:
    atoms = FiniteLoss(pair).atoms()

    assert sum(atom.probability for atom in atoms) == 1
    assert all(one.loss < other.loss for one, other in pairwise(atoms))
    for p, q in zip(pair.p, pair.q, strict=True):
        loss = (log(p / q) if q else inf) if p else None
        same = [a for a in atoms if loss is not None and isclose(a.loss, loss, abs_tol=1e-15)]
        assert len(same) == (p > 0)


@few
@given(full_pairs)
def test_the_mean_of_the_atoms_is_kl(pair: Pair) -> None:
    variable = FiniteLoss(pair)
    mean = sum(atom.loss * float(atom.probability) for atom in variable.atoms())

    assert variable.mean() == pytest.approx(mean, abs=1e-14)


def test_equal_ratios_are_one_atom_and_it_is_not_above_itself() -> None:
    variable = FiniteLoss(SKEWED)
    low, high = variable.atoms()

    assert high == Atom(log(2), Fraction(3, 4))
    assert low.probability == Fraction(1, 4)
    assert variable.tail(high.loss) == 0
    assert variable.tail(low.loss) == 0.75
    assert variable.points() == ((low.loss, 0), (low.loss, 0.25), (high.loss, 0.25), (high.loss, 1))


def test_infinite_losses_stay_in_every_tail() -> None:
    variable = FiniteLoss(Pair.of([0.5, 0.25, 0.25], [0.5, 0.5, 0]))

    assert variable.atoms()[-1] == Atom(inf, Fraction(1, 4))
    assert variable.mean() == inf
    assert variable.tail(10**9) == 0.25
    assert variable.points()[-1] == (0.0, 0.75)


@few
@given(mu=st.fractions(Fraction(1, 100), 20), score=st.fractions(-30, 36))
def test_gaussian_tails_to_fifty_digits(mu: Fraction, score: Fraction) -> None:
    variable = GaussianShiftLoss(GaussianPair(shift=mu, sigma=1))
    with workdps(50):
        exact = erfc(mpmathify(score) / sqrt(2)) / 2
        assert abs(variable.tail(mu * mu / 2 + mu * score) / exact - 1) < 1e-14


@few
@given(epsilon=st.fractions(Fraction(1, 100), 30), share=st.fractions(-1, Fraction(999, 1000)))
def test_laplace_tails_are_the_law_of_the_noise(epsilon: Fraction, share: Fraction) -> None:
    variable = LaplaceShiftLoss(LaplacePair(shift=epsilon, scale=1))
    t = share * epsilon
    with workdps(50):
        # L > t just when the noise is below (ε₀ − t)/2.
        exact = 1 - mexp(mpmathify(t - epsilon) / 2) / 2
        assert abs(variable.tail(t) / exact - 1) < 1e-15


def test_laplace_atoms_sit_at_the_ends() -> None:
    variable = LaplaceShiftLoss(LaplacePair(shift=3, scale=2))
    (first, before), (second, after) = variable.points()[:2]

    assert (first, second, before) == (-1.5, -1.5, 0)
    assert after == pytest.approx(exp(-1.5) / 2, rel=1e-15)
    assert variable.points()[-2:] == ((1.5, 0.5), (1.5, 1.0))
    assert variable.tail(1.5) == 0
    assert variable.tail(Fraction(3, 2) - Fraction(1, 10**30)) == pytest.approx(0.5)


def test_equal_laws_lose_nothing() -> None:
    for variable in (
        GaussianShiftLoss(GaussianPair(shift=0, sigma=1)),
        LaplaceShiftLoss(LaplacePair(shift=0, scale=1)),
        FiniteLoss(Pair.of([1], [1])),
    ):
        assert variable.points() == ((0.0, 0.0), (0.0, 1.0))
        assert variable.tail(0) == 0
        assert variable.tail(-1e-300) == 1
        assert variable.mean() == 0


@every_variable
@pytest.mark.parametrize("threshold", [nan, inf, True])
def test_a_threshold_that_is_no_number_is_refused(
    variable: LossVariable, threshold: Number
) -> None:
    with pytest.raises(InvalidInput, match=r"^threshold must be"):
        variable.tail(threshold)

"""Laws on a grid against exact sums of their atoms."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, expm1, mpf, mpmathify, workdps

from peekproof.core.errors import InvalidInput
from peekproof.theory.loss_law import GridLaw, length
from theory.composition.patience import within

STEP = Fraction(1, 5)
Atoms = list[tuple[Fraction, float]]

spots = st.fractions(-6, 6, max_denominator=40)
atoms = st.lists(st.tuples(spots, st.floats(0.01, 1)), min_size=1, max_size=5)
steps = st.fractions(Fraction(1, 20), 3, max_denominator=30)
levels = st.integers(0, 40).map(lambda tenths: Fraction(tenths, 10))


def exact_delta(groups: Sequence[Atoms], epsilon: Fraction) -> mpf:
    """E(1 − e^{ε − loss})₊ over every combination of atoms, at 50 digits."""
    with workdps(50):
        total = mpf(0)
        for picked in product(*groups):
            loss = sum((loss for loss, _ in picked), Fraction(0))
            weight = mpf(1)
            for _, probability in picked:
                weight *= mpf(probability)
            total -= weight * expm1(min(mpf(0), mpmathify(epsilon - loss)))
        return total


def moment(law: GridLaw, power: int) -> mpf:
    """Σ weight·e^{power·loss}: the mass under P for 0, under Q for −1."""
    with workdps(50):
        return sum(
            mpf(weight) * exp(power * mpmathify((law.first + i) * law.step))
            for i, weight in enumerate(law.weights.tolist())
        )


@settings(max_examples=30)
@given(atoms, steps)
def test_splitting_keeps_the_mass_under_both_laws_and_only_rounds_up(
    given_atoms: Atoms, step: Fraction
) -> None:
    law = GridLaw.of_atoms(given_atoms, step=step)
    with workdps(50):
        first = sum(mpf(weight) for _, weight in given_atoms)
        second = sum(mpf(weight) * exp(-mpmathify(loss)) for loss, weight in given_atoms)
        assert first <= moment(law, 0) <= first * (1 + mpf("1e-14"))
        assert second <= moment(law, -1) <= second * (1 + mpf("1e-14"))


@settings(max_examples=30)
@given(atoms, levels)
def test_on_a_grid_line_delta_is_exact_and_between_them_not_smaller(
    given_atoms: Atoms, epsilon: Fraction
) -> None:
    law = GridLaw.of_atoms(given_atoms, step=STEP).curve()
    exact = exact_delta([given_atoms], epsilon)
    claimed = law.delta_at(float(epsilon))

    assert exact <= mpf(claimed) or claimed == 1
    if (epsilon / STEP).denominator == 1:
        assert claimed <= exact * (1 + mpf("1e-11")) + mpf("1e-14")


@settings(max_examples=30)
@given(st.lists(atoms, min_size=2, max_size=3), levels)
def test_a_sum_of_losses_is_enumerated(groups: list[Atoms], epsilon: Fraction) -> None:
    placed = [[(round(loss / STEP) * STEP, weight / 5) for loss, weight in g] for g in groups]
    total = GridLaw.nothing(step=STEP)
    for group in placed:
        total = total.then(GridLaw.of_atoms(group, step=STEP))
    exact, claimed = exact_delta(placed, epsilon), total.curve().delta_at(float(epsilon))

    assert exact <= mpf(claimed) <= exact * (1 + mpf("1e-11")) + mpf("1e-14")


@settings(max_examples=30)
@given(atoms, st.integers(1, 40))
def test_times_is_repeating(given_atoms: Atoms, count: int) -> None:
    one = GridLaw.of_atoms([(x, w / 5) for x, w in given_atoms], step=STEP)
    slow = GridLaw.nothing(step=STEP)
    for _ in range(count):
        slow = slow.then(one)
    fast = one.times(count, lost=0.0)

    assert (fast.first, len(fast.weights)) == (slow.first, len(slow.weights))
    assert np.allclose(fast.weights, slow.weights, rtol=1e-11, atol=0)


@settings(max_examples=30)
@given(atoms, st.floats(0, 1), levels)
def test_trimming_only_raises_delta(given_atoms: Atoms, mass: float, epsilon: Fraction) -> None:
    law = GridLaw.of_atoms(given_atoms, step=STEP).times(3, lost=0.0)
    short = law.trimmed(mass)

    assert len(short.weights) <= len(law.weights)
    assert short.curve().delta_at(float(epsilon)) >= law.curve().delta_at(float(epsilon))
    assert short.beyond <= law.beyond + mass * (1 + 1e-12)


@settings(max_examples=30)
@given(atoms, st.integers(2, 9), levels)
def test_a_finer_grid_is_never_looser(given_atoms: Atoms, finer: int, epsilon: Fraction) -> None:
    coarse = GridLaw.of_atoms(given_atoms, step=STEP).curve().delta_at(float(epsilon))
    fine = GridLaw.of_atoms(given_atoms, step=STEP / finer).curve().delta_at(float(epsilon))

    assert fine <= coarse * (1 + 1e-11) + 1e-14


def test_what_underflows_is_counted_as_beyond() -> None:
    speck = GridLaw(step=STEP, first=0, weights=np.array([1.0, 1e-200]))
    assert speck.then(speck).beyond > 0


def test_a_grid_that_does_not_fit_is_refused() -> None:
    assert length(10, step=STEP) == 10
    with pytest.raises(InvalidInput, match=r"^step must be coarser"):
        GridLaw.of_atoms([(Fraction(0), 1.0), (Fraction(10**9), 1.0)], step=Fraction(1))


def test_few_atoms_far_apart_are_composed_in_time_or_refused() -> None:
    far = GridLaw.of_atoms([(Fraction(i * 10**5), 0.1) for i in range(9)], step=Fraction(1))
    with within(1):
        law = far.then(far)
    assert len(law.weights.nonzero()[0]) == 17


def test_a_sum_that_does_not_fit_is_refused() -> None:
    wide = np.zeros(15 * 10**6)
    wide[[0, -1]] = 0.5
    law = GridLaw(step=STEP, first=0, weights=wide)
    with pytest.raises(InvalidInput, match=r"^step must be coarser"):
        law.then(law)


@pytest.mark.parametrize("step", [Fraction(10**400), Fraction(1, 10**400)])
def test_absurd_steps_are_refused(step: Fraction) -> None:
    with pytest.raises(InvalidInput):
        GridLaw.of_atoms([(Fraction(1), 0.5), (Fraction(-1), 0.5)], step=step)


def test_an_infinite_beyond_is_no_more_than_certain() -> None:
    law = GridLaw(step=STEP, first=0, weights=np.ones(1), beyond=inf)
    assert law.curve().delta_at(0.0) == 1

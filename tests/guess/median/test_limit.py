"""The maximum-entropy holder: optimality, infeasibility, and the limit that it claims to be."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.guess.median import limit
from peekproof.guess.median.constraint import Constraint, Floats, NoneConsistent
from peekproof.guess.median.exact import ExactHolder
from peekproof.guess.median.limit import TOLERANCE, LimitHolder
from peekproof.guess.median.sampled import SampledHolder
from peekproof.testing.statistics import statistical

TENTH = Fraction(1, 10)
FALSE_ALARM = 1e-9


def entropy_of(weights: Floats) -> float:
    kept = weights[weights > 0]
    return float(-(kept * np.log(kept)).sum())


def feasible(cells: int, count: int, *, seed: int) -> list[Constraint]:
    """Constraints that some law satisfies with room to spare."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(cells, 0.7))
    found = []
    for index in range(count):
        values = rng.random(cells) if index % 2 else (rng.random(cells) < 0.5).astype(np.float64)
        within = Fraction(int(rng.integers(1, 60)), 1000)
        found.append(Constraint.around(values, Fraction(float(values @ law)), within=within))
    return found


@pytest.mark.parametrize(("cells", "count"), [(2, 1), (3, 2), (5, 3), (40, 12), (300, 40)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fit_satisfies_the_conditions_for_a_maximum(cells: int, count: int, seed: int) -> None:
    holder = LimitHolder(cells=cells)
    constraints = feasible(cells, count, seed=seed)
    for constraint in constraints:
        holder.keep(constraint)
    assert holder.consistent
    weights, tilts = holder.weights, holder.tilts

    assert weights.sum() == pytest.approx(1, abs=1e-12)
    for constraint, tilt in zip(constraints, tilts, strict=True):
        attained = float(np.asarray(constraint.values) @ weights)
        low, high = float(constraint.low), float(constraint.high)
        assert low - 2 * TOLERANCE <= attained <= high + 2 * TOLERANCE
        if tilt > 0:
            assert attained == pytest.approx(low, abs=2 * TOLERANCE)
        if tilt < 0:
            assert attained == pytest.approx(high, abs=2 * TOLERANCE)
    # p ∝ e^{Σ θ_j q_j}, from the definition.
    raised = np.exp(sum(t * np.asarray(c.values) for t, c in zip(tilts, constraints, strict=True)))
    assert weights == pytest.approx(raised / raised.sum(), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_other_law_on_three_cells_has_more_entropy(seed: int) -> None:
    """Against a search over a fine grid of all laws, which knows nothing of duality."""
    holder = LimitHolder(cells=3)
    constraints = feasible(3, 2, seed=seed)
    for constraint in constraints:
        holder.keep(constraint)
    ticks = np.arange(1201) / 1200
    first, second = np.meshgrid(ticks, ticks)
    laws = np.stack([first, second, 1 - first - second]).reshape(3, -1).T
    laws = laws[laws[:, 2] >= 0]
    for constraint in constraints:
        means = laws @ np.asarray(constraint.values)
        laws = laws[(means >= float(constraint.low)) & (means <= float(constraint.high))]
    logs = np.log(np.where(laws > 0, laws, 1))
    most = float((-(laws * logs).sum(axis=1)).max())

    assert most <= entropy_of(holder.weights) + 1e-7
    assert most >= entropy_of(holder.weights) - 0.02  # the grid comes near


@pytest.mark.parametrize(("answer", "end"), [("0.9", "0.85"), ("0.2", "0.25"), ("0.45", None)])
def test_one_yes_or_no_question_has_a_closed_form(answer: str, end: str | None) -> None:
    holder = LimitHolder(cells=4)
    values = [1, 1, 0, 0]
    holder.keep(Constraint.around(values, Fraction(answer), within=Fraction(1, 20)))
    expected = mpmath.mpf(end or "0.5")
    tilt = mpmath.log(expected / (1 - expected))

    assert float(holder.median(values)) == pytest.approx(float(expected), abs=1e-9)  # type: ignore[arg-type]
    assert holder.tilts[0] == pytest.approx(float(tilt), abs=1e-7)
    assert holder.weights == pytest.approx(
        [float(expected) / 2] * 2 + [float(1 - expected) / 2] * 2
    )


def test_repeated_and_opposite_questions_are_no_trouble() -> None:
    holder = LimitHolder(cells=3)
    for _ in range(3):
        holder.keep(Constraint.around([1, 0, Fraction(1, 2)], Fraction(8, 10), within=TENTH))
        holder.keep(Constraint.around([0, 1, Fraction(1, 2)], Fraction(2, 10), within=TENTH))
    single = LimitHolder(cells=3)
    single.keep(Constraint.around([1, 0, Fraction(1, 2)], Fraction(8, 10), within=TENTH))

    assert holder.consistent
    assert holder.weights == pytest.approx(single.weights, abs=1e-7)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_a_constraint_may_lie_at_the_very_end(share: Fraction) -> None:
    holder = LimitHolder(cells=4)
    holder.keep(Constraint.around([1, 0, 0, 0], share, within=Fraction(0)))

    assert holder.consistent
    found = holder.median([1, 0, 0, 0])
    assert isinstance(found, Fraction)
    assert abs(found - share) <= Fraction(TOLERANCE)


def test_contradictions_are_reported() -> None:
    above = LimitHolder(cells=2)
    above.keep(Constraint(values=[0, Fraction(1, 2)], low=Fraction(3, 4), high=Fraction(1)))
    jointly = LimitHolder(cells=3)
    for cell in range(3):
        values = [int(cell == each) for each in range(3)]
        assert jointly.consistent
        jointly.keep(Constraint.around(values, Fraction(1, 2), within=TENTH))
    for holder, count in ((above, 1), (jointly, 3)):
        assert not holder.consistent
        assert holder.median([0] * holder.cells) == NoneConsistent(constraints=count)
        holder.keep(Constraint.around([0] * holder.cells, Fraction(0), within=TENTH))
        assert holder.median([0] * holder.cells) == NoneConsistent(constraints=count + 1)


def test_a_fit_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "MOST_SWEEPS", 1)
    holder = LimitHolder(cells=40)
    for constraint in feasible(40, 12, seed=1):
        holder.keep(constraint)
    assert not holder.consistent


@given(
    questions=st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=3),
    tilts=st.tuples(*[st.floats(-5, 5)] * 3),
    law=st.tuples(*[st.floats(0.01, 1)] * 3),
    slack=st.floats(0, 0.2),
)
def test_no_law_has_more_entropy_than_the_dual_allows(
    questions: list[tuple[float, ...]],
    tilts: tuple[float, ...],
    law: tuple[float, ...],
    slack: float,
) -> None:
    """What makes a negative value of the dual a proof that nothing is consistent."""
    weights = np.array(law) / sum(law)
    rows, theta = np.array(questions), np.array(tilts[: len(questions)])
    means = rows @ weights
    value = limit._value(rows, theta, means - slack, means + slack)
    naive = log(sum(exp(float(theta @ rows[:, x])) for x in range(3))) - sum(
        t * (m - slack if t > 0 else m + slack) for t, m in zip(theta, means, strict=True)
    )

    assert value == pytest.approx(naive, abs=1e-9)
    assert value >= entropy_of(weights) - 1e-9


CASES: list[tuple[list[tuple[list[float], str]], list[float]]] = [
    ([([1, 0, 0], "0.6")], [0, 1, 0]),
    ([([1, 0, 0], "0.2"), ([0.5, 1, 0], "0.4")], [1, 0, 0.25]),
    ([([1, 0, 1], "0.9"), ([0, 1, 0.5], "0.45")], [0.2, 0.9, 0.4]),
    ([([0.25, 0.75, 0.5], "0.65")], [1, 1, 0]),
]


@pytest.mark.parametrize(("known", "asked"), CASES)
def test_exact_medians_approach_the_limit_as_one_over_the_size(
    known: list[tuple[list[float], str]], asked: list[float]
) -> None:
    limit = LimitHolder(cells=3)
    gaps = []
    for size in (20, 80, 240):
        exact = ExactHolder(cells=3, size=size)
        for values, answer in known:
            constraint = Constraint.around(values, Fraction(answer), within=Fraction(1, 20))
            exact.keep(constraint)
            if size == 20:
                limit.keep(constraint)
        found, expected = exact.median(asked), limit.median(asked)
        assert isinstance(found, Fraction)
        assert isinstance(expected, Fraction)
        gaps.append(abs(found - expected) * size)
    assert max(gaps) <= 2, [float(gap) for gap in gaps]


@statistical(false_alarm=len(CASES) * FALSE_ALARM)
def test_sampled_medians_agree_with_the_exact_ones() -> None:
    size, count = 40, 1000
    reach = sqrt(log(2 / FALSE_ALARM) / (2 * count))  # of ranks, by the inequality of Massart
    for known, asked in CASES:
        exact = ExactHolder(cells=3, size=size)
        chains = SampledHolder(cells=3, size=size, seed=1, chains=count, sweeps=3)
        for values, answer in known:
            constraint = Constraint.around(values, Fraction(answer), within=Fraction(1, 20))
            exact.keep(constraint)
            chains.keep(constraint)
        assert all(mixing.arrived == count for mixing in chains.mixing)
        found, expected = chains.median(asked), exact.median(asked)
        assert isinstance(found, Fraction)
        assert isinstance(expected, Fraction)

        means, total = exact._rows @ np.array(asked) / size, float(exact.count())
        weights = exact._weights.astype(np.float64)
        below = weights[means < float(found) - 1e-9].sum() / total
        upto = weights[means <= float(found) + 1e-9].sum() / total
        assert below <= 0.5 + reach
        assert upto >= 0.5 - reach
        # Ranks so near to the middle are values within one record of it.
        order = np.argsort(means)
        ranks = np.cumsum(weights[order]) / total
        near = means[order][(ranks >= 0.5 - reach) & (ranks <= 0.5 + reach)]
        assert (np.abs(near - float(expected)) <= 1 / size + 1e-9).all()


def test_without_constraints_it_is_the_mean_over_the_cells() -> None:
    for values in product((0, 1), repeat=3):
        assert LimitHolder(cells=3).median(values) == pytest.approx(sum(values) / 3)


def test_absurd_parameters_are_refused() -> None:
    for cells in (0, -1, True, 2**24 + 1):
        with pytest.raises(InvalidInput):
            LimitHolder(cells=cells)
    with pytest.raises(InvalidInput):
        LimitHolder(cells=3).median([0, 1])


def test_it_describes_itself() -> None:
    assert LimitHolder(cells=7).describe() == {
        "held": "limit",
        "cells": "7",
        "tolerance": "1e-09",
    }

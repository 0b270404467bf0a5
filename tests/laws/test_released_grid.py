"""Released numbers are points of a public grid that all data reaches: no low-order bits tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import peekproof
from laws.cheats import STRAIGHT, in_floats, reachable
from peekproof.audit.distinguisher import most_likely
from peekproof.audit.evidence import chance
from peekproof.core.charge import GDP
from peekproof.core.secret import Exact
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector, Noisy, NoisyCells
from peekproof.mechanisms.laplace import Laplace
from peekproof.noise.entropy import Seeded
from peekproof.session.records import Reading
from peekproof.testing.statistics import statistical

FALSE_ALARM = 2e-9


@statistical(false_alarm=FALSE_ALARM)
def test_every_point_that_one_count_reaches_every_other_reaches() -> None:
    """Noise has full support and rounding does not look: the set of outputs is the same for all.

    No point here has a probability below 1/100 for any count, so one of at most 9·5 is missed in
    3,000 draws with probability 45·0.99^3000 < 10⁻¹¹ for each mechanism.
    """
    rows, half, step = 4, Fraction(1, 2), Fraction(1, 8)
    grid = {point * step for point in range(9)}
    shares = {point * 2 * step for point in range(5)}  # what counts of four rows can be rounded to
    scalars: list[tuple[Any, set[Fraction]]] = [
        (Gaussian(rows=rows, sigma=half, step=step), grid),
        (Laplace(rows=rows, scale=half, step=step), shares),
        (DiscreteGaussian(rows=rows, sigma=half, step=step), shares),
    ]
    for mechanism, points in scalars:
        for count in range(rows + 1):
            rng = Seeded(count)
            seen = {mechanism.release(Exact(count), rng=rng) for _ in range(3_000)}
            assert seen == points, (mechanism, count)
    vector = GaussianVector(rows=rows, sigma=half, step=step, cells=rows + 1, ball=Fraction(1))
    rng, counts = Seeded(9), tuple(range(rows + 1))
    drawn = [vector.release(Exact(counts), rng=rng) for _ in range(3_000)]
    assert [set(cell) for cell in zip(*drawn, strict=True)] == [grid] * (rows + 1)


def test_a_session_releases_points_of_a_grid_that_does_not_know_the_data() -> None:
    def everything(heights: list[float]) -> list[tuple[Fraction, list[Fraction]]]:
        """Each step, and what was released on it."""
        with peekproof.open(
            {"height": heights}, questions=40, mechanisms=[Gaussian], entropy=Seeded(1)
        ) as session:
            session.ask("height > 1.7")
            session.ask("height > 1.5", radius=session.plan.radius * 1.37)
            session.ask("mean(height, 0, 3, 0)")
            session.ask("mean(height, 0, 3, 0) ", radius=1.0)
            session.ask("mean(height * height, 0, 9, 0)", radius=3.3)
            session.histogram("histogram(height, (1, 1.5, 2))")
            found = []
            for settled in session.ledger.seen.answers.values():
                read = Reading.of(settled, rows=session.plan.mechanism.rows)
                assert isinstance(read.draw, Noisy | NoisyCells)
                found.append((read.draw.step, list(read.value)))
            return found

    heights = np.random.default_rng(3).normal(1.6, 0.2, 3_000).tolist()
    here, there = everything(heights), everything([2.9, *heights[1:]])

    assert [step for step, _ in here] == [step for step, _ in there]
    assert sum(len(values) for _, values in here) >= 8
    for step, values in [*here, *there]:
        assert step.numerator == 1
        assert all((value / step).denominator == 1 for value in values)
        assert all(0 <= value <= 1 for value in values)


def told(first: float, *, seed: int) -> bool:
    """The attack on all numbers of a session in which nobody but the first may be above 0."""
    with peekproof.open(
        {"x": [first] + [0.0] * 999},
        questions=20,
        mechanisms=[Gaussian],
        entropy=Seeded(seed),
        ledger=":memory:",
    ) as session:
        session.ask("x > 0")
        session.ask("mean(x, 0, 1, 0)")
        session.ask("x > 0.5", radius=session.plan.radius * 1.3)
        session.histogram("histogram(x, (0.25, 0.75))")
        values = [each.value for each in session.ledger.seen.answers.values()]
    numbers = [
        number
        for value in values
        for number in (value[1:] if isinstance(value, tuple) else [value])
    ]
    return any(not reachable(float(number), 0.0) for number in numbers)


def textbook_told(count: int, *, seed: int) -> bool:
    rng = Seeded(seed)
    return any(not reachable(in_floats(STRAIGHT, count, rng), 0.0) for _ in range(4))


@statistical(false_alarm=FALSE_ALARM)
def test_the_attack_on_low_bits_tells_no_more_of_a_session_than_its_budget() -> None:
    sessions = 100
    none, one = (
        chance(
            sum(told(first, seed=seed) for seed in seeds),
            trials=sessions,
            false_alarm=FALSE_ALARM / 2,
        )
        for first, seeds in ((0.0, range(sessions)), (1.0, range(sessions, 2 * sessions)))
    )
    with peekproof.open({"x": [0.0] * 1_000}, questions=20, mechanisms=[Gaussian]) as session:
        budget = session.plan.budget
    assert isinstance(budget, GDP)

    assert one.low <= most_likely(budget, none.high)
    assert none.low <= most_likely(budget, one.high)
    # Textbook noise on as few numbers breaks any such budget.
    none, one = (
        chance(
            sum(textbook_told(count, seed=seed) for seed in range(sessions)),
            trials=sessions,
            false_alarm=FALSE_ALARM / 2,
        )
        for count in (0, 1)
    )
    assert one.low > most_likely(budget, none.high)

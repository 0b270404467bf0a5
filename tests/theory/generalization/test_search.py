"""Searches find minima that are known."""

from math import exp, nan, sqrt

import pytest

from peekproof.theory.generalization.search import Point, descend, golden


@pytest.mark.parametrize("best", [1e-6, 0.3, 5e7])
def test_golden_finds_the_bottom_of_a_valley(best: float) -> None:
    found = golden(lambda x: x / best + best / x, low=1e-9, high=1e9)

    assert found == pytest.approx(best, rel=1e-4)


def test_golden_finds_an_end_if_that_is_least() -> None:
    assert golden(lambda x: x, low=2, high=9) == pytest.approx(2, rel=1e-4)
    assert golden(lambda x: -x, low=2, high=9) == pytest.approx(9, rel=1e-4)


def test_descend_finds_a_minimum_in_three_parameters() -> None:
    def objective(point: Point) -> float:
        a, b, c = point
        return a / 1e-3 + 1e-3 / a + a * b / 1e-3 + 1 / b + c + 1e-8 / c

    a, b, c = descend(objective, start=(1.0, 1.0, 1.0))
    assert c == pytest.approx(1e-4, rel=1e-2)
    assert objective((a, b, c)) == pytest.approx(min_two() + 2e-4, rel=1e-5)


def min_two() -> float:
    """min over a, b of x + 1/x + xb + 1/b with x = a/10⁻³, on a fine grid."""
    grid = [exp(i / 500) for i in range(-750, 750)]
    return min(x + 1 / x + 2 * sqrt(x) for x in grid)


def test_descend_avoids_points_without_a_value() -> None:
    (found,) = descend(lambda p: nan if p[0] < 2 else p[0], start=(10.0,))

    assert found == pytest.approx(2, rel=1e-3)


def test_descend_keeps_a_start_that_nothing_beats() -> None:
    assert descend(lambda p: float(p != (1.0, 1.0)), start=(1.0, 1.0)) == (1.0, 1.0)


def test_descend_stops_after_its_rounds() -> None:
    calls: list[Point] = []

    def objective(point: Point) -> float:
        calls.append(point)
        return point[0]

    descend(objective, start=(1.0,), rounds=2)
    assert len(calls) <= 2 + 2 * 2


def test_descend_stays_in_reach_of_its_start() -> None:
    (found,) = descend(lambda p: p[0], start=(1.0,))

    assert 1e-14 < found < 1e-12

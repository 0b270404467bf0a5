"""T-drift-gauss on exact posteriors: E cosh(λ·drift) for small universes and adaptive analysts."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import exp

import numpy as np
import pytest

from theory.generalization.conversations import (
    Control,
    Drifts,
    Floats,
    alternating,
    constant,
    conversation,
    correlating,
    fractional,
    steepest,
)

CONTROLS = (constant, alternating, correlating, fractional, steepest)
PRIORS = {
    "fair coin": (0.5, 0.5),
    "rare coin": (0.05, 0.95),
    "even three": (1 / 3, 1 / 3, 1 / 3),
    "uneven three": (0.6, 0.3, 0.1),
}
MUS = (0.1, 0.5, 1.5)
SCALED_RATES = (0.5, 2.0, 6.0)
COARSE, FINE = 21, 31


def log_bound(mu: float, rate: float, constant: float = 32) -> float:
    return (rate**2 + 1) * mu**2 / constant


def drifts(name: str, rows: int, mu: float, control: Control, nodes: int) -> Drifts:
    """Three questions to one row, two unequal ones to several."""
    times = [mu**2 * part for part in ((0.5, 0.25, 0.25) if rows == 1 else (0.6, 0.4))]
    prior = np.array(PRIORS[name])
    return conversation(prior, rows=rows, times=times, control=control, nodes=nodes)


SETTINGS = [
    *product(PRIORS, (1,), MUS, CONTROLS),
    *product(("fair coin", "rare coin"), (2, 3), MUS, (constant, fractional)),
    *product(("even three", "uneven three"), (2,), MUS, CONTROLS),
]


def measures(found: Drifts) -> dict[str, Floats]:
    return {
        "mean angle": found.mean_angle,
        "root mean square": found.root_mean_square,
        "total variation": found.variation,
    }


@cache
def growths() -> dict[tuple[str, int, float, str, str, float], float]:
    """ln E cosh(λ·measure) for every setting, measure and λμ."""
    table = {}
    for name, rows, mu, control in SETTINGS:
        found = drifts(name, rows, mu, control, FINE)
        for what, values in measures(found).items():
            for scaled in SCALED_RATES:
                growth = found.growth(values, rate=scaled / mu)
                table[name, rows, mu, control.__name__, what, scaled] = growth
    return table


def caught(against: float) -> set[tuple[str, int, float, str, str, float]]:
    """Where the inequality with another constant in place of 32 is violated."""
    return {
        setting
        for setting, growth in growths().items()
        if growth > log_bound(setting[2], setting[-1] / setting[2], against)
    }


def test_the_bound_holds_for_every_universe_and_analyst() -> None:
    assert caught(32) == set()


def test_twice_the_constant_is_caught_for_every_number_of_rows_and_measure() -> None:
    violated = caught(64)

    assert {rows for _, rows, *_ in violated} == {1, 2, 3}
    assert {what for *_, what, _ in violated} == {
        "mean angle",
        "root mean square",
        "total variation",
    }
    assert {control for *_, control, _, _ in violated} == {each.__name__ for each in CONTROLS}
    assert {name for name, *_ in violated} == {"fair coin", "even three", "uneven three"}


def test_the_constant_cannot_even_be_33() -> None:
    """A fair coin with little information and a large λ: both sides agree to first order."""
    mu, rate = 0.02, 4 / 0.02
    found = drifts("fair coin", 1, mu, constant, FINE)

    for values in (found.mean_angle, found.root_mean_square, found.variation):
        assert log_bound(mu, rate, 33) < found.growth(values, rate=rate) < log_bound(mu, rate)


@pytest.mark.parametrize("control", CONTROLS)
def test_the_quadrature_has_converged(control: Control) -> None:
    """Halving the mesh moves E cosh by far less than the bound leaves free."""
    for name, rows, mu in (("uneven three", 1, 1.5), ("even three", 2, 0.5)):
        coarse, fine = (drifts(name, rows, mu, control, nodes) for nodes in (COARSE, FINE))
        assert coarse.weight.sum() == pytest.approx(1, abs=1e-12)
        for what in measures(fine):
            for scaled in SCALED_RATES:
                rate = scaled / mu
                rough = coarse.growth(measures(coarse)[what], rate=rate)
                exact = fine.growth(measures(fine)[what], rate=rate)
                assert abs(rough - exact) < (log_bound(mu, rate) - exact) / 4


def test_questions_really_adapt() -> None:
    """Otherwise the analysts above are one and the same."""
    found = {
        round(growths()["uneven three", 1, 1.5, control.__name__, "mean angle", 2.0], 5)
        for control in CONTROLS
    }
    assert len(found) == len(CONTROLS)


class TestTheBestStoppingRule:
    """One row, two records: the analyst who stops when it hurts most, by dynamic programming.

    The log-odds l of the record move as in a Brownian observation; at each of the steps the
    analyst may go on or stop.
    """

    STEPS = 12

    @classmethod
    def value(cls, prior: float, mu: float, rate: float) -> float:
        """ln of the largest E cosh(λA) over all stopping rules on the time grid."""
        time = mu**2 / cls.STEPS
        mesh = np.sqrt(time) / 3
        reach = int((mu**2 / 2 + 9 * mu) / mesh)
        odds = np.arange(-reach, reach + 1) * mesh + np.log(prior / (1 - prior))
        law = 1 / (1 + np.exp(-odds))
        overlap = np.sqrt(law * prior) + np.sqrt((1 - law) * (1 - prior))
        stopped = np.cosh(rate * np.arccos(np.minimum(1, overlap)))
        gap = odds[None, :] - odds[:, None]
        kernel = sum(
            chance[:, None] * np.exp(-((gap - sign * time / 2) ** 2) / (2 * time))
            for sign, chance in ((1, law), (-1, 1 - law))
        ) * (mesh / np.sqrt(2 * np.pi * time))
        best = stopped
        for _ in range(cls.STEPS):
            best = np.maximum(stopped, kernel @ best)
        return float(np.log(best[reach]))

    def test_it_stays_within_the_bound(self) -> None:
        for prior in (0.5, 0.2, 0.02):
            for mu in (0.1, 0.5, 1.5):
                for scaled in (0.5, 2.0, 6.0):
                    rate = scaled / mu
                    assert self.value(prior, mu, rate) <= log_bound(mu, rate)

    def test_it_breaks_twice_the_constant(self) -> None:
        assert self.value(0.5, 0.1, 60.0) > log_bound(0.1, 60.0, 64)
        assert self.value(0.2, 0.1, 60.0) > 0.6 * log_bound(0.1, 60.0)

    def test_without_stopping_it_is_the_single_answer(self) -> None:
        """For a fair coin, going on always pays: the value is that of one answer, by quadrature."""
        mu, rate = 0.5, 4.0
        odds = np.linspace(-8, 8, 20_001)
        law = sum(np.exp(-((odds - sign * mu**2 / 2) ** 2) / (2 * mu**2)) for sign in (-1, 1)) / (
            mu * np.sqrt(8 * np.pi)
        )
        one = np.trapezoid(np.cosh(rate * np.arctan(np.tanh(np.abs(odds) / 4))) * law, odds)
        assert exp(self.value(0.5, mu, rate)) == pytest.approx(float(one), rel=1e-6)

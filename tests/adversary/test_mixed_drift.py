"""Choices and histograms between Gaussian answers: the drift of one session, enumerated.

Three rows of three records are asked a question, then for a choice or a histogram, then another
question that leans with what was seen. The law of a record given everything is computed for every
path: noise by quadrature, choices by their exact probabilities. T-drift-choice says that the clock
pays for all of it: E cosh(λY) ≤ e^{(λ²+1)μ²/32} for the root mean square Y of the angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import final

import numpy as np
import numpy.typing as npt
import pytest

from peekproof.core.charge import GDP, PureDP
from peekproof.theory.generalization.drift import choice_cost
from peekproof.theory.generalization.gaussian import partition_ball, vector_cost
from theory.generalization.conversations import angles

Floats = npt.NDArray[np.float64]

ROWS = 3
PRIOR = np.array([0.5, 0.3, 0.2])
RATES = (0.3, 1.0, 3.0, 8.0, 20.0)
NODES = 15

DATA_SETS = np.array(list(product(range(len(PRIOR)), repeat=ROWS)))
SHARES = np.stack(
    [np.equal(DATA_SETS, record).mean(axis=1) for record in range(len(PRIOR))], axis=1
)

# A quadrature for the noise: a law of its own with 15 values, so what it leaves out is checked.
POINTS = np.linspace(-5.5, 5.5, NODES)
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()


@final
@dataclass(frozen=True, slots=True)
class Paths:
    """For every path: its data set, its probability, and the law of all data sets given it."""

    truth: npt.NDArray[np.int64]
    weight: Floats
    posterior: Floats

    @classmethod
    def start(cls) -> Paths:
        law = PRIOR[DATA_SETS].prod(axis=1)
        truth = np.arange(len(DATA_SETS))
        return cls(truth, law, np.tile(law, (len(law), 1)))

    def branch(self, chance: Floats, likelihood: Floats) -> Paths:
        """chance: paths × outcomes; likelihood: paths × outcomes × data sets."""
        outcomes = chance.shape[1]
        posterior = (self.posterior[:, None, :] * likelihood).reshape(-1, len(DATA_SETS))
        return Paths(
            np.repeat(self.truth, outcomes),
            (self.weight[:, None] * chance).ravel(),
            posterior / posterior.sum(axis=1, keepdims=True),
        )

    def law(self) -> Floats:
        """The law of a record given the path: paths × records."""
        return np.asarray(self.posterior @ SHARES)

    def growth(self, rate: float) -> float:
        """ln E cosh(λY)."""
        joint = self.posterior.reshape(len(self.weight), len(PRIOR), -1)
        others = joint.sum(axis=1)
        angle = angles(PRIOR, joint / np.maximum(others, 1e-300)[:, None, :])
        mean_square = (others * angle**2).sum(axis=1)
        return float(np.log(self.weight @ np.cosh(rate * np.sqrt(mean_square))))


def ask(paths: Paths, question: Floats, *, time: float) -> Paths:
    """Each path's own question of [0, 1] through noise of the size that takes this time."""
    sigma = 1 / (ROWS * np.sqrt(time))
    means = question @ SHARES.T
    seen = means[np.arange(len(means)), paths.truth][:, None] + sigma * POINTS
    likelihood = np.exp(-(((seen[:, :, None] - means[:, None, :]) / sigma) ** 2) / 2)
    return paths.branch(np.tile(WEIGHTS, (len(means), 1)), likelihood)


def histogram(paths: Paths, *, time: float) -> Paths:
    """All three shares at once; they lie in a plane, whose two coordinates carry the noise."""
    sigma = float(np.sqrt(4 * float(partition_ball(cells=3)) / time)) / ROWS
    for direction in (np.array([1.0, -1, 0]) / np.sqrt(2), np.array([1.0, 1, -2]) / np.sqrt(6)):
        question = np.tile(direction, (len(paths.weight), 1))
        paths = ask(paths, question, time=1 / (ROWS * sigma) ** 2)
    return paths


def choose(paths: Paths, favourite: Floats, *, epsilon: float) -> Paths:
    """Two candidates, `favourite` (paths × records, 0 or 1) and its opposite, by their counts."""
    counts = ROWS * favourite @ SHARES.T
    scores = np.stack([counts, ROWS - counts], axis=1)
    weights = np.exp(epsilon * scores / 2)
    likelihood = weights / weights.sum(axis=1, keepdims=True)
    return paths.branch(likelihood[np.arange(len(counts)), :, paths.truth], likelihood)


def leaning(paths: Paths) -> Floats:
    """The records that seem over-represented."""
    return (paths.law() > PRIOR).astype(float)


def first(paths: Paths) -> Floats:
    return np.tile(np.array([1.0, 0, 0]), (len(paths.weight), 1))


def mixed(*, time: float, epsilon: float) -> Paths:
    paths = Paths.start()
    paths = ask(paths, first(paths), time=time)
    paths = choose(paths, leaning(paths), epsilon=epsilon)
    return ask(paths, leaning(paths), time=time)


def choices_only(*, epsilon: float, count: int) -> Paths:
    paths = Paths.start()
    for number in range(count):
        favourite = first(paths) if number == 0 else leaning(paths)
        paths = choose(paths, favourite, epsilon=epsilon)
    return paths


def fullest(paths: Paths, spent: GDP) -> float:
    """How much of what the clock allows is reached, at the rate where it is most."""
    clock = float(spent.mu_squared) / 32
    return max(paths.growth(rate) / ((rate**2 + 1) * clock) for rate in RATES)


def choices(epsilon: float, count: int) -> GDP:
    return choice_cost(PureDP(Fraction(epsilon))) * count


def test_posteriors_are_a_martingale() -> None:
    """What the enumeration rests on: paths add up to one, and their laws to the prior."""
    paths = mixed(time=0.25, epsilon=0.5)

    assert paths.weight.sum() == pytest.approx(1, abs=1e-12)
    # The noise of the quadrature ends at 5.5σ and has 15 values; both show only here.
    assert paths.weight @ paths.law() == pytest.approx(PRIOR, abs=1e-4)


@pytest.mark.parametrize(("time", "epsilon"), [(0.04, 0.25), (0.25, 1.0), (1.0, 2.0)])
def test_answers_and_choices_stay_within_one_clock(time: float, epsilon: float) -> None:
    spent = GDP(2 * Fraction(time)) + choices(epsilon, 1)

    assert fullest(mixed(time=time, epsilon=epsilon), spent) <= 0.99


@pytest.mark.parametrize("time", [0.04, 0.5])
def test_histograms_choices_and_answers_stay_within_one_clock(time: float) -> None:
    paths = histogram(Paths.start(), time=time)
    paths = choose(paths, leaning(paths), epsilon=0.5)
    paths = ask(paths, leaning(paths), time=time)
    sigma = np.sqrt(4 * float(partition_ball(cells=3)) / time) / ROWS
    square = partition_ball(cells=3)
    charged = vector_cost(rows=ROWS, sigma=Fraction(float(sigma)), squared_radius=square)

    assert float(charged.mu_squared) == pytest.approx(time)
    assert fullest(paths, charged + GDP(Fraction(time)) + choices(0.5, 1)) <= 0.99


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_choices_alone_would_break_a_tenth_of_their_charge(epsilon: float) -> None:
    paths = choices_only(epsilon=epsilon, count=6)
    full = fullest(paths, choices(epsilon, 6))

    assert 0.1 < full <= 0.99


def test_a_session_of_answers_and_choices_rejects_a_tenth_for_choices() -> None:
    paths = choices_only(epsilon=1.0, count=4)
    paths = ask(paths, leaning(paths), time=0.01)
    honest = choices(1.0, 4) + GDP(Fraction(1, 100))
    cheat = GDP(choices(1.0, 4).mu_squared / 10) + GDP(Fraction(1, 100))

    assert fullest(paths, honest) <= 0.99
    assert fullest(paths, cheat) > 1

"""Private releases between Gaussian answers: the inequality their charge rests on."""

from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import numpy.typing as npt
import pytest

from peekproof.core.charge import GDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import choice_cost, private_cost

Array = npt.NDArray[np.float64]

RATES = (0.1, 1.0, 3.0, 10.0, 40.0, 150.0)
EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0)


def _laws(rng: np.random.Generator, size: int) -> tuple[Array, Array]:
    """A prior and a posterior: unrelated, or near each other."""
    prior = rng.dirichlet(np.ones(size) * rng.choice([0.1, 1.0, 5.0])) + 1e-12
    posterior = rng.dirichlet(np.ones(size) * rng.choice([0.1, 1.0, 5.0])) + 1e-12
    if rng.random() < 0.6:
        posterior = prior * np.exp(rng.normal(size=size) * rng.choice([0.0, 0.02, 0.2, 1.0]))
    return prior / prior.sum(), posterior / posterior.sum()


def _growth(prior: Array, posterior: Array, channel: Array, rate: float) -> float:
    """ln of E cosh(λA′) / cosh(λA) for a release with law channel[x, y]."""
    angle = np.arccos(min(1.0, np.sqrt(posterior * prior).sum()))
    seen = posterior @ channel
    after = posterior[:, None] * channel / seen
    angles = np.arccos(np.minimum(1.0, np.sqrt(after * prior[:, None]).sum(axis=0)))
    return float(np.log((seen * np.cosh(rate * angles)).sum()) - np.log(np.cosh(rate * angle)))


def _exponential(rng: np.random.Generator, records: int, choices: int, epsilon: float) -> Array:
    """An exponential mechanism: scores between −½ and ½ besides what all records share."""
    ends = rng.random() < 0.6
    scores = rng.choice([-0.5, 0.5], (records, choices)) if ends else rng.random((records, choices))
    common = rng.normal(size=choices) * rng.choice([0.0, 1.0, 4.0])
    weights = np.exp(epsilon * scores / 2 + common)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _randomised_response(rng: np.random.Generator, records: int, epsilon: float) -> Array:
    says = rng.integers(0, 2, records)[:, None] == np.arange(2)
    return np.asarray(np.where(says, np.exp(epsilon), 1.0) / (1 + np.exp(epsilon)))


def _cases(seed: int) -> Iterator[tuple[np.random.Generator, Array, Array, float, float]]:
    rng = np.random.default_rng(seed)
    for _ in range(1500):
        prior, posterior = _laws(rng, int(rng.integers(2, 6)))
        yield rng, prior, posterior, float(rng.choice(EPSILONS)), float(rng.choice(RATES))


def _clock(cost: GDP, rate: float) -> float:
    return float(cost.mu_squared) * (rate**2 + 1) / 32


def test_a_choice_never_outruns_its_charge() -> None:
    worst = 0.0
    for rng, prior, posterior, epsilon, rate in _cases(1):
        channel = _exponential(rng, len(prior), int(rng.integers(2, 6)), epsilon)
        grown = _growth(prior, posterior, channel, rate)
        worst = max(worst, grown / _clock(choice_cost(PureDP(Fraction(epsilon))), rate))

    assert worst <= 1
    assert worst > 0.2  # so a charge of a fifth would fail


def test_a_private_release_never_outruns_its_charge() -> None:
    worst = 0.0
    for rng, prior, posterior, epsilon, rate in _cases(2):
        channel = _randomised_response(rng, len(prior), epsilon)
        grown = _growth(prior, posterior, channel, rate)
        worst = max(worst, grown / _clock(private_cost(PureDP(Fraction(epsilon))), rate))

    assert worst <= 1
    assert worst > 0.2


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1, 3, 8, 40])
def test_the_chord_stays_under_the_exponential(epsilon: float) -> None:
    """The two cases of the proof, at 30 digits, where the posterior is nearer or further than α."""
    with mpmath.workdps(30):
        turn = mpmath.atan(mpmath.sinh(mpmath.mpf(epsilon) / 4))

        assert turn <= mpmath.mpf(epsilon) / 4
        for step in range(41):
            angle = (
                turn * step / 20 if step <= 20 else turn + (mpmath.pi / 2 - turn) * (step - 20) / 20
            )
            low = mpmath.cos(angle + turn)
            high = mpmath.cos(angle - turn) if angle >= turn else mpmath.mpf(1)
            mean = mpmath.cos(angle) * mpmath.cos(turn)
            for rate in (0.01, 0.5, 1, 2, 7, 30, 200):
                ends = [mpmath.cosh(rate * mpmath.acos(end)) for end in (low, high)]
                chord = ends[1] + (ends[0] - ends[1]) * (high - mean) / (high - low)
                bound = mpmath.cosh(rate * angle) * mpmath.exp((rate**2 + 1) * turn**2 / 2)

                assert chord <= bound * (1 + mpmath.mpf(10) ** -25)


def test_costs_are_exact() -> None:
    assert choice_cost(PureDP(Fraction(1, 7))) == GDP(Fraction(1, 49))
    assert private_cost(PureDP(Fraction(1, 7))) == GDP(Fraction(4, 49))
    assert choice_cost(PureDP(Fraction(0))) == GDP(Fraction(0))


def test_a_negative_loss_cannot_be_written() -> None:
    with pytest.raises(InvalidInput):
        choice_cost(PureDP(Fraction(-1)))

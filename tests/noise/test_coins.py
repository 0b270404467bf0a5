"""Coins of e^{−γ}, one or many: exact by exhaustion, however short the compared prefix is."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from noise.exhaustion import masses
from peekproof.noise import coins
from peekproof.noise.coins import exponential_coin, exponential_coins, geometric, geometrics
from peekproof.noise.entropy import Entropy, Integers, Seeded, Unbounded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9
GAMMAS = [(0, 1), (1, 3), (2, 3), (3, 4), (1, 1), (3, 2), (7, 3)]
exhaustively = pytest.mark.usefixtures("ideal_integers", "one_bit_at_a_time")


def holds(mass: Fraction, left: Fraction, probability: float) -> bool:
    return mass - 1e-12 <= probability <= mass + left + 1e-12


@exhaustively
@pytest.mark.parametrize(("numerator", "denominator"), GAMMAS)
def test_one_coin_is_exact(numerator: int, denominator: int) -> None:
    decided, left = masses(lambda rng: exponential_coin(numerator, denominator, rng=rng), runs=4000)

    assert left < 0.01
    assert holds(decided[True], left, exp(-numerator / denominator))


@exhaustively
@pytest.mark.parametrize("unbounded", [False, True], ids=["int64", "unbounded"])
@pytest.mark.parametrize(("numerator", "denominator"), GAMMAS)
def test_a_coin_among_many_is_exact(numerator: int, denominator: int, unbounded: bool) -> None:
    gammas = np.array([numerator])

    def draw(rng: Entropy) -> bool:
        given = gammas.astype(np.object_) if unbounded else gammas
        return bool(exponential_coins(given, denominator, rng=rng)[0])

    decided, left = masses(draw, runs=600)

    assert left < 0.05
    assert holds(decided[True], left, exp(-numerator / denominator))


@exhaustively
def test_coins_of_different_bias_do_not_touch_each_other() -> None:
    gammas = np.array([1, 4])

    def draw(rng: Entropy) -> tuple[bool, ...]:
        return tuple(exponential_coins(gammas, 5, rng=rng).tolist())

    decided, left = masses(draw, runs=1200)
    p, q = exp(-0.2), exp(-0.8)

    assert holds(decided[True, True], left, p * q)
    assert holds(decided[True, False], left, p * (1 - q))
    assert holds(decided[False, True], left, (1 - p) * q)
    assert holds(decided[False, False], left, (1 - p) * (1 - q))
    # Mutants: the biases exchanged; one chance for both.
    assert not holds(decided[True, False], left, q * (1 - p))
    assert not holds(decided[True, True], left, q)


@exhaustively
@pytest.mark.parametrize("denominator", [1, 2])
def test_counts_of_coins_in_a_row_are_exact(denominator: int) -> None:
    decided, left = masses(lambda rng: int(geometrics(denominator, 1, rng=rng)[0]), runs=800)
    ratio = exp(-1 / denominator)

    assert left < 0.1
    for heads in range(5):
        assert holds(decided[heads], left, ratio**heads * (1 - ratio))
    assert not holds(decided[0], left, 1 - ratio - 0.1)
    assert not holds(decided[0], left, 1 - ratio + 0.1)


@exhaustively
def test_one_count_of_coins_in_a_row_is_exact() -> None:
    decided, left = masses(lambda rng: geometric(rng=rng), runs=4000)

    assert left < 0.01
    for heads in range(5):
        assert holds(decided[heads], left, exp(-heads) * (1 - exp(-1)))


@exhaustively
@pytest.mark.parametrize(("answer", "name"), [(0, "always below"), (2, "never below")])
def test_a_wrong_decision_of_ties_is_caught(
    answer: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coins, "below", lambda bound, *, rng: answer)
    gammas = np.array([1])
    decided, left = masses(lambda rng: bool(exponential_coins(gammas, 3, rng=rng)[0]), runs=100)

    assert not holds(decided[True], left, exp(-1 / 3)), name


class Counting:
    description = "counting"

    def __init__(self) -> None:
        self.served, self.source = 0, Seeded(3)

    def bits(self, count: int) -> int:
        self.served += count
        return self.source.bits(count)


def test_a_hopeless_coin_costs_no_more_than_another() -> None:
    rng = Counting()

    assert not any(exponential_coin(10**40 + 1, 7, rng=rng) for _ in range(1000))
    assert not exponential_coins(np.full(1000, 10**18), 7, rng=rng).any()
    assert rng.served < 300_000


def bernoulli(heads: float) -> list[float]:
    return [1 - heads, 1.0]


# int64 with all of its prefix, int64 with a shorter one, and Python's integers.
DENOMINATORS = (10, 10 * 2**44, 10**41)


@statistical(false_alarm=len(DENOMINATORS) * FALSE_ALARM)
def test_coins_of_any_denominator_have_their_bias() -> None:
    for seed, denominator in enumerate(DENOMINATORS):
        gamma = 3 * (denominator // 10)
        gammas: Integers | Unbounded = np.array([gamma] * 50_000, dtype=np.object_)
        if denominator < 2**62:
            gammas = gammas.astype(np.int64)
        flips = exponential_coins(gammas, denominator, rng=Seeded(seed)).tolist()

        assert fit_p_value(flips, lambda z: bernoulli(exp(-0.3))[z] if z >= 0 else 0) > FALSE_ALARM
        assert fit_p_value(flips, lambda z: bernoulli(exp(-0.27))[z] if z >= 0 else 0) < FALSE_ALARM
        assert fit_p_value(flips, lambda z: bernoulli(exp(-0.33))[z] if z >= 0 else 0) < FALSE_ALARM

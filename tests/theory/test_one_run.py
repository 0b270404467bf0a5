"""Guessing coins from one run (T-one-run, T-one-run-fixed): enumerations, sums, printed values."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from mpmath import betainc, mpf, workdps
from mpmath import exp as mexp

from peekproof.audit.losses import one_run_floor
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.one_run import any_guesses, fixed_guesses

NOTHING = Fraction(0)


def loss(epsilon: float | Fraction, delta: float | Fraction = NOTHING) -> ApproxDP:
    return ApproxDP(epsilon=Fraction(epsilon), delta=Fraction(delta))


@pytest.mark.parametrize(("right", "guesses"), [(1, 1), (7, 10), (75, 100), (900, 1000), (3, 1000)])
@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0, 4.0])
def test_without_delta_it_is_the_tail_of_a_binomial(
    right: int, guesses: int, epsilon: float
) -> None:
    with workdps(40):
        q = 1 / (1 + mexp(-mpf(epsilon)))
        tail = betainc(right, guesses - right + 1, 0, q, regularized=True)
        for bound in (any_guesses, fixed_guesses):
            found = bound(right=right, guesses=guesses, records=1000, loss=loss(epsilon))
            assert tail <= found <= tail * (1 + mpf(3e-8)) or found == 1


@pytest.mark.parametrize(
    ("records", "guesses", "right", "delta", "printed"),
    [(1000, 100, 75, 1e-4, 0.673), (100_000, 1510, 1439, 1e-5, 2.675)],
)
def test_it_gives_the_floors_that_are_printed_in_the_paper(
    records: int, guesses: int, right: int, delta: float, printed: float
) -> None:
    """One is rounded there, the other cut off."""
    found = one_run_floor(
        right=right,
        guesses=guesses,
        records=records,
        delta=Fraction(delta),
        false_alarm=0.05,
        bound=fixed_guesses,
    )
    assert found.epsilon == pytest.approx(printed, abs=1e-3)


@pytest.mark.parametrize("records", [1, 2, 3, 4])
def test_randomised_response_reaches_it(records: int) -> None:
    """All coins and all outputs are gone through; each guess is the bit that came out."""
    truth = 1 / (1 + exp(-1.0))
    reached = [0.0] * (records + 1)
    for coins, flips in product(product((0, 1), repeat=records), repeat=2):
        right = records - sum(flips)
        reached[right] += 0.5 ** len(coins) * truth**right * (1 - truth) ** sum(flips)
    for right in range(records + 1):
        p_value = any_guesses(right=right, guesses=records, records=records, loss=loss(1))
        assert sum(reached[right:]) == pytest.approx(p_value, rel=1e-7)


def least_delta(table: np.ndarray, epsilon: float) -> float:
    """The δ of a mechanism on three coins, output by output, over all neighbours."""
    found = 0.0
    for coins in product((0, 1), repeat=3):
        for place in range(3):
            near = tuple(bit ^ (place == at) for at, bit in enumerate(coins))
            excess = table[coins] - exp(epsilon) * table[near]
            found = max(found, float(excess[excess > 0].sum()))
    return found


ALL = list(product((0, 1), repeat=3))


def some_table(rng: np.random.Generator, *, epsilon: float, share: float) -> np.ndarray:
    """Pr[output | coins]: responses to three coins, mixed with anything at all."""
    truth = 1 / (1 + exp(-epsilon))
    matches = [[3 - sum(a != b for a, b in zip(c, y, strict=True)) for y in ALL] for c in ALL]
    responses = truth ** np.array(matches) * (1 - truth) ** (3 - np.array(matches))
    anything = rng.dirichlet(np.full(8, 0.1), size=8)
    return ((1 - share) * responses + share * anything).reshape(2, 2, 2, 8)


def guessed(table: np.ndarray, sizes: list[int]) -> dict[tuple[int, int], float]:
    """How likely so many guesses are, and so many right, if the surest coins are named."""
    chances: dict[tuple[int, int], float] = {}
    for y, size in enumerate(sizes):
        total = sum(table[coins][y] for coins in ALL)
        lead = [2 * sum(table[coins][y] for coins in ALL if coins[i]) - total for i in range(3)]
        named = np.argsort(-np.abs(lead))[:size]
        for coins in ALL:
            right = sum(coins[i] == (lead[i] > 0) for i in named)
            chances[size, right] = chances.get((size, right), 0.0) + table[coins][y] / 8
    return chances


def test_no_mechanism_on_three_coins_is_guessed_better() -> None:
    """All levels that are reached, with as many guesses each time, or with as many as seem good."""
    rng, compared, nearest = np.random.default_rng(1), 0, 0.0
    for number in range(120):
        epsilon = (0.0, 0.5, 1.5)[number % 3]
        table = some_table(rng, epsilon=epsilon, share=(0.01, 0.05, 0.3)[number // 3 % 3])
        told = loss(epsilon, least_delta(table, epsilon) * (1 + 1e-12))
        for sizes in ([1] * 8, [2] * 8, [3] * 8, rng.integers(0, 4, 8).tolist()):
            chances = guessed(table, sizes)
            for bound in (any_guesses, fixed_guesses)[: 1 + (len(set(sizes)) == 1)]:
                p = {k: bound(right=k[1], guesses=k[0], records=3, loss=told) for k in chances}
                for level in p.values():
                    reached = sum(chances[key] for key in chances if p[key] <= level)
                    assert reached <= level * (1 + 1e-9), (number, sizes)
                    compared += level < 1
                    nearest = max(nearest, reached / level if level < 1 else 0)
    assert compared > 1_000
    assert nearest > 0.9


def test_telling_everything_with_probability_delta_is_allowed_for() -> None:
    """With probability δ all coins come out, otherwise randomised responses."""
    epsilon, delta, records = 1.0, 1e-3, 40
    for right in range(records + 1):
        plain = any_guesses(right=right, guesses=records, records=records, loss=loss(epsilon))
        for bound in (any_guesses, fixed_guesses):
            told = loss(epsilon, Fraction(delta))
            p_value = bound(right=right, guesses=records, records=records, loss=told)
            assert min(1.0, delta + (1 - delta) * plain) <= p_value * (1 + 1e-7)


def test_a_fixed_number_of_guesses_needs_less_where_there_are_many_records() -> None:
    asked = {"right": 2_600, "guesses": 3_000, "records": 100_000, "loss": loss(1, 1e-5)}
    assert fixed_guesses(**asked) < 0.02 * any_guesses(**asked)  # type: ignore[arg-type]


def test_losses_beyond_all_floats_leave_nothing_to_say() -> None:
    for bound in (any_guesses, fixed_guesses):
        assert bound(right=50, guesses=50, records=50, loss=loss(10**6)) == 1
        assert bound(right=0, guesses=0, records=50, loss=loss(1, Fraction(1))) == 1


@pytest.mark.parametrize(
    ("right", "guesses", "records"),
    [(3, 2, 5), (-1, 2, 5), (1, 6, 5), (1, -1, 5), (0, 0, 0), (0, 0, 1_000_001)],
)
def test_absurd_counts_are_refused(right: int, guesses: int, records: int) -> None:
    for bound in (any_guesses, fixed_guesses):
        with pytest.raises(InvalidInput):
            bound(right=right, guesses=guesses, records=records, loss=loss(1))

"""Exact laws of small samplers, found without chance by running them on all random choices."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from heapq import heappop, heappush

import numpy as np
import pytest

from noise.bits import OutOfBits, Prefix
from peekproof.noise import coins, entropy, gaussian, laplace
from peekproof.noise.entropy import Entropy


def law(draw: Callable[[Entropy], bool], *, depth: int) -> tuple[Fraction, Fraction]:
    """Bounds on Pr[draw is True], from all sequences of at most `depth` bits."""
    mass: dict[bool | None, Fraction] = defaultdict(Fraction)
    open_words = [(0, 0)]
    while open_words:
        word, length = open_words.pop()
        share = Fraction(1, 2**length)
        try:
            mass[draw(Prefix(word, length))] += share
        except OutOfBits:
            if length == depth:
                mass[None] += share
            else:
                open_words += [(2 * word, length + 1), (2 * word + 1, length + 1)]
    assert sum(mass.values()) == 1
    return mass[True], mass[True] + mass[None]


class Wanting(Exception):
    """More choices are needed, the next one among `outcomes` that are equally likely."""

    def __init__(self, outcomes: int) -> None:
        self.outcomes = outcomes


class Choices:
    """A finite sequence of choices, then a request for one more."""

    description = "choices"

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path = list(path)

    def choose(self, outcomes: int) -> int:
        if outcomes == 1:
            return 0
        if not self.path:
            raise Wanting(outcomes)
        return self.path.pop(0)

    def bits(self, count: int) -> int:
        return self.choose(1 << count)


def masses(
    draw: Callable[[Entropy], Hashable], *, runs: int
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """What so many runs decide of the law of `draw`, the likeliest first, and what they leave.

    The probability of every outcome lies between its decided mass and that plus what is left.
    """
    decided: dict[Hashable, Fraction] = defaultdict(Fraction)
    likeliest: list[tuple[Fraction, tuple[int, ...]]] = [(Fraction(-1), ())]
    for _ in range(runs):
        if not likeliest:
            break
        weight, path = heappop(likeliest)
        try:
            decided[draw(Choices(path))] -= weight
        except Wanting as wanting:
            share = weight / wanting.outcomes
            for choice in range(wanting.outcomes):
                heappush(likeliest, (share, (*path, choice)))
    left = -sum((weight for weight, _ in likeliest), Fraction(0))
    assert sum(decided.values()) + left == 1
    return decided, left


def choose_below(bound: int, *, rng: Entropy) -> int:
    assert isinstance(rng, Choices)
    return rng.choose(bound)


def choose_belows(bound: int, count: int, *, rng: Entropy) -> entropy.Integers:
    return np.array([choose_below(bound, rng=rng) for _ in range(count)], dtype=np.int64)


def choose_words(width: int, count: int, *, rng: Entropy) -> entropy.Integers:
    return choose_belows(1 << width, count, rng=rng)


@pytest.fixture
def ideal_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uniform integers without rejection, which `masses` could only follow for a while."""
    for scalar in (coins, gaussian, laplace):
        monkeypatch.setattr(scalar, "below", choose_below)
    for vector in (coins, gaussian, laplace):
        monkeypatch.setattr(vector, "belows", choose_belows)
    for vector in (coins, gaussian, laplace, entropy):
        monkeypatch.setattr(vector, "words", choose_words)


@pytest.fixture
def one_bit_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second comparison of uniform reals is a tie, so that ties decide the law."""
    monkeypatch.setattr(coins, "PREFIX", 1)
    monkeypatch.setattr(gaussian, "CHUNK", 1)
    monkeypatch.setattr(gaussian, "HEAD", 1)
    monkeypatch.setattr(gaussian, "REST", 1)

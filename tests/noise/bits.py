"""Sources of bits that are no chance at all: given words, digits of rationals, constants."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Generic, TypeVar

from peekproof.noise.entropy import Entropy

T = TypeVar("T")


class OutOfBits(Exception):
    pass


class Prefix:
    """A finite sequence of bits, then nothing."""

    description = "prefix"

    def __init__(self, word: int, length: int) -> None:
        self.word, self.left = word, length

    def bits(self, count: int) -> int:
        if count > self.left:
            raise OutOfBits
        self.left -= count
        return self.word >> self.left & ((1 << count) - 1)


class Digits:
    """The binary digits of one rational in [0, 1), as many as are asked for."""

    description = "digits"

    def __init__(self, value: Fraction) -> None:
        self.rest, self.served = value, 0

    def bits(self, count: int) -> int:
        self.served += count
        scaled = self.rest * (1 << count)
        self.rest = scaled - floor(scaled)
        return floor(scaled)


class Counted:
    """Another source, and how many bits were taken from it."""

    description = "counted"

    def __init__(self, source: Entropy) -> None:
        self.source, self.served = source, 0

    def bits(self, count: int) -> int:
        self.served += count
        return self.source.bits(count)


class Brackets(Generic[T]):
    """Bounds on the probability of every outcome, from all sequences of at most `depth` bits."""

    def __init__(self, draw: Callable[[Entropy], T], *, depth: int) -> None:
        self.decided: dict[T, Fraction] = defaultdict(Fraction)
        self.open = Fraction(0)
        words = [(0, 0)]
        while words:
            word, length = words.pop()
            share = Fraction(1, 2**length)
            try:
                self.decided[draw(Prefix(word, length))] += share
            except OutOfBits:
                if length == depth:
                    self.open += share
                else:
                    words += [(2 * word, length + 1), (2 * word + 1, length + 1)]

    def hold(self, outcome: T, probability: float) -> bool:
        return self.decided[outcome] <= probability <= self.decided[outcome] + self.open

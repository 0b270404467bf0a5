"""Sources of random bits, and uniform integers drawn from them.

Integers are drawn one by one, or many at once, which are cut from one purchase of random bits.
"""

import random
from collections.abc import Callable
from typing import Protocol, TypeVar, final

import numpy as np
import numpy.typing as npt

_system = random.SystemRandom()


class Entropy(Protocol):
    """A source of independent fair bits."""

    @property
    def description(self) -> str:
        """What the ledger records about the source."""
        ...

    def bits(self, count: int) -> int:
        """A uniform integer of `count` random bits."""
        ...


@final
class SystemEntropy:
    """The operating system's generator, read afresh for every draw.

    Nothing is buffered, so forked processes never share noise.
    """

    description = "system"

    def bits(self, count: int) -> int:
        return _system.getrandbits(count)


@final
class Seeded:
    """Reproducible bits for tests. A session that uses them records it and promises nothing."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (tests only)
        self.description = f"seed {seed}: for tests only, promises nothing"

    def bits(self, count: int) -> int:
        return self._random.getrandbits(count)


@final
class Pool:
    """Bits bought wholesale for one draw: a call to the operating system costs more than a draw.

    Made for a single release and then dropped with what is left, so nothing outlives a fork.
    """

    WHOLESALE = 1024

    def __init__(self, rng: Entropy) -> None:
        self._rng = rng
        self._bits = 0
        self._left = 0
        self.description = rng.description

    def bits(self, count: int) -> int:
        if count > self._left:
            bought = max(count, self.WHOLESALE)
            self._bits = self._bits << bought | self._rng.bits(bought)
            self._left += bought
        self._left -= count
        taken = self._bits & ((1 << count) - 1)
        self._bits >>= count
        return taken


def below(bound: int, *, rng: Entropy) -> int:
    """A uniform integer in [0, bound)."""
    width = (bound - 1).bit_length()
    while (draw := rng.bits(width)) >= bound:
        pass
    return draw


T = TypeVar("T")
Integers = npt.NDArray[np.int64]
# Python's own integers, for numbers that 64 bits do not hold: slower, same operations.
Unbounded = npt.NDArray[np.object_]

# The widest word: one bit less than an int64 holds, so that one sum cannot overflow.
WIDEST = 62
# An array operation costs as much as this many draws one by one.
FEW = 128
# More draws than this are made in turns: the arrays stay in the cache, and no purchase is
# larger than the system sells at once.
MANY = 1 << 16


def words(width: int, count: int, *, rng: Entropy) -> Integers:
    """Independent uniform integers in [0, 2^width), width at most WIDEST."""
    if width == 0 or count == 0:
        return np.zeros(count, dtype=np.int64)
    size = max(8, 1 << (width - 1).bit_length())
    raw = rng.bits(size * count).to_bytes(size // 8 * count, "little")
    # The shift is made unsigned, so that no sign is dragged in.
    return (np.frombuffer(raw, dtype=f"<u{size // 8}") >> (size - width)).astype(np.int64)


def belows(bound: int, count: int, *, rng: Entropy) -> Integers:
    """Independent uniform integers in [0, bound), bound at most 2^WIDEST."""
    width = (bound - 1).bit_length()
    drawn = words(width, count, rng=rng)
    again = np.flatnonzero(drawn >= bound)
    while again.size:
        fresh = words(width, again.size, rng=rng)
        drawn[again] = fresh
        again = again[fresh >= bound]
    return drawn


def unbounded_belows(bound: int, count: int, *, rng: Entropy) -> Unbounded:
    """Independent uniform integers in [0, bound), for bounds beyond 2^WIDEST."""
    pool = Pool(rng)
    return np.array([below(bound, rng=pool) for _ in range(count)], dtype=np.object_)


def gather(
    count: int, *, many: Callable[[int], list[T]], one: Callable[[Pool], T], rng: Entropy
) -> list[T]:
    """`count` independent draws of one law, by `many` and, when few are missing, by `one`.

    `many(m)` makes m proposals and returns the kept ones in order, between none and m. Each draw
    is then the first kept of the proposals after the last draw's, whoever proposes, so cutting the
    proposals into turns leaves no trace. How long it takes depends on `count` and chance alone.
    """
    drawn: list[T] = []
    while (missing := count - len(drawn)) >= FEW:
        drawn += many(min(missing, MANY))
    pool = Pool(rng)
    drawn += [one(pool) for _ in range(missing)]
    return drawn

"""Where random bits come from."""

import random
from typing import Protocol, final

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

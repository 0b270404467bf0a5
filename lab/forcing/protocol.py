"""What an attack on a mechanism is: it plays a conversation on coins, and claims come of it."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from lab.forcing.coins import Coins
from peekproof.audit.fight import Claim
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.certificate import Certificate, Interval
from peekproof.noise.entropy import Entropy

Around = Callable[[Fraction], Interval]


class Attack(Protocol):
    """One way to ask a mechanism everything that it answers."""

    @property
    def name(self) -> str: ...

    @property
    def features(self) -> int:
        """How many coins a row must have; none if the attack draws its counts itself."""
        ...

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:
        """All that is claimed, or at least what errs most.

        `rng` draws rows that no coin stands for, and `noise` is the mechanism's own.
        """
        ...


def claim(released: Fraction, interval: Interval, *, truth: Fraction) -> Claim:
    """What was released and certified about a share of the population."""
    return Claim(reply=Reply(float(released), interval.low, interval.high), truth=truth)


def around(certificate: Certificate) -> Around:
    """The interval of an answer, remembered: the same few are released again and again."""
    return lru_cache(maxsize=65_536)(certificate.interval)

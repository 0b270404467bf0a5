"""Attacks on mechanisms without noise: bins and fresh rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, pi, sqrt
from statistics import NormalDist
from typing import final

import numpy as np

from lab.forcing.coins import Coins, odd
from lab.forcing.protocol import Around, claim
from peekproof.audit.analysts.populations import HALF
from peekproof.audit.fight import Claim
from peekproof.core.certificate import Target
from peekproof.core.secret import Exact
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Entropy


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Puts shares on the edge of two bins, so that each midpoint tells a bit, and lets bits vote.

    `or u < t` with u uniform moves a share of ½ to ½ + t/2; where ½ is no edge, every agreement is
    moved to one. The vote is moved to where the sample, as far as it will be misled, only just
    reaches an edge: its midpoint is then half a bin beyond the error of the sample.
    """

    mechanism: Truncation
    target: Target
    allows: Around

    @property
    def name(self) -> str:
        return f"{self.features:,} shares on edges, 1 vote"

    @property
    def features(self) -> int:
        return self.target.questions - 1

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:
        uniform = rng.random(coins.rows)
        shift = Fraction(self.mechanism.bins % 2, self.mechanism.bins)
        free = uniform >= float(shift)
        moved, edge = coins.rows - int(np.count_nonzero(free)), (1 + shift) / 2
        signs: list[int] = []
        for count in coins.counts(self.features, among=free if shift else None):
            told = self._told(count + moved, truth=edge, noise=noise)
            signs.append(1 if told.reply.value > edge else -1)
            yield told
        shift = self._vote_shift()
        won = coins.won(odd(signs)) | (uniform < float(shift))
        yield self._told(int(np.count_nonzero(won)), truth=(1 + shift) / 2, noise=noise)

    def _vote_shift(self) -> Fraction:
        """Puts what the sample says at an edge, which it passes with probability 4β.

        At β itself the vote would err by a little more, and a count of conversations could not
        tell whether it passes often enough.
        """
        rows, bins, beta = self.mechanism.rows, self.mechanism.bins, self.target.beta
        lean = NormalDist().cdf(sqrt(2 * self.features / (pi * rows)))
        misled = lean + NormalDist().inv_cdf(1 - min(0.5, 4 * float(beta))) / (2 * sqrt(rows))
        edge = ceil(misled * bins) / bins
        return Fraction(max(0.0, (edge - misled) / (1 - misled)))

    def _told(self, total: int, *, truth: Fraction, noise: Entropy) -> Claim:
        released = self.mechanism.release(Exact(total), rng=noise)
        return claim(released, self.allows(released), truth=truth)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """Asks about coins. Rows are fresh, so nothing that was learnt helps; one half scatters most.

    Of all claims only that of the furthest count is made: intervals around one half are alike.
    """

    mechanism: FreshRows
    target: Target
    allows: Around

    @property
    def name(self) -> str:
        return f"{self.target.questions:,} coins"

    @property
    def features(self) -> int:
        return 0

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:  # noqa: ARG002
        rows = self.mechanism.rows_per_round
        totals = rng.binomial(rows, 0.5, self.target.questions)
        furthest = int(totals[np.argmax(np.abs(2 * totals - rows))])
        released = self.mechanism.release(Exact(furthest), rng=noise)
        yield claim(released, self.allows(released), truth=HALF)

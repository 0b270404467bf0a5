"""Learn, then vote: the attack on noise.

The analyst learns m agreements, lets each feature vote with the log-odds of its answer, and spends
all other questions on that vote, in as many wordings as it has questions (a weight that is a
thousandth larger makes another question). Each answer to it errs upwards by

    Φ( √(m/n) / √(1 + 4nσ²) ) − ½

and by noise of its own, so the largest of k − m errs by the quantile of so many noises besides.
A single vote after k − 1 agreements leans a little more, and has but one noise to add.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Protocol, final

import numpy as np

from lab.forcing.coins import Coins, odd
from lab.forcing.protocol import Around, around, claim
from peekproof.audit.analysts.correlation import leanings, predicted_share
from peekproof.audit.analysts.populations import HALF
from peekproof.audit.fight import Claim
from peekproof.core.certificate import Target
from peekproof.core.secret import Exact
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.noise.entropy import Entropy

Noisy = Gaussian | Laplace


class Answering(Protocol):
    """A mechanism in the course of a conversation."""

    def at(self, draw: int) -> tuple[Noisy, Around]:
        """What answers the draw of this number, from 1, and the interval of its answer."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Steady:
    """The same mechanism for all draws."""

    mechanism: Noisy
    allows: Around

    def at(self, draw: int) -> tuple[Noisy, Around]:  # noqa: ARG002 all are alike
        return self.mechanism, self.allows


@final
class Staged:
    """A session without a horizon: noise and intervals grow from stage to stage."""

    def __init__(self, mechanism: OpenEnded, target: Target) -> None:
        self._mechanism = mechanism
        stages = range(len(mechanism.stages))
        self._around = [around(mechanism.certify_stage(stage, target)) for stage in stages]

    def at(self, draw: int) -> tuple[Noisy, Around]:
        stage = self._mechanism.stage_of(draw)
        return self._mechanism.noise(stage), self._around[stage]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Voting:
    """Asks `learnt` agreements of `questions`, and about their vote with all others."""

    answering: Answering
    questions: int
    learnt: int

    @property
    def name(self) -> str:
        return f"{self.learnt:,} agreements, {self.questions - self.learnt:,} votes"

    @property
    def features(self) -> int:
        return self.learnt

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:  # noqa: ARG002
        shares: list[float] = []
        for draw, count in enumerate(coins.counts(self.learnt), 1):
            told = self._told(draw, count, noise)
            shares.append(told.reply.value)
            yield told
        total = int(np.count_nonzero(coins.won(odd(leanings(shares)))))
        for draw in range(self.learnt + 1, self.questions + 1):
            yield self._told(draw, total, noise)

    def _told(self, draw: int, total: int, noise: Entropy) -> Claim:
        mechanism, allows = self.answering.at(draw)
        released = mechanism.release(Exact(total), rng=noise)
        return claim(released, allows(released), truth=HALF)


def voting(answering: Answering, *, rows: int, target: Target) -> Voting:
    """The attack that is predicted to force most."""
    mechanism, _ = answering.at(target.questions)
    learnt = max(
        range(1, target.questions),
        key=lambda m: predicted_error(mechanism, rows=rows, target=target, learnt=m),
    )
    return Voting(answering=answering, questions=target.questions, learnt=learnt)


def predicted_error(mechanism: Noisy, *, rows: int, target: Target, learnt: int) -> float:
    """The error of the worst vote, exceeded with probability β, but for how the sample scatters."""
    sigma = deviation(mechanism)
    lean = predicted_share(rows=rows, questions=learnt, sigma=sigma) - 0.5
    level = float(target.confidence) ** (1 / (target.questions - learnt))
    if isinstance(mechanism, Laplace):
        return lean - sigma / sqrt(2) * log(2 * (1 - level))
    return lean + sigma * NormalDist().inv_cdf(level)


def deviation(mechanism: Noisy) -> float:
    """The standard deviation of the noise on a share near one half."""
    match mechanism:
        case Gaussian(sigma=sigma):
            return float(sigma)
        case Laplace(scale=scale):
            return sqrt(2) * float(scale)

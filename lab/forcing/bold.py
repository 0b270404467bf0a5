"""Bold guesses: the attack on whoever confirms. Each is as wrong as may just stand.

Every guess is about a coin of its own and wrong by `boldness` of its interval. The bolder, the more
of it is needed if the guess stands, and the less likely it does: which boldness forces most is
found by trial, on other samples than those that count.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np

from lab.forcing.coins import Coins
from lab.forcing.protocol import Around, around, claim
from peekproof.audit.analysts.populations import HALF
from peekproof.audit.fight import Claim
from peekproof.core.certificate import Certificate, Target
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import Ask, Past
from peekproof.mechanisms.checking import (
    CheckedGuess,
    Checking,
    GuessAndCheck,
    Passed,
)
from peekproof.mechanisms.ladder import Ladder
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.thresholdout import Stands, Thresholdout
from peekproof.noise.entropy import Entropy
from peekproof.session.queries import ANY_SHARE

# What is tried, as parts of an interval.
BOLDNESS = tuple(Fraction(part, 20) for part in range(5, 20))


def _first(
    rows: int, target: Target, *, guess: Fraction, tolerance: Fraction | None = None
) -> CheckedGuess:
    """How a session checks this guess about a share before anything else was asked."""
    allowed = None if tolerance is None else float(tolerance)
    ask = Ask(what=ANY_SHARE, guessed=guess, tolerance=allowed)
    made = Checking(rows=rows).offer(ask, Past(target=target))
    if not isinstance(made, CheckedGuess):
        raise TypeError(made)
    return made


@lru_cache(maxsize=512)
def _checked(
    rows: int, guess: Fraction, tolerance: Fraction, target: Target
) -> tuple[GuessAndCheck, Around, Around]:
    """The first check of a conversation, and the intervals if it passes and if not."""
    made = _first(rows, target, guess=guess, tolerance=tolerance)
    passed, failed = (
        around(made.certificate(Checking(rows=rows), target, failed=each)) for each in (False, True)
    )
    return made.law, passed, failed


@lru_cache(maxsize=64)
def proposed_tolerance(rows: int, target: Target) -> Fraction:
    """What a session allows the first guess of one half to be off, if nobody says."""
    return _first(rows, target, guess=HALF).tolerance


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FirstGuess:
    """One bold guess before anything else, at the tolerance that a session proposes.

    Later questions have smaller levels, and a failure makes all after it wider: the first is best.
    """

    mechanism: Checking
    target: Target
    boldness: Fraction

    @property
    def name(self) -> str:
        return f"1 guess, {float(self.boldness):.0%} of its tolerance off"

    @property
    def features(self) -> int:
        return 0

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:  # noqa: ARG002
        rows = self.mechanism.rows
        tolerance = proposed_tolerance(rows, self.target)
        guess = min(Fraction(1), HALF + self.boldness * tolerance)
        made, passed, failed = _checked(rows, guess, tolerance, self.target)
        yield _outcome(made, passed, failed, rng=rng, noise=noise)


def _outcome(
    made: GuessAndCheck,
    passed: Around,
    failed: Around,
    *,
    rng: np.random.Generator,
    noise: Entropy,
) -> Claim:
    told = made.release(_coin(made.rows, rng), rng=noise)
    if isinstance(told, Passed):
        return claim(made.guess, passed(made.guess), truth=HALF)
    midpoint = Fraction(2 * told.bin + 1, 2 * made.bins)
    return claim(midpoint, failed(midpoint), truth=HALF)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Bold guesses until as many failed as may fail."""

    mechanism: LimitedChecking | Thresholdout
    target: Target
    boldness: Fraction

    @property
    def name(self) -> str:
        return f"guesses, {float(self.boldness):.0%} of the radius off"

    @property
    def features(self) -> int:
        return 0

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:  # noqa: ARG002
        if isinstance(self.mechanism, Thresholdout):
            yield from self._held(self.mechanism, rng=rng, noise=noise)
        else:
            yield from self._limited(self.mechanism, rng=rng, noise=noise)

    def _guess(self, radius: float) -> Fraction:
        return min(Fraction(1), HALF + self.boldness * Fraction(radius))

    def _limited(
        self, mechanism: LimitedChecking, *, rng: np.random.Generator, noise: Entropy
    ) -> Iterator[Claim]:
        radius, passed, failed = _promises(mechanism, self.target)
        made = mechanism.check(self._guess(radius))
        for _ in range(min(mechanism.failures, self.target.questions)):
            yield _outcome(made, passed, failed, rng=rng, noise=noise)

    def _held(
        self, mechanism: Thresholdout, *, rng: np.random.Generator, noise: Entropy
    ) -> Iterator[Claim]:
        radius, standing, corrected = _promises(mechanism, self.target)
        guess, run = mechanism.rounded(self._guess(radius)), mechanism.start_run(rng=noise)
        for _ in range(min(mechanism.corrections, self.target.questions)):
            told = run.release(_coin(mechanism.rows, rng), guess=guess)
            allows = standing if isinstance(told, Stands) else corrected
            yield claim(told.share, allows(told.share), truth=HALF)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """Submissions to a leaderboard, each a little better than its best, until one is shown.

    Those that are not make the board too low, and one that is, of many as good, makes it too high.
    """

    mechanism: Ladder
    target: Target
    boldness: Fraction

    @property
    def name(self) -> str:
        return f"submissions {float(self.boldness):.0%} of the radius above the best"

    @property
    def features(self) -> int:
        return 0

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:  # noqa: ARG002
        radius, allows, _ = _promises(self.mechanism, self.target)
        rows, step = self.mechanism.rows, self.mechanism.step
        run, above = self.mechanism.start(rng=noise), self.boldness * Fraction(radius)
        left, shown, share = self.target.questions, Fraction(0), HALF
        truth = share
        while left and share <= 1:
            totals = rng.binomial(rows, float(share), left)
            better = np.flatnonzero(totals > float((shown + step) * rows))
            # Of those before the first that is shown one stands for all: nothing changes.
            tried = [int(totals[0]), *(int(totals[at]) for at in better[:1] if at)]
            for total in tried:
                shown = run.release(Exact(total)).best
                yield claim(shown, allows(shown), truth=truth)
            left -= int(better[0]) + 1 if len(better) else left
            share = shown + above
            truth = max(truth, share)


@lru_cache(maxsize=64)
def _promises(
    mechanism: LimitedChecking | Thresholdout | Ladder, target: Target
) -> tuple[float, Around, Around]:
    """The radius of what stands, its interval, and that of what was told instead."""
    stands: Certificate
    match mechanism:
        case LimitedChecking():
            stands, other = mechanism.certify(target), mechanism.certify_failed(target)
        case Thresholdout():
            stands, other = mechanism.certify_standing(target), mechanism.certify_corrected(target)
        case Ladder():
            stands, other = mechanism.certify(target), mechanism.certify_improvement(target)
    return stands.radius, around(stands), around(other)


def _coin(rows: int, rng: np.random.Generator) -> Exact[int]:
    """How many rows of a sample show heads."""
    return Exact(int(rng.binomial(rows, 0.5)))

"""Control opponents: textbook intervals, noise without a certificate, and a liar.

`Plain` and `NoiseOnly` are what people do without Peekproof: intervals for questions that nobody
chose by looking. They are those of the normal law, and for such questions about right where many
rows count either way. Of what is rare they miss more by themselves: a share of 0 has no width at
all. `HONEST` draws Gaussian noise as it claims, and `HALF_NOISE` is a liar who draws half of it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import final

from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.audit.opponents.protocol import Opponent, Promise, Reply, Terms
from peekproof.core import check
from peekproof.core.charge import GDP
from peekproof.core.errors import BudgetExhausted
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Seeded

_STEP = Fraction(1, 2**20)


def _deviations(terms: Terms) -> float:
    """So many deviations on either side hold for all questions, if they were fixed beforehand.

    And if the normal law is near, so far out in its tails.
    """
    # The lower tail, whose level is no less exact for being small.
    return -NormalDist().inv_cdf(float(1 - terms.confidence) / (2 * terms.questions))


@final
class Told(Opponent):
    """Replies to the first questions; more than were agreed are refused, as a session would."""

    def __init__(self, columns: Columns, *, terms: Terms, sigma: Fraction | None) -> None:
        self._sample, self._terms, self._sigma = ExactSample(columns), terms, sigma
        self._rng, self._left = Seeded(terms.seed), terms.questions

    def reply(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 it never looks at guesses
        tolerance: float | None = None,  # noqa: ARG002
    ) -> Reply:
        if not self._left:
            raise BudgetExhausted(asked=1, remaining=0, questions=self._terms.questions)
        self._left -= 1
        value, deviation = (
            self._exact(question) if self._sigma is None else self._noisy(question, self._sigma)
        )
        radius = _deviations(self._terms) * deviation
        return Reply(value, value - radius, value + radius)

    def _exact(self, question: str) -> tuple[float, float]:
        value, variance = self._sample.spread(question)
        return value, sqrt(variance / self._sample.rows)

    def _noisy(self, question: str, sigma: Fraction) -> tuple[float, float]:
        found = self._sample.measure(question)
        noise = Gaussian(rows=self._sample.rows, sigma=sigma, step=_STEP, levels=found.levels)
        share = noise.release(found.total, rng=self._rng)
        return float(found.span.value(share)), float(sigma * found.span.width)


@final
@dataclass(frozen=True, slots=True)
class Plain:
    """Exact answers with textbook intervals, Bonferroni's for all questions together."""

    name: str = "plain"
    certified: bool = False

    def open(self, columns: Columns, *, terms: Terms) -> Told:
        return Told(columns, terms=terms, sigma=None)


@final
@dataclass(frozen=True, slots=True)
class NoiseOnly:
    """Answers with as much noise as samples scatter, and intervals for the noise.

    That is what privacy libraries print: how far the answer is from the sample.
    """

    name: str = "noise-only"
    certified: bool = False

    def open(self, columns: Columns, *, terms: Terms) -> Told:
        rows = len(next(iter(columns.values())))
        sigma = Fraction(1 / (2 * sqrt(rows))).limit_denominator(2**20)
        return Told(columns, terms=terms, sigma=sigma)


# So much is claimed for a whole conversation: about where half of the noise is easiest to notice.
CLAIMED = Fraction(3, 5)


@final
class Vouched(Opponent):
    """Replies with Gaussian noise, and what is said of it."""

    def __init__(self, told: Told, promise: Promise) -> None:
        self._told, self.promise = told, promise

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        return self._told.reply(question, guess=guess, tolerance=tolerance)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Noisy:
    """Claims to be μ-GDP over all its questions, and draws `part` of the noise that makes it so.

    It is honest with part = 1. Its intervals are about the noise, so it certifies no population.
    """

    name: str
    mu: Fraction = CLAIMED
    part: Fraction = Fraction(1)
    certified: bool = False

    def __post_init__(self) -> None:
        check.positive_fraction(mu=self.mu)
        check.positive_fraction(part=self.part)

    def open(self, columns: Columns, *, terms: Terms) -> Vouched:
        rows = len(next(iter(columns.values())))
        enough = sqrt(terms.questions) / (rows * self.mu)
        # Rounded up, so that who draws all of it keeps the claim.
        sigma = Fraction(int(enough * 2**20) + 1, 2**20)
        told = Told(columns, terms=terms, sigma=sigma * self.part)
        return Vouched(told, Promise(loss=GDP(self.mu**2)))


HONEST = Noisy(name="noise")
HALF_NOISE = Noisy(name="half-noise", part=Fraction(1, 2))

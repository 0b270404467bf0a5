"""What people do without Peekproof: intervals for questions that nobody chose by looking.

They are those of the normal law, and for such questions about right where many rows count either
way. Of what is rare they miss more by themselves: a share of 0 has no width at all.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import final

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.analysts.sample import ExactSample
from peekproof.audit.opponents.protocol import Opponent, Terms
from peekproof.audit.reply import Reply
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

"""Gaussian noise as it is claimed, and a liar who draws half of it."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import final

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.opponents.controls import Told
from peekproof.audit.opponents.promises import Promise
from peekproof.audit.opponents.protocol import Opponent, Terms
from peekproof.audit.reply import Reply
from peekproof.core import check
from peekproof.core.charge import GDP

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

"""Report noisy max: Laplace noise on every score, and only the index of the largest."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core.secret import Exact
from peekproof.mechanisms.choosing import Choosing
from peekproof.mechanisms.opened import opened
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.exponential import highest, lazy_laplace
from peekproof.theory.selection import noisy_max_loss, noisy_max_shortfall


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMax(Choosing):
    """The index of the largest score_y + b·L_y, with Laplace noise L_y of scale 1 and b = 2Δ/ε.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: given the noise of the others, of which the largest reaches m, y is chosen with
    probability G((m − score_y)/b), G(z) = Pr[L > z]. Replacing a record moves m and score_y by at
    most Δ each, so z by at most 2Δ/b = ε, and ln G by no more than z: its slope is −1 for z > 0,
    and −e^z/(2 − e^z), between −1 and 0, for z < 0. Average over the noise of the others.
    Public: all fields.  Secret: the scores given to `release`.
    """

    KIND: ClassVar[str] = "noisy-max"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        pool = Pool(rng)
        noises = [lazy_laplace(rng=pool) for _ in range(self.candidates)]
        scores = opened(exact, numbers=self.candidates)
        return highest(scores, noises, scale=self.scale)

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-noisy-max)."""
        return noisy_max_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that over any event of probability β or more (T-noisy-max-shortfall)."""
        return noisy_max_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)

"""The exponential mechanism: a good candidate is exponentially more likely than a bad one."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core.secret import Exact
from peekproof.mechanisms.choosing import Choosing
from peekproof.mechanisms.opened import opened
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.weighted import weighted_choice
from peekproof.theory.selection import exponential_loss, exponential_shortfall


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Choosing):
    """The index y of a candidate, with probability proportional to e^{ε·score_y/(2Δ)}.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: the numerator changes by at most a factor e^{ε/2}, and so does each term of the sum that
    it is divided by.
    Public: all fields.  Secret: the scores given to `release`.
    """

    KIND: ClassVar[str] = "exponential"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        scores = opened(exact, numbers=self.candidates)
        return weighted_choice(scores, unit=1 / self.scale, rng=Pool(rng))

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-exp)."""
        return exponential_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that distance over any event of probability β or more (T-exp-shortfall)."""
        return exponential_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)

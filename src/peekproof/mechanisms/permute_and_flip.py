"""Permute-and-flip: at the same price never worse than the exponential mechanism."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core.secret import Exact
from peekproof.mechanisms.choosing import Choosing
from peekproof.mechanisms.opened import opened
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.exponential import highest, lazy_exponential
from peekproof.theory.selection import flip_loss, flip_shortfall


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip(Choosing):
    """The index of the largest score_y + b·E_y, with exponential noise E_y and b = 2Δ/ε.

    That is the law of McKenna and Sheldon (NeurIPS 2020), who go through the candidates in random
    order and stop at the first y whose coin of probability p_y = e^{−(best − score_y)/b} shows
    heads. For let A hold all y with score_y + b·E_y > best: independently of one another they do
    so with probability p_y, a best candidate surely, and then by how much is again exponential of
    scale b, the same for all, so the largest is uniform in A. With A the heads of all coins,
    thrown in advance, the first of A in a random order is uniform in A, too.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: given the noise of the others, of which the largest reaches m, y is chosen with
    probability e^{−max(0, m − score_y)/b}. Replacing a record moves m and score_y by at most Δ
    each, so the exponent by at most 2Δ/b = ε. Average over the noise of the others.
    Public: all fields.  Secret: the scores given to `release`.
    """

    KIND: ClassVar[str] = "permute-and-flip"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        pool = Pool(rng)
        noises = [lazy_exponential(rng=pool) for _ in range(self.candidates)]
        scores = opened(exact, numbers=self.candidates)
        return highest(scores, noises, scale=self.scale)

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-flip)."""
        return flip_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that distance over any event of probability β or more (T-flip-shortfall)."""
        return flip_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)

"""Levels of checked guesses in a conversation that ends after a known number of questions."""

from enum import Enum
from fractions import Fraction
from math import log, log1p, pi
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import up
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.checking import Transcript, log_inverse_level


@theorem("T-check-horizon", "peekproof", "The proof in its docstring")
def log_inverse_level_within(*, beta: Fraction, transcript: Transcript, questions: int) -> float:
    """ln(1/β_i) for the next of at most k questions of a conversation; all hold together.

        β_i = β · ( ½·6/(π²i²) + ½/k ) · 6/(π²(f+1)²) / ( C(i−1, f) · Π_{failures} G_j ),    i ≤ k

    in place of T-check-anytime's 6/(π²i²), with k = `questions`. The first question has more than
    half of the level that it would have without a horizon, the last about k/1.2 times as much.

    Proof. By T-check-anytime's walk the β_h of all nodes of the tree with i − 1 questions before
    them, f of which failed, sum to at most β·w_i·6/(π²(f+1)²), whatever the numbers w_i ≥ 0. Over
    f ≥ 0 that is at most β·w_i. No node has more than k − 1 questions before it, and
    Σ_{i≤k} (½·6/(π²i²) + ½/k) ≤ ½ + ½ = 1. The rest is as there. In the code
    w_i = 6/(π²i²) · ½·(1 + π²i²/(6k)), the first factor being T-check-anytime's.

    Holds when: as for T-check-anytime, and at most k questions are ever asked, where one that was
    paid for and never answered, or drawn twice, counts each time.
    Rounds: up, so β_i down.
    """
    i, k = transcript.questions + 1, check.positive_integer(questions=questions)
    if i > k:
        raise InvalidInput(
            argument="questions", accepted=f"at least {i:,} after this past", given=f"{k:,}"
        )
    gained = log1p(pi**2 / 6 * i * float(Fraction(i, k)))
    return up(log_inverse_level(beta=beta, transcript=transcript) + log(2) - gained)


@final
class Weights(Enum):
    """How a conversation shares out its β over questions; fixed when it begins."""

    HORIZON = "horizon"
    ANYTIME = "anytime"  # of ledgers from before there was a horizon

    @property
    def theorem(self) -> str:
        """The key of the theorem by which all intervals hold together."""
        return f"T-check-{self.value}"

    def log_inverse_level(self, *, past: Transcript, target: Target) -> float:
        """ln(1/β_i) for the next question. Rounds: up."""
        if self is Weights.ANYTIME:
            return log_inverse_level(beta=target.beta, transcript=past)
        return log_inverse_level_within(
            beta=target.beta, transcript=past, questions=target.questions
        )

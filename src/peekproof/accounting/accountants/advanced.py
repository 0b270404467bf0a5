"""Losses that grow like a square root, in closed form."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, tanh
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.accounting.reading import as_approximate
from peekproof.core import check
from peekproof.core.charge import ApproxDP
from peekproof.core.numerics import up
from peekproof.theory.composition import advanced_mixed, advanced_within, basic
from peekproof.theory.conversion import LEAST_DELTA, float_above


@final
@dataclass(frozen=True, slots=True)
class Advanced:
    """Advanced composition with the sharp mean and the best slack, or Σε if that is less."""

    NAME: ClassVar[str] = "advanced"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-advanced-best", "T-basic")

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        losses = read_all(conversation, as_approximate, accountant=self.NAME)
        return min(advanced_within(losses, delta=delta).epsilon, basic(losses).epsilon)

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        losses = read_all(conversation, as_approximate, accountant=self.NAME)
        plain = basic(losses)
        if epsilon >= plain.epsilon:
            return plain.delta
        slack = max(LEAST_DELTA, _slack(losses, epsilon))
        # The slack is a guess in floats: it counts only once the theorem has accepted it.
        growth = 1 if slack < Fraction(1, 10**280) else Fraction(1, 10**6)
        while slack < 1 and advanced_mixed(losses, slack=slack).epsilon > epsilon:
            slack, growth = slack * (1 + growth), growth * 2
        return min(Fraction(1), plain.delta + slack)


def _slack(losses: dict[ApproxDP, int], epsilon: Fraction) -> Fraction:
    """δ′ = exp(−(ε − Σε_i tanh(ε_i/2))²/(2Σε_i²)), a little above."""
    pairs = [
        (float_above(epsilon=loss.epsilon), float_above(count=Fraction(count)))
        for loss, count in losses.items()
    ]
    mean = fsum(count * eps * tanh(eps / 2) for eps, count in pairs)
    spread = fsum(count * eps * eps for eps, count in pairs)
    excess = max(0.0, float(epsilon) - mean)
    return Fraction(min(1.0, up(exp(-excess * excess / (2 * spread)) * (1 + 1e-9))))

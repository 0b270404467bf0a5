"""What was chosen of many, and how far from the best it can be."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, amount_of
from peekproof.core.frames import number_row
from peekproof.core.html import choice_html
from peekproof.core.numerics import digits_up, float_up, level_down
from peekproof.core.shown import shown
from peekproof.core.span import UNIT, Span


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The candidate that was chosen as the best.

    In the population no other candidate is better by more than `gap`: with the session's
    confidence, together with all its other answers. `winner` is how large what was chosen is, where
    that was told with it.
    """

    chosen: str
    index: int
    candidates: int
    certificate: Certificate
    cost: Charge
    remaining: int
    span: Span = UNIT
    winner: Answer | None = None

    @property
    def gap(self) -> float:
        """How much better the best can be, in the units of the candidates. Rounds: up."""
        if self.winner is not None:  # no candidate reaches beyond its interval
            return float_up(Fraction(self.winner.high) - Fraction(self.winner.low))
        return float_up(Fraction(self.certificate.radius) * self.span.width)

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def replayed(self) -> bool:
        """Whether the choice was made before, so that this call cost nothing."""
        return not amount_of(self.cost)

    def __str__(self) -> str:
        said = f"(best of {self.candidates:,} up to {digits_up(self.gap)})"
        return f"{self.winner or shown(self.chosen)}  {said}"

    def _repr_html_(self) -> str:
        """The choice for a notebook."""
        return choice_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`, with the value of what was chosen if that was told."""
        found = self.winner
        return [
            number_row(
                question=f"the largest of {self.candidates:,}",
                cell=self.chosen,
                value=found and found.value,
                ends=found and (found.low, found.high),
                radius=found and found.radius,
                confidence=self.confidence,
                replayed=self.replayed,
                gap=self.gap,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        found = self.winner
        told = {"value": found.value, "low": found.low, "high": found.high} if found else {}
        return {
            "chosen": self.chosen,
            "index": self.index,
            "candidates": self.candidates,
            "gap": self.gap,
            **told,
            "confidence": self.confidence,
            "cost": str(amount_of(self.cost)),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }

"""What the analyst gets."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from holdfast.core.certificate import Certificate
from holdfast.core.interval import Interval
from holdfast.core.loss import FREE, GDP
from holdfast.core.numerics import decimal_down, decimal_up, level_down


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A released value with its interval for the population.

    `cost` is what this call charged: nothing when the question had been answered before.
    `remaining` is how many new questions the data can still take.
    """

    question: str
    released: Fraction
    certificate: Certificate
    cost: GDP
    remaining: int

    @property
    def value(self) -> float:
        return float(self.released)

    @property
    def radius(self) -> float:
        return self.certificate.radius

    @property
    def interval(self) -> Interval:
        return Interval.around(self.released, radius=self.radius)

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return self.cost == FREE

    def __contains__(self, share: float) -> bool:
        return share in self.interval

    def __str__(self) -> str:
        interval = f"[{decimal_down(self.low)}, {decimal_up(self.high)}]"
        return f"{self.value:.4f}  {interval}  {self.question}"

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "radius": self.radius,
            "confidence": self.confidence,
            "cost": str(self.cost.mu_squared),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }

"""What the analyst gets."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, amount_of
from peekproof.core.frames import number_row
from peekproof.core.html import answer_html
from peekproof.core.interval import Interval
from peekproof.core.numerics import float_up, level_down
from peekproof.core.shown import shown
from peekproof.core.span import UNIT, Span


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A released value with its interval for the population.

    `cost` is what this call charged: nothing when the question had been answered before.
    `remaining` is how many new questions the data can still take. The certificate is about
    shares; `span` says what they stand for. `drawn` tells a new answer that cost nothing from one
    that was given before.
    """

    question: str
    released: Fraction
    certificate: Certificate
    cost: Charge
    remaining: int
    span: Span = UNIT
    drawn: bool = False
    # Worked out when it is first wanted: it takes longer than all else that an answer tells.
    _interval: list[Interval] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def value(self) -> float:
        return float(self.released)

    @property
    def radius(self) -> float:
        """How far the interval reaches from the value, on its longer side. Rounds: up."""
        interval = self.interval
        below, above = (
            self.released - Fraction(interval.low),
            Fraction(interval.high) - self.released,
        )
        widest = Fraction(self.certificate.radius) * self.span.width
        return float_up(min(widest, max(below, above)))

    @property
    def interval(self) -> Interval:
        if not self._interval:
            self._interval.append(self._worked_out())
        return self._interval[0]

    def _worked_out(self) -> Interval:
        if self.span is UNIT:
            return self.certificate.interval(self.released)
        share = self.span.share(self.released)
        return self.span.interval(self.certificate.interval(share))

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
    def missing(self) -> None:
        """Nothing: all rows count. A mean among the rows with a value tells how many have none."""
        return

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return not self.drawn and not amount_of(self.cost)

    def __contains__(self, value: float) -> bool:
        return value in self.interval

    def __str__(self) -> str:
        value = f"{self.value:.{self.span.places}f}"
        return f"{value}  {self.span.shown(self.interval)}  {shown(self.question)}"

    def __repr__(self) -> str:
        return f"<Answer {self}>"

    def _repr_html_(self) -> str:
        """The answer for a notebook."""
        return answer_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`."""
        interval = self.interval
        return [
            number_row(
                question=self.question,
                value=self.value,
                ends=(interval.low, interval.high),
                radius=self.radius,
                confidence=self.confidence,
                replayed=self.replayed,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "radius": self.radius,
            "confidence": self.confidence,
            "cost": str(amount_of(self.cost)),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }

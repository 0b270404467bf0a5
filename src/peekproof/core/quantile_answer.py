"""A value, and of which level of the population it is a quantile."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, amount_of
from peekproof.core.frames import number_row
from peekproof.core.html import quantile_html
from peekproof.core.interval import Interval
from peekproof.core.numerics import decimal_down, decimal_up, level_down
from peekproof.core.shown import shown


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileAnswer:
    """`value` is a quantile of the population for some level in `levels`, near the `level` asked.

    That is: at most a share `levels.high` of the population is at or below `after`, the point of
    the grid before `value`, and at least a share `levels.low` is at or below `value`.
    """

    question: str
    value: float
    after: float
    level: Fraction
    certificate: Certificate
    cost: Charge
    remaining: int

    @property
    def levels(self) -> Interval:
        """The levels of which `value` can be the quantile."""
        return Interval.around(self.level, radius=self.certificate.radius)

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return not amount_of(self.cost)

    def __str__(self) -> str:
        levels = self.levels
        ends = f"[{decimal_down(levels.low)}, {decimal_up(levels.high)}]"
        return f"{self.value!r}  level in {ends}  {shown(self.question)}"

    def _repr_html_(self) -> str:
        """The answer for a notebook."""
        return quantile_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`; certain are the levels, not ends of the value."""
        return [
            number_row(
                question=self.question,
                value=self.value,
                ends=None,
                radius=None,
                confidence=self.confidence,
                replayed=self.replayed,
                lowest_level=self.levels.low,
                highest_level=self.levels.high,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "value": self.value,
            "after": self.after if isfinite(self.after) else None,
            "level": float(self.level),
            "lowest_level": self.levels.low,
            "highest_level": self.levels.high,
            "confidence": self.confidence,
            "cost": str(amount_of(self.cost)),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }

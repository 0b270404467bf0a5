"""What a monitor found, for people and for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import final

from peekproof.audit.evidence import mean_limits
from peekproof.audit.monitoring.allowances import Allowance
from peekproof.audit.opponents.promises import Loss
from peekproof.core.charge import amount_of, unit_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up, float_up, level_down, up
from peekproof.query.form import FINE

# The score of a question whose truth is at most ½ lies between these.
_LEAST, _MOST = -0.5, 1.0

# What rows contribute to a mean is rounded to one part in FINE before it is added up.
_ROUNDED = 1 / FINE

HEAD = ("overfitting", "mean", "between", "allowed", "by", "verdict")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The mean of something in shares, where it lies, and the most that the claim allows."""

    name: str
    count: int
    estimate: float
    low: float
    high: float
    allowances: tuple[Allowance, ...]

    @property
    def allowance(self) -> Allowance | None:
        """The smallest that applies: if the claim is true, all of them hold."""
        return min(self.allowances, key=lambda each: each.most, default=None)

    @property
    def flagged(self) -> bool:
        return self.allowance is not None and self.low > self.allowance.most

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "count": self.count,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "allowances": {each.theorem: each.most for each in self.allowances},
            "flagged": self.flagged,
        }

    def row(self) -> list[str]:
        """The cells of a table; ends are rounded outward."""
        allowed = self.allowance
        ends = f"{decimal_down(self.low)} … {decimal_up(self.high)}"
        verdict = "too much" if self.flagged else "no excess seen"
        return [
            self.name,
            f"{self.estimate:.4f}",
            ends,
            decimal_up(allowed.most) if allowed else "nothing claimed",
            allowed.theorem if allowed else "",
            verdict if allowed else "",
        ]


def measured(
    name: str, scores: Sequence[float], allowed: tuple[Allowance, ...], level: float
) -> Measure:
    """The mean of scores of at least −½, between limits that fail with probability `level`."""
    limits = mean_limits(scores, low=_LEAST, high=_MOST, false_alarm=level)
    return Measure(
        name=name,
        count=len(scores),
        estimate=fmean(scores),
        low=max(_LEAST, limits.low - _ROUNDED),
        high=min(_MOST, limits.high + _ROUNDED),
        allowances=allowed,
    )


def answered(
    errors: Sequence[float], *, radius: float | None, confidence: Fraction, level: float
) -> Measure:
    """The mean distance of answers from the population, beside the radius that was promised.

    E|a − q(P)| ≤ radius + (1 − confidence): it is within the radius unless the promise fails, which
    it may with the second probability, and then the distance is at most 1.
    """
    limits = mean_limits(errors, low=0.0, high=1.0, false_alarm=level)
    allowed: tuple[Allowance, ...] = ()
    if radius is not None:
        most = min(1.0, up(radius + float_up(1 - confidence)))
        allowed = (Allowance(theorem="the certificate", most=most),)
    return Measure(
        name="error of answers",
        count=len(errors),
        estimate=fmean(errors),
        low=limits.low,
        high=limits.high,
        allowances=allowed,
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorReport:
    """All measures of one monitor; together their limits fail with probability at most `level`."""

    mechanism: str
    analyst: str
    rows: int
    questions: int
    samples: int
    repeats: int
    epsilon: Fraction
    confidence: Fraction
    level: float
    seed: int
    loss: Loss | None
    measures: tuple[Measure, ...]

    @property
    def flagged(self) -> bool:
        """Whether something overfits more than the claim allows.

        Of a mechanism whose claims are true that is said with probability at most `level`.
        """
        return any(each.flagged for each in self.measures)

    def __getitem__(self, name: str) -> Measure:
        for each in self.measures:
            if each.name == name:
                return each
        raise InvalidInput(
            argument="name",
            accepted=f"one of {', '.join(each.name for each in self.measures)}",
            given=repr(name),
        )

    def to_dict(self) -> dict[str, object]:
        return {
            "mechanism": self.mechanism,
            "analyst": self.analyst,
            "rows": self.rows,
            "questions": self.questions,
            "samples": self.samples,
            "repeats": self.repeats,
            "epsilon": float(self.epsilon),
            "confidence": level_down(self.confidence),
            "level": self.level,
            "seed": self.seed,
            "claim": self.loss and {unit_of(self.loss): float(amount_of(self.loss))},
            "measures": [each.to_dict() for each in self.measures],
            "flagged": self.flagged,
        }

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.flagged:
            return (
                f"{self.mechanism} overfits more than it claims to allow; of an honest mechanism "
                f"this is said with probability at most {self.level:g}."
            )
        if not any(each.allowances for each in self.measures):
            return f"{self.mechanism} claims nothing that could be held against it."
        return f"No sign that {self.mechanism} overfits more than it claims to allow."

    def __str__(self) -> str:
        rows = [list(HEAD), *(each.row() for each in self.measures)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )
        return "\n".join((*lines, self.verdict))

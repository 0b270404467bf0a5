"""What follows from answers: a number and its interval, on the event on which they all hold.

A `Range` is an interval for any number: a difference may be negative, a ratio above 1.
"""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, cast, final

from peekproof.core.certificate import Certificate, Interval
from peekproof.core.errors import InvalidInput
from peekproof.core.frames import number_row
from peekproof.core.html import derived_html
from peekproof.core.numerics import decimal_down, decimal_up, float_up, level_down, level_up
from peekproof.core.shown import visible
from peekproof.derive.joint import Joint

LARGEST = sys.float_info.max
_PRINTED_IN_FULL = 1e15  # beyond, decimals say nothing and the number itself is printed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The closed interval [low, high]; an end is infinite where nothing bounds the number."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (self.low <= self.high and self.low < math.inf and self.high > -math.inf):
            raise InvalidInput(
                argument="interval",
                accepted="two numbers, the lower one first",
                given=f"{self.low!r} and {self.high!r}",
            )

    @classmethod
    def outward(cls, low: Fraction | None, high: Fraction | None) -> "Range":
        """The range from `low` to `high`, either of which may be missing.

        Rounds: outward, each end to the nearest float.
        """
        return cls(
            low=-math.inf if low is None else 0.0 - _rounded_up(-low),  # never −0.0
            high=math.inf if high is None else _rounded_up(high),
        )

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def nearest(self, number: Fraction) -> Fraction:
        """The number of the range that is nearest to `number`."""
        if number < self.low:
            return Fraction(self.low)
        return Fraction(self.high) if number > self.high else number

    def __contains__(self, number: float | Fraction) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        """Both ends as decimals. Rounds: outward."""
        return f"[{_text(self.low, -math.inf)}, {_text(self.high, math.inf)}]"


def nearest_float(number: Fraction) -> float:
    """The float nearest to `number`, however large that is."""
    return float(min(max(number, -Fraction(LARGEST)), Fraction(LARGEST)))


def _rounded_up(number: Fraction) -> float:
    """The smallest float that is not below `number`, infinity included."""
    if number > Fraction(LARGEST):
        return math.inf
    return float_up(number) if number >= -Fraction(LARGEST) else -LARGEST


def _text(number: float, outward: float) -> str:
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if abs(number) < _PRINTED_IN_FULL:
        return decimal_up(number) if outward > 0 else decimal_down(number)
    # A double is printed as a decimal near it, on either side.
    return repr(level_up(Fraction(number)) if outward > 0 else level_down(Fraction(number)))


class Answered(Protocol):
    """What is read of an answer."""

    @property
    def question(self) -> str: ...
    @property
    def released(self) -> Fraction: ...
    @property
    def interval(self) -> Interval: ...
    @property
    def certificate(self) -> Certificate: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Derived:
    """A number computed from answers, with its interval for the population; it cost nothing.

    It holds together with the answers it follows from, and can be computed with like an answer.
    `joint` says on which sessions, theorems and assumptions it rests.
    """

    label: str
    released: Fraction
    interval: Range
    joint: Joint = field(repr=False)

    @property
    def value(self) -> float:
        return nearest_float(self.released)

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high

    @property
    def radius(self) -> float:
        """How far the interval reaches from the value, on its longer side. Rounds: up."""
        if not self.interval.bounded:
            return math.inf
        below, above = self.released - Fraction(self.low), Fraction(self.high) - self.released
        return Range.outward(None, max(below, above)).high

    @property
    def confidence(self) -> float:
        return level_down(self.joint.confidence)

    def __contains__(self, number: float | Fraction) -> bool:
        return number in self.interval

    def __str__(self) -> str:
        return f"{self.value:.4f}  {self.interval}  {visible(self.label)}"

    def __repr__(self) -> str:
        return f"<Derived {self}>"

    def _repr_html_(self) -> str:
        """The number for a notebook."""
        return derived_html(
            label=self.label,
            value=self.value,
            interval=str(self.interval),
            ends=(self.low, self.high),
            confidence=self.confidence,
        )

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`; as what was asked before, it is free."""
        return [
            number_row(
                question=self.label,
                value=self.value,
                ends=(self.low, self.high),
                radius=self.radius,
                confidence=self.confidence,
                replayed=True,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        """For programs; an end that nothing bounds is None."""
        return {
            "label": self.label,
            "value": self.value,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "confidence": self.confidence,
            "theorems": ["T-joint-function", *self.joint.theorems],
            "assumptions": list(self.joint.assumptions),
        }


class Quotient(Protocol):
    """A share or a mean among some rows, which rests on more than one answer."""

    @property
    def found(self) -> Derived: ...


Source = Answered | Quotient | Derived


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """An answer, or what follows from answers, as it is computed with: all numbers exact."""

    label: str
    value: Fraction
    span: Range
    joint: Joint

    @property
    def low(self) -> Fraction:
        return Fraction(self.span.low)

    @property
    def high(self) -> Fraction:
        return Fraction(self.span.high)

    def derived(self, span: Range, *, value: Fraction, joint: Joint) -> Derived:
        """The same number, known better; the value is moved into the span if it lies outside."""
        nearest = span.nearest(value)
        return Derived(label=self.label, released=nearest, interval=span, joint=joint)


def fact(source: Source) -> Fact:
    """What `source` says. Its interval is read once: it may be costly."""
    if isinstance(source, Derived):
        return Fact(
            label=source.label, value=source.released, span=source.interval, joint=source.joint
        )
    if isinstance(quotient := getattr(source, "found", None), Derived):
        return fact(quotient)
    certificate = getattr(source, "certificate", None)
    if not isinstance(certificate, Certificate) or not hasattr(source, "interval"):
        raise InvalidInput(
            argument="answer", accepted="an answer, or derived from some", given=repr(source)
        )
    answered = cast(Answered, source)
    interval = answered.interval
    return Fact(
        label=answered.question,
        value=answered.released,
        span=Range(low=interval.low, high=interval.high),
        joint=Joint.on(source, certificate),
    )


def bounded_fact(source: Source) -> Fact:
    """What `source` says, if that can be computed with: both its ends are finite."""
    found = fact(source)
    if not found.span.bounded:
        raise InvalidInput(
            argument="answer",
            accepted="one with a bounded interval",
            given=f"{found.span} for {found.label}",
            hint="clip it to what is known beforehand",
        )
    return found


def bounded_facts(sources: Iterable[Source]) -> list[Fact]:
    """What each of at least one `sources` says."""
    listed = hasattr(sources, "__iter__")
    found = [bounded_fact(each) for each in sources] if listed else []
    if not found:
        raise InvalidInput(
            argument="answers",
            accepted="a list of at least one answer",
            given="an empty list" if listed else repr(sources),
        )
    return found

"""Certificates, intervals and widths: why an interval holds, and how far one would reach.

An interval for a number of the population.

How strong a statement about the population is, as a type.

Only `Simultaneous` may certify an answer. Code that issues intervals takes a `Simultaneous` in its
signature, so a bound for one question or on average cannot get there; the type checker says so.

What a session promises, in the user's words.

The units of an answer: where 0 and 1 of the certified share lie on the analyst's scale.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, log10
from typing import Protocol, final

from peekproof.core import check
from peekproof.core.errors import CertificateMismatch, InvalidInput
from peekproof.core.html import certificate_html
from peekproof.core.numerics import (
    decimal_down,
    decimal_up,
    digits_up,
    float_down,
    float_up,
    level_down,
)
from peekproof.core.theorem import lookup


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The closed interval [low, high]."""

    low: float
    high: float

    @classmethod
    def around(cls, value: Fraction, *, radius: float) -> "Interval":
        """All shares within `radius` of `value`.

        Rounds: outward, from exact sums.
        """
        reach = Fraction(radius)
        return cls(low=max(0.0, float_down(value - reach)), high=min(1.0, float_up(value + reach)))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def _unit(**named: object) -> None:
    ((name, value),) = named.items()
    if not isinstance(value, float) or not 0 <= value <= 1:  # also true for NaN
        raise InvalidInput(argument=name, accepted="a float between 0 and 1", given=repr(value))


def _cut(radius: float) -> float:
    """At most 1, and NaN stays NaN to be refused."""
    return 1.0 if radius > 1 else radius


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Simultaneous:
    """Pr[ every answer is within `radius` of the population ] ≥ 1 − `beta`."""

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _unit(radius=self.radius)
        check.unit_fraction(beta=self.beta)

    @classmethod
    def of(cls, radius: float, *, beta: Fraction) -> "Simultaneous":
        """The statement for this radius; beyond 1 it says nothing more than 1."""
        return cls(radius=_cut(radius), beta=min(Fraction(1), beta))

    def around(self, answer: Fraction) -> Interval:
        """All shares that the statement allows for this answer. No other kind of bound has this."""
        return Interval.around(answer, radius=self.radius)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OneQuestion:
    """A deviation within `radius` with probability 1 − `beta`, for one question alone.

    It says nothing about the worst of several, and it may hold only on average over the
    mechanism's coins; the theorem says which. It certifies no answer.
    """

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _unit(radius=self.radius)
        check.unit_fraction(beta=self.beta)

    @classmethod
    def of(cls, radius: float, *, beta: Fraction) -> "OneQuestion":
        return cls(radius=_cut(radius), beta=min(Fraction(1), beta))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OnAverage:
    """An expected deviation of at most `radius`. It certifies no answer."""

    radius: float

    def __post_init__(self) -> None:
        _unit(radius=self.radius)

    @classmethod
    def of(cls, radius: float) -> "OnAverage":
        return cls(radius=_cut(radius))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """All of `questions` adaptively chosen answers hold together with this confidence."""

    confidence: Fraction
    questions: int

    @classmethod
    def of(cls, *, confidence: float | Fraction, questions: int) -> "Target":
        return cls(
            confidence=check.probability(confidence=confidence),
            questions=check.positive_integer(questions=questions),
        )

    def asking(self, questions: int) -> "Target":
        """This target, if it is for as many questions as a run has."""
        if self.questions != questions:
            raise InvalidInput(
                argument="target",
                accepted=f"one of {questions:,} questions, as many as a run has",
                given=f"one of {self.questions:,}",
            )
        return self

    @property
    def beta(self) -> Fraction:
        """The probability that any interval at all misses."""
        return 1 - self.confidence


ASSUMPTIONS = (
    "the rows are independent draws from the population",
    "the number of rows is public",
    "every answer drawn from these rows went through this ledger",
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One term of the radius and the theorem that gives it."""

    theorem: str
    covers: str
    radius: float
    numbers: tuple[tuple[str, float], ...]


class Shape(Protocol):
    """How the interval of an answer depends on the answer: narrower near 0 and 1, for instance."""

    def interval(self, released: Fraction) -> Interval:
        """All shares of the population that the released value allows."""
        ...


class Derivation(Protocol):
    """Where a certificate comes from, so that it can be worked out again.

    It may also have a hashable `session`: equal for two certificates only if one promise covers
    the answers of both.
    """

    def again(self) -> "Certificate":
        """The certificate, computed anew from the record alone."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A radius that holds for every answer of a session at once.

    Pr[ population value ∈ interval(answer) for all answers ] ≥ target.confidence, and no
    interval reaches further than `radius` from its answer.
    """

    target: Target
    rows: int
    joins: str
    parts: tuple[Part, ...]
    assumptions: tuple[str, ...] = ASSUMPTIONS
    shape: Shape | None = None
    derivation: Derivation | None = field(default=None, compare=False, repr=False)
    # The sum of the parts, or 1, which no two shares exceed. Rounds: up, from an exact sum.
    radius: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        exact = sum((Fraction(part.radius) for part in self.parts), Fraction(0))
        object.__setattr__(self, "radius", min(1.0, float_up(exact)))

    def verify(self) -> "Certificate":
        """This certificate, if the ledger's record and the theorems give it again.

        Everything is computed anew from the ledger alone; a difference is an error.
        """
        if self.derivation is None:
            raise InvalidInput(
                argument="certificate",
                accepted="one of an answer, which has a ledger to be verified against",
                given="a plan's",
            )
        again = self.derivation.again()
        if again != self:
            raise CertificateMismatch(claimed=self.radius, recomputed=again.radius)
        return again

    def _repr_html_(self) -> str:
        """The certificate for a notebook."""
        return certificate_html(self)

    def interval(self, released: Fraction) -> Interval:
        """What the certificate says about the answer `released`; both promises at once."""
        around = Interval.around(released, radius=self.radius)
        if self.shape is None:
            return around
        shaped = self.shape.interval(released)
        return Interval(low=max(around.low, shaped.low), high=min(around.high, shaped.high))

    @property
    def session(self) -> Hashable | None:
        """Whose promise this is, to be compared; None if it is not known."""
        session: Hashable | None = getattr(self.derivation, "session", None)
        return session

    @property
    def theorems(self) -> tuple[str, ...]:
        keys = [self.joins, *(part.theorem for part in self.parts)]
        return tuple(dict.fromkeys(keys))

    def citations(self) -> tuple[str, ...]:
        """One line a theorem: key, source, place."""
        return tuple(f"{key}: {lookup(key).citation}" for key in self.theorems)

    @property
    def promise(self) -> str:
        """What holds for all answers together, in words."""
        return (
            f"With probability at least {level_down(self.target.confidence)}, the intervals of all "
            f"of at most {self.target.questions:,} answers from {self.rows:,} rows hold together"
        )

    @property
    def reach(self) -> str:
        """How far an interval reaches, in words."""
        return f"reaches at most {decimal_up(self.radius)} of its scale ({self.joins})"

    @property
    def terms(self) -> list[str]:
        """One line a part of the radius: what it covers, its theorem and its numbers."""
        lines = []
        for part in self.parts:
            numbers = ", ".join(f"{name} = {value:.6g}" for name, value in part.numbers)
            lines.append(f"  {decimal_up(part.radius)}  {part.covers} ({part.theorem}: {numbers})")
        return lines

    def explain(self) -> str:
        """The certificate in words, for a person who wants to check it."""
        lines = [f"{self.promise}; this one {self.reach}:", *self.terms]
        lines.append("Assumed: " + "; ".join(self.assumptions) + ".")
        lines.extend(self.citations())
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        return {
            "confidence": level_down(self.target.confidence),
            "questions": self.target.questions,
            "rows": self.rows,
            "radius": self.radius,
            "joined_by": self.joins,
            "parts": [
                {
                    "theorem": part.theorem,
                    "covers": part.covers,
                    "radius": part.radius,
                    "numbers": dict(part.numbers),
                }
                for part in self.parts
            ],
            "assumptions": list(self.assumptions),
            "citations": list(self.citations()),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A share s stands for low + s·(high − low); values above `most` do not occur. Public."""

    low: Fraction
    high: Fraction
    most: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.most <= self.high:
            raise InvalidInput(
                argument="span",
                accepted="low below the largest value, and that not above high",
                given=f"{self.low}, {self.most}, {self.high}",
            )

    @classmethod
    def between(cls, low: Fraction, high: Fraction) -> "Span":
        """The span on which every value between its ends occurs."""
        return cls(low=low, high=high, most=high)

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    def value(self, share: Fraction) -> Fraction:
        """The value that a share stands for."""
        return min(self.most, self.low + share * self.width)

    def share(self, value: Fraction) -> Fraction:
        """The share that stands for a value."""
        return (value - self.low) / self.width

    def interval(self, shares: Interval) -> Interval:
        """The values that an interval of shares stands for. Rounds: outward."""
        low, high = self.value(Fraction(shares.low)), self.value(Fraction(shares.high))
        return Interval(low=float_down(low), high=float_up(high))

    @property
    def places(self) -> int:
        """Decimals that show four digits of the width."""
        return max(0, 4 - floor(log10(self.width)))

    def shown(self, interval: Interval) -> str:
        """An interval to print, rounded outward."""
        low = decimal_down(interval.low, places=self.places)
        return f"[{low}, {decimal_up(interval.high, places=self.places)}]"


UNIT = Span.between(Fraction(0), Fraction(1))


# Groups for which the width of a quotient is told, by their share of all rows.
_EXAMPLES = (
    (Fraction(1), "all of them"),
    (Fraction(1, 2), "a half"),
    (Fraction(1, 10), "a tenth"),
)

# Below and above, four decimals are too few or too many.
_SMALL, _LARGE = 0.01, 1000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """How far an interval reaches on its longer side, in the units of the answer.

    All that is told is "at most": intervals are cut off at the ends of their scale, and near them
    some are narrower from the start. `most` is certain. Where a smaller bound may turn out to
    hold, `least` is the smallest that can, and `words` say on what it depends.
    """

    least: float
    most: float
    words: str

    @classmethod
    def within(cls, radius: float, *, of: str = "") -> "Width":
        """That of an interval whose radius is known before; `of` names what is not the answer."""
        return cls(least=radius, most=radius, words=f"at most {plus_minus(radius)}{of}")

    @classmethod
    def checked(cls, *, confirmed: float, failed: float) -> "Width":
        """That of a guess, which depends on whether the rows confirm it."""
        return cls(
            least=min(confirmed, failed),
            most=max(confirmed, failed),
            words=f"at most {plus_minus(confirmed)} if the guess is confirmed, "
            f"{plus_minus(failed)} if not",
        )

    @classmethod
    def within_group(cls, *, joint: Fraction, whole: Fraction) -> "Width":
        """That of a share or a mean within a group, whose share of all rows is not known.

        On a scale of the width `whole` it reaches at most `joint`/s for a group with the released
        share s. Of a small group it says nothing.
        """
        told = [
            f"at most {plus_minus(float_up(joint / share))} for {name}"
            if joint / share < whole
            else f"perhaps all of its range for {name}"
            for share, name in _EXAMPLES
        ]
        return cls(
            least=float_up(min(joint, whole)),
            most=float_up(whole),
            words=f"depends on the group's share of all rows: {', '.join(told)}",
        )

    @classmethod
    def of_cells(cls, radii: list[float]) -> "Width":
        """That of several numbers that were answered before."""
        low, high = min(radii), max(radii)
        return cls(least=low, most=high, words=f"{plus_minus(low)} to {plus_minus(high)}")

    @property
    def known(self) -> bool:
        """Whether one radius is told, whatever comes."""
        return self.least == self.most

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, object]:
        return {"least": self.least, "most": self.most, "words": self.words}


def plus_minus(radius: float) -> str:
    """A radius to print: four decimals, or four digits where these say more. Rounds: up."""
    if radius >= _LARGE:
        return f"±{ceil(radius):,}"
    return f"±{decimal_up(radius) if _SMALL <= radius < 1 else digits_up(radius)}"

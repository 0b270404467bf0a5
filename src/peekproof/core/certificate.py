"""Why an interval holds: the theorems, their numbers, what they assume."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, final

from peekproof.core.errors import CertificateMismatch, InvalidInput
from peekproof.core.html import certificate_html
from peekproof.core.interval import Interval
from peekproof.core.numerics import decimal_up, float_up, level_down
from peekproof.core.target import Target
from peekproof.core.theorem import lookup

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

    def explain(self) -> str:
        """The certificate in words, for a person who wants to check it."""
        lines = [
            f"With probability at least {level_down(self.target.confidence)}, the intervals of all "
            f"of at most {self.target.questions:,} answers from {self.rows:,} rows hold together; "
            f"this one reaches at most {decimal_up(self.radius)} of its scale ({self.joins}):"
        ]
        for part in self.parts:
            numbers = ", ".join(f"{name} = {value:.6g}" for name, value in part.numbers)
            lines.append(f"  {decimal_up(part.radius)}  {part.covers} ({part.theorem}: {numbers})")
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

"""Conditional shares and means, and those by group: quotients of what was drawn for them.

Their certificate says why: the answers that they follow from hold, all together.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, final

from peekproof.core.answer import Answer, HistogramAnswer
from peekproof.core.certificate import Certificate, Interval, Part, Span, Target, plus_minus
from peekproof.core.charge import Charge
from peekproof.core.frames import number_row, to_pandas
from peekproof.core.html import (
    Html,
    bold,
    box,
    cells_html,
    certificate_html,
    derived_html,
    folded,
    joined,
    paid,
    text,
)
from peekproof.core.numerics import float_up, level_down
from peekproof.core.shown import visible
from peekproof.core.theorem import lookup
from peekproof.derive.derived import Derived, Range
from peekproof.derive.joint import Joint
from peekproof.derive.linear import affine, conditional, portion, total

if TYPE_CHECKING:
    from pandas import DataFrame


FUNCTION = "T-joint-function"
_PLACES = ("first", "second")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JointCertificate:
    """The certificate of what follows from answers about all rows.

    `drawn` has theirs, and `radii` how far the intervals that follow reach, in their units.
    """

    follows: str
    radii: tuple[float, ...]
    drawn: tuple[Certificate, ...]
    # As with a derivation: whose promise it is does not change what is certified.
    joint: Joint = field(compare=False, repr=False)

    @property
    def radius(self) -> float:
        """How far the widest of the intervals reaches, in the units of the answer."""
        return max(self.radii)

    @property
    def target(self) -> Target:
        return self.drawn[0].target

    @property
    def rows(self) -> int:
        return self.drawn[0].rows

    @property
    def session(self) -> Hashable | None:
        """Whose promise this is, to be compared; None if it is not known."""
        return self.drawn[0].session

    @property
    def joins(self) -> str:
        return FUNCTION

    @property
    def parts(self) -> tuple[Part, ...]:
        """The terms of what was drawn, about all rows: they do not add up to this radius."""
        return tuple(dict.fromkeys(part for each in self.drawn for part in each.parts))

    @property
    def theorems(self) -> tuple[str, ...]:
        return (FUNCTION, *self.joint.theorems)

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self.joint.assumptions

    def verify(self) -> "JointCertificate":
        """This certificate, if the ledger's record gives those it follows from again."""
        for each in self.drawn:
            each.verify()
        return self

    def citations(self) -> tuple[str, ...]:
        """One line a theorem: key, source, place."""
        return tuple(f"{key}: {lookup(key).citation}" for key in self.theorems)

    def explain(self) -> str:
        """The certificate in words, for a person who wants to check it."""
        lines = [f"{self.drawn[0].promise}; {self._said} ({FUNCTION})."]
        for name, each in self._different():
            lines += [f"{name} {each.reach}:", *each.terms]
        lines.append("Assumed: " + "; ".join(self.assumptions) + ".")
        return "\n".join((*lines, *self.citations()))

    def to_dict(self) -> dict[str, object]:
        return {
            "confidence": level_down(self.joint.confidence),
            "questions": self.target.questions,
            "rows": self.rows,
            "radius": self.radius,
            "joined_by": FUNCTION,
            "drawn": [each.to_dict() for each in self.drawn],
            "assumptions": list(self.assumptions),
            "citations": list(self.citations()),
        }

    def _repr_html_(self) -> str:
        """The certificate for a notebook."""
        return box(self._terms())

    def folded(self) -> Html:
        """The same, below an answer."""
        return folded("why it holds", self._terms())

    @property
    def _said(self) -> str:
        low, high = (plus_minus(end) for end in (min(self.radii), max(self.radii)))
        return f"{self.follows} {low if low == high else f'{low} to {high}'}"

    def _different(self) -> list[tuple[str, Certificate]]:
        """What was drawn, by what it is called; certificates that say the same are one."""
        if all(each == self.drawn[0] for each in self.drawn):
            return [("What was drawn, about all rows,", self.drawn[0])]
        return [
            (f"The {name} of these, about all rows,", each)
            for name, each in zip(_PLACES, self.drawn, strict=True)
        ]

    def _terms(self) -> Html:
        said = self._said
        parts = [bold(said[0].upper() + said[1:]), text(f" ({FUNCTION}).")]
        for name, each in self._different():
            parts += [text(f" {name} is within"), Html(certificate_html(each))]
        return joined(parts)


Bounds = tuple[float, float]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalAnswer:
    """A share or a mean among the rows that satisfy a condition, from two answers.

    `over` is what was drawn for both, `under` for the condition alone; their intervals hold
    together, and `found` follows from them. The rarer the condition, the wider it is. Of a mean
    among all rows with a value, `missing` is the share of rows that have none. Of one among some
    rows, `leaves_out` says that those without a value are left out; how many is not known.
    """

    question: str
    over: Answer
    under: Answer
    found: Derived
    missing: Derived | None = None
    leaves_out: bool = False

    @classmethod
    def of(
        cls,
        question: str,
        *,
        over: Answer,
        under: Answer,
        bounds: Bounds,
        known: bool = False,
        leaves_out: bool = False,
    ) -> "ConditionalAnswer":
        """For a mean, `over` is that of the operand inside and of the lower bound elsewhere.

        So (over − low)/(high − low) is at most the share of the condition, as for shares. `known`
        says that the condition is to have a value.
        """
        low, high = (Fraction(end) for end in bounds)
        shares = affine(over, scale=1 / (high - low), shift=-low / (high - low))
        within = _conditional(shares, under)
        scaled = affine(within, scale=high - low, shift=low)
        found = replace(scaled, label=question)
        missing = None
        if known:
            missing = replace(affine(under, scale=-1, shift=1), label=f"missing in {question}")
        return cls(
            question=question,
            over=over,
            under=under,
            found=found,
            missing=missing,
            leaves_out=leaves_out,
        )

    @property
    def value(self) -> float:
        return self.found.value

    @property
    def released(self) -> Fraction:
        return self.found.released

    @property
    def span(self) -> Span:
        """Between which bounds it lies, as what was drawn for both does."""
        return self.over.span

    @property
    def interval(self) -> Interval:
        return Interval(low=self.low, high=self.high)

    @property
    def low(self) -> float:
        return self.found.low

    @property
    def high(self) -> float:
        return self.found.high

    @property
    def radius(self) -> float:
        """How far the interval reaches from the value, on its longer side. Rounds: up."""
        value, (low, high) = self.found.released, (Fraction(self.low), Fraction(self.high))
        return float_up(max(value - low, high - value))

    @property
    def confidence(self) -> float:
        return self.found.confidence

    @property
    def certificate(self) -> JointCertificate:
        """Why it holds, and how far it reaches: further than the two it follows from."""
        return JointCertificate(
            follows="this one follows from two answers, and reaches",
            radii=(self.radius,),
            drawn=(self.over.certificate, self.under.certificate),
            joint=self.found.joint,
        )

    @property
    def cost(self) -> Charge:
        return self.over.cost + self.under.cost

    @property
    def remaining(self) -> int:
        return self.over.remaining

    @property
    def replayed(self) -> bool:
        """Whether both were answered before, so that this call cost nothing."""
        return self.over.replayed and self.under.replayed

    def __contains__(self, number: float) -> bool:
        return number in self.found

    def __str__(self) -> str:
        return f"{self.found}  ({self.missing_text})" if self.missing_text else str(self.found)

    @property
    def missing_text(self) -> str:
        """How many rows have no value, in words and as an interval, or that they are left out."""
        if self.missing is None:
            return "rows without a value are left out" if self.leaves_out else ""
        low = floor(1000 * Fraction(self.missing.low)) / 10
        high = ceil(1000 * Fraction(self.missing.high)) / 10
        return f"missing: {100 * self.missing.value:.1f} % [{low:.1f}, {high:.1f}]"

    def _repr_html_(self) -> str:
        """The answer for a notebook."""
        drawn = sum(not each.replayed for each in (self.over, self.under))
        price = ("free", "one draw", "two draws")[drawn]
        return derived_html(
            label=self.question,
            value=self.value,
            interval=str(self.found.interval),
            ends=(self.low, self.high),
            confidence=self.confidence,
            price=", ".join(filter(None, (self.missing_text, price, f"{self.remaining:,} left"))),
            why=self.certificate.folded(),
        )

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`."""
        return [
            number_row(
                question=self.question,
                value=self.value,
                ends=(self.low, self.high),
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
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
            "over": self.over.to_dict(),
            "under": self.under.to_dict(),
            "missing": self.missing
            and {"value": self.missing.value, "low": self.missing.low, "high": self.missing.high},
        }


def _conditional(over: Derived, under: Answer) -> Derived:
    """The quotient. Of two that contradict each other, which no promise excludes, nothing.

    Nor of a condition that cannot hold: what was paid for is answered.
    """
    if over.low > under.high or under.high <= 0:
        joint = Joint.of((over.joint, Joint.on(under, under.certificate)))
        return Derived(
            label=over.label, released=Fraction(1), interval=Range(low=0.0, high=1.0), joint=joint
        )
    return conditional(over, given=under)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedAnswer:
    """A share or a mean within each cell, and how large the cell is; all of it from one draw.

    `drawn` has what counts in each cell, then what does not, as shares of all rows.
    """

    question: str
    labels: tuple[str, ...]
    cells: tuple[Derived, ...]
    sizes: tuple[Derived, ...]
    drawn: HistogramAnswer

    @classmethod
    def of(cls, question: str, *, drawn: HistogramAnswer, bounds: Bounds) -> "GroupedAnswer":
        low, high = (Fraction(end) for end in bounds)
        half = len(drawn) // 2
        labels = drawn.labels[:half]
        cells, sizes = [], []
        for label, counted, others in zip(labels, drawn[:half], drawn[half:], strict=True):
            within = affine(portion(counted, rest=others), scale=high - low, shift=low)
            cells.append(replace(within, label=label))
            sizes.append(replace(total([counted, others]), label=label))
        return cls(
            question=question,
            labels=labels,
            cells=tuple(cells),
            sizes=tuple(sizes),
            drawn=drawn,
        )

    @property
    def certificate(self) -> JointCertificate:
        """Why the cells hold, and how far they reach: further than what was drawn for them."""
        return JointCertificate(
            follows="what holds within cells follows from one draw, and reaches",
            radii=tuple(cell.radius for cell in self.cells),
            drawn=(self.drawn.certificate,),
            joint=self.cells[0].joint,
        )

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(cell.value for cell in self.cells)

    @property
    def confidence(self) -> float:
        return self.cells[0].confidence

    @property
    def cost(self) -> Charge:
        return self.drawn.cost

    @property
    def remaining(self) -> int:
        return self.drawn.remaining

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return self.drawn.replayed

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, cell: int | str) -> Derived:
        """What holds within a cell, by its place or its label."""
        if isinstance(cell, int):
            return self.cells[cell]
        if cell not in self.labels:
            raise KeyError(cell)
        return self.cells[self.labels.index(cell)]

    def __str__(self) -> str:
        return "\n".join([visible(self.question), *(f"  {cell}" for cell in self.cells)])

    def _repr_html_(self) -> str:
        """All cells, one below the other on one axis."""
        foot = paid(confidence=self.confidence, replayed=self.replayed, remaining=self.remaining)
        cells = [
            (label, cell.value, str(cell.interval), (cell.low, cell.high), str(size.interval))
            for label, cell, size in zip(self.labels, self.cells, self.sizes, strict=True)
        ]
        return cells_html(
            question=self.question, cells=cells, why=self.certificate.folded(), foot=foot
        )

    def to_pandas(self) -> "DataFrame":
        """One row a cell; see `peekproof.to_pandas`."""
        return to_pandas(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """The rows of `peekproof.to_pandas`, one a cell, with its share of all rows."""
        return [
            number_row(
                question=self.question,
                cell=label,
                value=cell.value,
                ends=(cell.low, cell.high),
                radius=cell.radius,
                confidence=cell.confidence,
                replayed=self.replayed,
                share=size.value,
                share_low=size.low,
                share_high=size.high,
            )
            for label, cell, size in zip(self.labels, self.cells, self.sizes, strict=True)
        ]

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "cells": [
                {
                    "label": label,
                    "value": cell.value,
                    "low": cell.low,
                    "high": cell.high,
                    "share": size.value,
                    "share_low": size.low,
                    "share_high": size.high,
                }
                for label, cell, size in zip(self.labels, self.cells, self.sizes, strict=True)
            ],
            "confidence": self.confidence,
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }

"""Why the interval of what follows from answers holds: theirs do, all together."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import final

from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.html import Html, bold, box, certificate_html, folded, joined, text
from peekproof.core.numerics import level_down
from peekproof.core.theorem import lookup
from peekproof.core.width import plus_minus
from peekproof.derive.joint import Joint

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

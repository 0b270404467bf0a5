"""The first entry of a ledger."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.charge import UNITS, Charge, amount_of, unit_of
from peekproof.ledger.entry import Body

# What this version writes. Every entry names its format, so that no older version misreads it.
FORMAT = 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Whose budget this is, how large, and what it promises."""

    fingerprint: str
    rows: int
    confidence: Fraction
    questions: int
    mechanism: dict[str, str] = field(repr=False)  # may hold a key
    budget: Charge
    entropy: str
    witness: str = ""  # "none" if nothing outside the ledger watches over it from the first entry
    name: str = ""  # random: no other ledger begins with the same entry
    frame: dict[str, str] = field(default_factory=dict, repr=False)  # of which data it is a part
    about: str = ""  # "labels", and their groups, for fresh labels for the same rows

    def to_body(self) -> Body:
        apart = {
            "witness": self.witness, "name": self.name, "frame": self.frame, "about": self.about,
        }  # fmt: skip
        return {
            "format": FORMAT,
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "confidence": str(self.confidence),
            "questions": self.questions,
            "mechanism": self.mechanism,
            "unit": unit_of(self.budget),
            "budget": str(amount_of(self.budget)),
            "entropy": self.entropy,
            **{key: value for key, value in apart.items() if value},
        }

    @classmethod
    def from_body(cls, body: Body) -> "Opening":
        return cls(
            fingerprint=str(body["fingerprint"]),
            rows=int(body["rows"]),
            confidence=Fraction(body["confidence"]),
            questions=int(body["questions"]),
            mechanism={str(key): str(value) for key, value in body["mechanism"].items()},
            budget=UNITS[str(body["unit"])](Fraction(body["budget"])),
            entropy=str(body["entropy"]),
            witness=str(body.get("witness", "")),
            name=str(body.get("name", "")),
            frame={str(key): str(value) for key, value in body.get("frame", {}).items()},
            about=str(body.get("about", "")),
        )

"""One entry of a board: what was handed in, and what was told about it."""

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import Enum
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.numerics import decimal_down, decimal_up

_FAILED = "T-check-failed"


class Told(Enum):
    """What became of a claim."""

    CONFIRMED = "confirmed"  # the declared score, as it stands
    CORRECTED = "corrected"  # another score than was declared or than the best has, to a bin
    NO_BETTER = "no better"  # than the best with its step: one end of the interval says nothing


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a board says about one submission, for good.

    `value` is a declared score that was confirmed, or the middle of a bin; what is known of the
    score of fresh labels is the interval from `low` to `high`. `predictions` and `question` are
    digests: of what was handed in, and of what the ledger was asked.
    """

    number: int
    team: str
    name: str
    made: str
    declared: float | None
    trained_on: int | None
    told: Told
    value: float
    low: float
    high: float
    predictions: str
    question: str

    @property
    def bounded(self) -> bool:
        """Whether the score is known from both sides."""
        return self.told is not Told.NO_BETTER

    @property
    def shown(self) -> str:
        """What is known of the score, in words. Rounds: outward."""
        if not self.bounded:
            if self.high < 1:
                return f"not above {decimal_up(self.high)}"
            return f"not below {decimal_down(self.low)}"
        return f"{self.value:.4f} [{decimal_down(self.low)}, {decimal_up(self.high)}]"

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "told": self.told.value}

    @property
    def digest(self) -> str:
        """Its receipt: the SHA-256 of all of it, as the export lists it."""
        said = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(said.encode()).hexdigest()

    @classmethod
    def from_text(cls, text: str) -> "Entry":
        found = json.loads(text)
        return cls(**{**found, "told": Told(found["told"])})


def told_by(answer: Answer, *, higher: bool) -> Told:
    """What an answer says, whoever got it first: that a claim failed, or which claim passed."""
    if _FAILED in answer.certificate.theorems:
        return Told.CORRECTED
    silent = answer.low <= 0 if higher else answer.high >= 1
    return Told.NO_BETTER if silent else Told.CONFIRMED


def chained(head: str, receipt: str) -> str:
    """The head of the chain of entries after one more."""
    return hashlib.sha256(f"{head}{receipt}".encode()).hexdigest()

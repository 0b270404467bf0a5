"""What came of one attack on one opponent, in a few numbers that travel between processes."""

from dataclasses import asdict, dataclass
from typing import final

from peekproof.audit.fight import Bout, Claim


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Decisive:
    """The claim about the question that the attack aims at."""

    value: float
    low: float
    high: float
    truth: float
    holds: bool

    @classmethod
    def of(cls, claim: Claim) -> "Decisive":
        reply = claim.reply
        return cls(
            value=reply.value,
            low=reply.low,
            high=reply.high,
            truth=float(claim.truth),
            holds=claim.holds,
        )

    @property
    def error(self) -> float:
        return abs(self.value - self.truth)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A conversation: how far answers were off, and whether all intervals held.

    `refusal` says why the opponent would not even begin, and is empty if it did. `widest` is the
    largest radius that it claimed, `forced` its largest error, in the units of the questions.
    """

    attack: str
    mechanism: str
    certified: bool
    seed: int
    predicted: float
    questions: int
    asked: int
    refused: int
    missed: int
    forced: float
    widest: float
    decisive: Decisive | None
    applies: bool
    refusal: str

    @classmethod
    def of(cls, bout: Bout, *, seed: int, predicted: float) -> "Outcome":
        last = bout.decisive
        return cls(
            attack=bout.analyst.KIND,
            mechanism=bout.setup.name,
            certified=bout.setup.certified,
            seed=seed,
            predicted=predicted,
            questions=bout.terms.questions,
            asked=len(bout.claims),
            refused=bout.refused,
            missed=bout.missed,
            forced=bout.forced,
            widest=max((claim.reply.radius for claim in bout.made), default=0.0),
            decisive=last and Decisive.of(last),
            applies=bout.applies,
            refusal="" if bout.refusal is None else str(bout.refusal),
        )

    @property
    def began(self) -> bool:
        """Whether there was a conversation at all."""
        return self.applies and not self.refusal

    @property
    def covered(self) -> bool:
        """Whether all intervals held together; a refusal claims nothing that could be wrong."""
        return not self.missed

    @property
    def answered(self) -> int:
        return self.asked - self.refused

    def to_dict(self) -> dict[str, object]:
        """All fields, and what follows from them."""
        found = {**asdict(self), "began": self.began, "covered": self.covered}
        if self.decisive:
            found["decisive"] = {**asdict(self.decisive), "error": self.decisive.error}
        return found

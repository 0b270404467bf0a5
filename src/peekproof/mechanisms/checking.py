"""A session that checks guesses: what it opens with. Each question then has a check of its own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.charge import Draws
from peekproof.theory.generalization.checking import Transcript, Weights, sampling_radius


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """A conversation of guesses about `rows`, each a GuessAndCheck at the level of its past.

    Guarantees: all answers hold together, passed or failed, whenever the conversation stops.
    Proof: T-check-horizon; T-check-anytime for ledgers from before it.
    Public: all fields.  Secret: the totals given to each check.
    """

    KIND: ClassVar[str] = "checking"

    rows: int
    weights: Weights = Weights.HORIZON

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)

    def cost(self) -> Draws:
        """One draw: what a question uses up besides is the width of those after a failure."""
        return Draws(Fraction(1))

    def certify(self, target: Target) -> Certificate:
        """How far sample and population can be apart at the last question, if no guess failed.

        What a guess may be off besides is the tolerance that comes with it.
        """
        past = Transcript(questions=target.questions - 1)
        level = self.weights.log_inverse_level(past=past, target=target)
        part = Part(
            theorem=self.weights.theorem,
            covers="how far any question within reach can be from the sample, before a failure",
            radius=sampling_radius(rows=self.rows, log_inverse_level=level),
            numbers=(("questions", float(target.questions)), ("beta", float(target.beta))),
        )
        joins = self.weights.theorem
        return Certificate(target=target, rows=self.rows, joins=joins, parts=(part,))

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        if self.weights is Weights.ANYTIME:
            return {"kind": self.KIND}  # as it was written when there was nothing to choose
        return {"kind": self.KIND, "weights": self.weights.value}

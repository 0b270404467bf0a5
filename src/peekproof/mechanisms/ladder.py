"""The ladder: a leaderboard that shows a new best only if it is better by a step.

No noise, few transcripts; and the step that promises most for a number of submissions.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import ClassVar, NoReturn, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.numerics import argmin, float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import nearest_share
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.ladder import (
    improvement_certificate,
    ladder_cells,
    ladder_certificate,
)


@final
@dataclass(frozen=True, slots=True)
class Improved:
    """A new best: this score, rounded to the ladder's step."""

    best: Fraction


@final
@dataclass(frozen=True, slots=True)
class Unimproved:
    """The best so far, which this score did not beat by more than a step; 0 at the start."""

    best: Fraction


@final
class LadderRun:
    """One run: the best so far, and how many scores may still come."""

    __slots__ = ("_best", "_ladder", "_left")

    def __init__(self, mechanism: "Ladder") -> None:
        self._ladder, self._left = mechanism, mechanism.questions
        self._best = Fraction(0)

    def release(self, exact: Exact[int]) -> Improved | Unimproved:
        """The best after the next score, a number of rows; refused after the last one."""
        if self._left == 0:
            raise BudgetExhausted(asked=1, remaining=0, questions=self._ladder.questions)
        self._left -= 1  # before anything can fail
        rows, step = self._ladder.rows, self._ladder.step
        count = exact.reveal()
        if count <= (self._best + step) * rows:
            return Unimproved(self._best)
        self._best = nearest_share(count, rows=rows, step=step)
        return Improved(self._best)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run cannot be copied: two copies would answer more scores than one")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The best share so far: a new one, to the nearest `step`, if it beats the old by more.

    Guarantees: `certify(target)` for the best share of the population among the scores so far,
    after each of them, and `certify_improvement(target)` for each score that was shown, because a
    run has few possible transcripts (T-ladder-transcripts). It is deterministic and not
    differentially private: it protects the contest, not the records.
    Proof: T-ladder, T-ladder-improvement.
    Public: all fields and releases.  Secret: the counts, of rows that a submission gets right.
    """

    kind: ClassVar[str] = "ladder"

    rows: int
    step: Fraction
    questions: int

    def __post_init__(self) -> None:
        ladder_cells(rows=self.rows, step=self.step)
        check.drawable(questions=Fraction(check.positive_integer(questions=self.questions)))

    def cost(self) -> Draws:
        return Draws(Fraction(self.questions))

    def start(self, *, rng: Entropy) -> LadderRun:  # noqa: ARG002 no noise
        return LadderRun(self)

    def radius(self, *, beta: Fraction) -> float:
        """How far the best shown is from the best score on the sample, surely: one step."""
        check.probability(beta=beta)
        return float_up(self.step)

    def certify(self, target: Target) -> Certificate:
        """The promise for the running best."""
        return ladder_certificate(
            rows=self.rows, step=self.step, target=target.asking(self.questions)
        )

    def certify_improvement(self, target: Target) -> Certificate:
        """The promise for each new best and its own score; it holds together with `certify`."""
        return improvement_certificate(
            rows=self.rows, step=self.step, target=target.asking(self.questions)
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism on the same rows."""
        return {"kind": self.kind, "step": str(self.step), "questions": str(self.questions)}


def best_ladder(rows: int, target: Target) -> Ladder:
    """The ladder whose step makes the radius of the running best smallest, or nearly so.

    Coarse steps tell the score badly, fine ones have many transcripts: there is one valley.
    """
    if check.positive_integer(rows=rows) < 2:
        raise InvalidInput(argument="rows", accepted="at least 2 for a ladder", given=repr(rows))

    def ladder(log_cells: float) -> Ladder:
        cells = min(rows, max(2, round(exp(log_cells))))
        return Ladder(rows=rows, step=Fraction(1, cells), questions=target.questions)

    return ladder(argmin(lambda at: ladder(at).certify(target).radius, low=log(2), high=log(rows)))

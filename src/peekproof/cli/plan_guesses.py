"""`peekproof plan --guesses`: checked guesses beside the usual plan."""

from dataclasses import dataclass
from math import nextafter
from typing import final

from peekproof.cli import render
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.rounds import Rounds
from peekproof.mechanisms.splitting import Splitting
from peekproof.mechanisms.truncation import Truncation
from peekproof.planner.guessing import (
    HALF,
    Guessing,
    best_guessing,
    failures_within,
    split_guessing,
)
from peekproof.planner.plan import VACUOUS, Plan
from peekproof.planner.plan import plan as best_plan
from peekproof.planner.useful import useful_plan

_NAMES = {
    Gaussian.KIND: "Gaussian noise",
    Truncation.KIND: "cutting answers to bins",
    Splitting.KIND: "giving every question fresh rows",
    Rounds.KIND: "giving every round fresh rows",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The usual plan, and what guesses from training rows promise for the same questions.

    `most` is the number of failures up to which guesses say something and are no wider than a
    usual plan that does; None if there is none.
    """

    plan: Plan
    guessing: Guessing
    best: Guessing
    most: int | None

    @property
    def _turn(self) -> int:
        """The number of failures from which on guesses no longer serve.

        It is at most the number of questions: if all guesses fail, cutting answers to as many bins
        has fewer transcripts, on all rows instead of half of them.
        """
        return 0 if self.most is None else self.most + 1

    def to_dict(self) -> dict[str, object]:
        narrower = self.most is not None and self.guessing.failures <= self.most
        return {
            "from": "training",
            **self.guessing.to_dict(),
            "narrower": "guesses" if narrower else self.plan.mechanism.KIND,
            "plan_narrower_from": None if self.plan.vacuous else self._turn,
            "best_split": self.best.to_dict(),
        }

    def show(self) -> None:
        """What there is to add to the usual plan, for people."""
        guessing = self.guessing
        allowed = "none fails" if guessing.failures == 0 else f"at most {guessing.failures:,} fail"
        render.line()
        render.line(
            f"±{decimal_up(guessing.radius)} for the same if {guessing.guessing_rows:,} of the "
            f"rows guess, the other {guessing.rows:,} check the guesses, and {allowed}"
        )
        parts = guessing.certificate.parts
        cells = [[decimal_up(part.radius), part.covers, part.theorem] for part in parts]
        render.table(["radius", "covers", "theorem"], cells)
        render.line()
        render.line(self._verdict())
        if decimal_up(self.best.radius) != decimal_up(guessing.radius):
            render.line(
                f"With only {self.best.guessing_rows:,} rows guessing it would be "
                f"±{decimal_up(self.best.radius)}."
            )
        render.line(
            "A session fixes no number of failures in advance; it differs a little "
            "(T-check-horizon)."
        )

    def _verdict(self) -> str:
        usual = _NAMES[self.plan.mechanism.KIND]
        turn = self._turn
        when = "the first failure" if turn == 1 else f"{turn:,} failures"
        if self.plan.vacuous:
            return f"Only guesses say something here, and from {when} on they do not either."
        if turn == 0:
            return f"Here {usual} is narrower, even if no guess fails."
        if self.guessing.failures < turn:
            return f"Guesses are narrower; from {when} on {usual} is."
        return f"With so many failures {usual} is narrower, as it is from {when} on."


def from_training(rows: int, target: Target, *, rounds: int | None, failures: int) -> Beside:
    """Both plans, unless neither says anything: half of the rows guess, the others check."""
    if not 0 <= failures <= target.questions:
        raise InvalidInput(
            argument="--expected-failures",
            accepted=f"from 0 to the number of questions, {target.questions:,}",
            given=f"{failures:,}",
        )
    usual = best_plan(rows=rows, target=target, rounds=rounds)
    guessing = split_guessing(rows=rows, share=HALF, target=target, failures=failures)
    if usual.vacuous and guessing.vacuous:
        usual = useful_plan(rows, target, rounds=rounds)  # refuses, and says what would do
    most = failures_within(
        rows=guessing.rows,
        guessing_rows=guessing.guessing_rows,
        target=target,
        radius=min(usual.radius, nextafter(VACUOUS, 0)),
    )
    return Beside(
        plan=usual,
        guessing=guessing,
        best=best_guessing(rows=rows, target=target, failures=failures),
        most=most,
    )

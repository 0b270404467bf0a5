"""A guess on its way to being checked."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from holdfast.core.charge import Offer
from holdfast.core.errors import InvalidInput
from holdfast.core.refusals import FailuresExhausted
from holdfast.mechanisms.limited_checking import LimitedChecking
from holdfast.planner.checking import checked_offer
from holdfast.planner.limited import limited_offer
from holdfast.planner.plan import Plan
from holdfast.planner.remaining import halted
from holdfast.theory.generalization.checking import Transcript


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A guessed share, how far it may be off, and the past after which it is checked."""

    share: Fraction
    tolerance: Fraction | None
    past: Callable[[], Transcript]  # asked under the ledger's lock, when nobody else can add to it
    width: Fraction = Fraction(1)  # of the scale that the analyst's numbers are on

    def offer(self, plan: Plan, *, levels: int) -> Offer:
        past, promised = self.past(), plan.mechanism
        if isinstance(promised, LimitedChecking):
            if halted(plan, failures=past.failures):
                raise FailuresExhausted(asked=1, failures=promised.failures)
            return limited_offer(promised, self.share, levels=levels)
        try:
            return checked_offer(
                rows=plan.rows,
                guess=self.share,
                tolerance=self.tolerance,
                past=past,
                target=plan.target,
                levels=levels,
            )
        except InvalidInput as refused:
            if self.width == 1 or self.tolerance is None or refused.argument != "tolerance":
                raise
            raise InvalidInput(
                argument="tolerance",
                accepted=f"{refused.accepted}; shares of a width of {float(self.width):g}",
                given=f"{float(self.tolerance * self.width):.6g}",
                hint=refused.hint,
            ) from None

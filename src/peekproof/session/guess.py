"""A guess on its way to being checked."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.charge import Offer
from peekproof.core.errors import FailuresExhausted, InvalidInput
from peekproof.data.statistic import exact_number
from peekproof.mechanisms.checking import Checking, checked_offer
from peekproof.mechanisms.limited_checking import LimitedChecking, limited_offer
from peekproof.planner.plan import Plan
from peekproof.planner.remaining import halted
from peekproof.theory.generalization.checking import Transcript
from peekproof.theory.generalization.pairs import pairs_apart

# More bits than a double can make of bounds and a guess; ledgers write them in decimal.
_MOST_BITS = 8_000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A guessed share, how far it may be off, and the past after which it is checked."""

    share: Fraction
    tolerance: Fraction | None
    past: Callable[[], Transcript]  # asked under the ledger's lock, when nobody else can add to it
    width: Fraction = Fraction(1)  # of the scale that the analyst's numbers are on
    guessing_rows: int | None = None  # from which it was made, if that says how far it may be off
    pairs: bool = False  # whether it is about pairs, which are worth half as many rows

    def offer(self, plan: Plan, *, levels: int) -> Offer:
        past, promised = self.past(), plan.mechanism
        if isinstance(promised, LimitedChecking):
            if halted(plan, failures=past.failures):
                raise FailuresExhausted(asked=1, failures=promised.failures)
            return limited_offer(promised, self.share, levels=levels)
        if not isinstance(promised, Checking):
            raise TypeError("no session that checks guesses")
        if past.questions >= plan.target.questions:  # beyond the horizon; the ledger refuses it
            return Offer(cost=promised.cost())
        rows, guessing_rows = plan.rows, self.guessing_rows
        if self.pairs:
            rows = pairs_apart(rows)
            guessing_rows = guessing_rows and max(1, guessing_rows // 2)
        try:
            return checked_offer(
                rows=rows,
                guess=self.share,
                tolerance=self.tolerance,
                past=past,
                target=plan.target,
                levels=levels,
                guessing_rows=guessing_rows,
                weights=promised.weights,
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


def own_tolerance(tolerance: object, *, share: Fraction, width: Fraction) -> Fraction:
    """A tolerance that a guessed share may have, as a part of a scale that is so wide.

    Every sample confirms a guess whose tolerance is the whole scale, so the answer says nothing.
    But it costs a question, and is all that anybody ever gets for it.
    """
    wanted = check.positive_fraction(tolerance=exact_number(tolerance=tolerance)) / width
    most = max(share, 1 - share)
    if wanted >= most:
        raise InvalidInput(
            argument="tolerance",
            accepted=f"below {float(most * width):.6g} for this guess, from where on its interval "
            "is the whole scale and says nothing",
            given=repr(tolerance)[:80],
            hint="the first answer to a question is the one that everybody gets; leave the "
            "tolerance out for one that leaves room for a good guess",
        )
    return short(tolerance=wanted)


def short(**named: Fraction) -> Fraction:
    """The one value given, if a ledger can write it down."""
    ((name, value),) = named.items()
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise InvalidInput(
            argument=name, accepted="a number of fewer digits", given="thousands of digits"
        )
    return value


def rows_guessed_from(
    plan: Plan, trained_on: int | None, *, guess: object, tolerance: object
) -> int | None:
    """From how many rows a guess was made, where that may take the place of a tolerance."""
    if trained_on is None:
        return None
    rows = check.positive_integer(trained_on=trained_on)
    if guess is None or tolerance is not None or not isinstance(plan.mechanism, Checking):
        raise InvalidInput(
            argument="trained_on",
            accepted="with a guess and in place of a tolerance, in a session by peekproof.Checking",
            given=f"{rows:,}",
        )
    return rows

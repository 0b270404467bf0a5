"""Refusals: promises that cannot be made. Nothing was read or charged for what is refused."""

from dataclasses import dataclass
from fractions import Fraction

from peekproof.core.errors import Refusal
from peekproof.core.numerics import level_down

_NEW_DATA = "new ones need new data"


def _new(asked: int) -> str:
    return "1 new question" if asked == 1 else f"{asked:,} new questions"


def _ending(of_several: bool) -> str:
    untouched = "nothing was read or charged"
    if of_several:
        untouched += (
            " for it; what was answered before it for the same score is paid for, and free when "
            "the score is asked for again"
        )
    return f"{untouched}. Questions already answered can be asked again for free"


@dataclass(eq=False, kw_only=True)
class BudgetExhausted(Refusal):
    """More new questions than the session has left."""

    asked: int
    remaining: int
    questions: int
    of_several: bool = False

    def __str__(self) -> str:
        return (
            f"refused: {_new(self.asked)} asked, {self.remaining:,} of {self.questions:,} left for "
            f"this data; {_ending(self.of_several)}; {_NEW_DATA}"
        )


@dataclass(eq=False, kw_only=True)
class ShareExhausted(Refusal):
    """More new questions than are left of an analyst's share; others may have theirs."""

    analyst: str
    asked: int
    remaining: int
    of_several: bool = False

    def __str__(self) -> str:
        whose = f"{self.analyst}'s share" if self.analyst else "the share of all without a name"
        return (
            f"refused: {_new(self.asked)} asked, {self.remaining:,} left in {whose}; "
            f"{_ending(self.of_several)}; the custodian can move shares"
        )


@dataclass(eq=False, kw_only=True)
class RoundsExhausted(Refusal):
    """New questions, and no rows that no earlier round has seen."""

    asked: int
    rounds: int
    of_several: bool = False

    def __str__(self) -> str:
        used = "its only round is" if self.rounds == 1 else f"all of its {self.rounds:,} rounds are"
        return (
            f"refused: {_new(self.asked)} asked about this data, and {used} used up; "
            f"{_ending(self.of_several)}; {_NEW_DATA}"
        )


@dataclass(eq=False, kw_only=True)
class FailuresExhausted(Refusal):
    """New questions, after as many failed guesses as the data was opened for."""

    asked: int
    failures: int
    of_several: bool = False

    def __str__(self) -> str:
        used = "its only failed guess is"
        if self.failures > 1:
            used = f"all of its {self.failures:,} failed guesses are"
        return (
            f"refused: {_new(self.asked)} asked about this data, and {used} used up (one that was "
            f"never settled counts as failed); {_ending(self.of_several)}; {_NEW_DATA}"
        )


# What a session says when it has nothing left. A score that is made of several questions may get
# this after the first of them: then `of_several` is true.
USED_UP = (BudgetExhausted, ShareExhausted, RoundsExhausted, FailuresExhausted)


@dataclass(eq=False, kw_only=True)
class VacuousPlan(Refusal):
    """The intervals would be wider than wanted, or so wide that they say nothing."""

    rows: int
    questions: int
    confidence: Fraction
    radius: float = 0.5
    rows_needed: int
    questions_affordable: int

    def __str__(self) -> str:
        fewer = (
            f" or at most {self.questions_affordable:,} questions"
            if self.questions_affordable
            else ""
        )
        wide = "0.5 or more, which say nothing" if self.radius >= 0.5 else f"above {self.radius:g}"
        return (
            f"refused: n = {self.rows:,} rows and {self.questions:,} questions at confidence "
            f"{level_down(self.confidence)} would give intervals of half-width {wide}; "
            f"you need n ≥ {self.rows_needed:,}{fewer}"
        )

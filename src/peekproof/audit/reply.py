"""An answer and what is claimed for it."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, sqrt
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.derive.within import ConditionalAnswer

# The two-sided 95 % point of the normal law, as in every textbook interval.
TEXTBOOK = 1.96


@final
@dataclass(frozen=True, slots=True)
class Reply:
    """A value and the interval claimed for it."""

    value: float
    low: float
    high: float

    def __contains__(self, truth: float | Fraction) -> bool:
        return self.low <= truth <= self.high

    @property
    def radius(self) -> float:
        """Half of the interval's width; ends in the wrong order, or no numbers, confine nothing."""
        return (self.high - self.low) / 2 if self.low <= self.high else inf


def sound(said: object, *, opponent: str) -> Reply:
    """What an opponent replied, as numbers; it may be of any type that has these three.

    Ends that are infinite or in the wrong order are a claim, and judged; but to answer with no
    number is not.
    """
    try:
        reply = Reply(*(float(getattr(said, name)) for name in ("value", "low", "high")))
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise _unsound(said, opponent) from None
    if not isfinite(reply.value):
        raise _unsound(said, opponent)
    return reply


def _unsound(said: object, opponent: str) -> InvalidInput:
    return InvalidInput(
        argument=f"a reply of {opponent}",
        accepted="an object with numbers `value` (finite), `low` and `high`",
        given=repr(said)[:80],
        hint="to answer nothing, raise a Refusal",
    )


def reply_of(answer: Answer | ConditionalAnswer | Derived) -> Reply:
    """What a session claims."""
    interval = answer.interval
    return Reply(answer.value, interval.low, interval.high)


def textbook(share: float, *, rows: float) -> Reply:
    """A share of so many rows with its textbook interval, which assumes the question came first."""
    radius = TEXTBOOK * sqrt(share * (1 - share) / rows)
    return Reply(share, share - radius, share + radius)

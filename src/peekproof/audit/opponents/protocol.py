"""The protocol of opponents: they answer with an interval, may refuse, and say what they promise.

A `Reply` is an answer and what is claimed for it. A `Promise` is what an opponent says of itself:
how private it is, and how far its answers are off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, sqrt
from typing import Protocol, final, runtime_checkable

from peekproof.audit.analysts.protocol import Columns
from peekproof.core import check
from peekproof.core.answer import Answer
from peekproof.core.certificate import Target
from peekproof.core.charge import GDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.derive.conditional import ConditionalAnswer
from peekproof.derive.derived import Derived

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an opponent is opened for: all intervals together hold with this confidence.

    The seed is that of its own coins; another than that of the data.
    """

    confidence: Fraction
    questions: int
    seed: int

    def __post_init__(self) -> None:
        check.probability(confidence=self.confidence)
        check.positive_integer(questions=self.questions)

    @property
    def target(self) -> Target:
        return Target(confidence=self.confidence, questions=self.questions)


class Opponent(Protocol):
    """Answers questions about rows that it holds; most have only to say how they reply."""

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        """An answer with its interval, or a Refusal that is raised."""
        ...

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        """What the last reply is about, given the truths of all questions so far, in order."""
        return truths[-1]

    def close(self) -> None:
        """Let go of what it holds, if anything."""
        return


class Setup(Protocol):
    """A way to answer, before it has seen any rows."""

    @property
    def name(self) -> str: ...

    @property
    def certified(self) -> bool:
        """Whether its intervals are promised to hold whoever asks."""
        ...

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        """Ready to answer about these rows, or a Refusal that is raised."""
        ...


# GDP is claimed for Gaussian noise, and for nothing else: it is the clock of T-drift-gauss.
Loss = GDP | PureDP


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The loss of the whole conversation, and a radius that no interval exceeds, in shares.

    None where nothing of the kind is claimed.
    """

    loss: Loss | None = None
    radius: float | None = None


@runtime_checkable
class Promising(Protocol):
    """An opponent that says what it promises."""

    @property
    def promise(self) -> Promise: ...


def promise_of(opponent: Opponent) -> Promise:
    """What an opponent claims; who claims nothing cannot be caught lying."""
    return opponent.promise if isinstance(opponent, Promising) else Promise()

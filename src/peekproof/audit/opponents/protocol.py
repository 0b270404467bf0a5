"""What an opponent is: it answers, claims an interval, and may refuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.reply import Reply
from peekproof.core import check
from peekproof.core.certificate import Target


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

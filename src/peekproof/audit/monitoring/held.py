"""One conversation as a monitor sees it: from outside, with the rows and the truth in view."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.audit.analysts.protocol import Columns, Player
from peekproof.audit.analysts.sample import ExactSample
from peekproof.audit.fight import fight
from peekproof.audit.opponents.promises import Promise, promise_of
from peekproof.audit.opponents.protocol import Opponent, Setup, Terms
from peekproof.core.errors import InvalidInput

_HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A question in shares: its value in its sample and in the population, and what was told."""

    sample: Fraction
    truth: Fraction
    told: float | None

    @property
    def score(self) -> Fraction:
        """q(S) − q(P), which one of n rows moves by at most 1/n."""
        return self.sample - self.truth

    @property
    def complement(self) -> "Candidate":
        told = None if self.told is None else 1 - self.told
        return Candidate(sample=1 - self.sample, truth=1 - self.truth, told=told)

    @property
    def overfit(self) -> float:
        """The score of q·min(1, ½/q(P)), a question with a truth of at most ½.

        That is q itself if its truth is no more; and as no score is below −½, fewer conversations
        tell a mean from what is allowed. What is allowed is allowed for every question.
        """
        return float(self.score * min(Fraction(1), _HALF / self.truth if self.truth else 1))

    @property
    def deceit(self) -> float:
        """How much too large the answer is; a refusal deceives nobody."""
        return 0.0 if self.told is None else self.told - float(self.truth)


@final
class _Watched:
    """A setup that keeps the rows it was opened with, and what the opponent promised."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.name, self.certified = setup.name, setup.certified
        self.sample: ExactSample | None = None
        self.promise = Promise()

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        opponent = self._setup.open(columns, terms=terms)
        self.sample, self.promise = ExactSample(columns), promise_of(opponent)
        return opponent


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One conversation: its decisive question, how far its answer errs, and what was promised."""

    candidate: Candidate
    error: float
    promise: Promise
    rows: int


def hold(setup: Setup, analyst: Player, *, confidence: Fraction, seed: int) -> Held:
    """Let an analyst talk to an opponent about a new sample, and look at both from outside."""
    watched = _Watched(setup)
    bout = fight(watched, analyst, confidence=confidence, seed=seed)
    if bout.refusal is not None:
        raise bout.refusal
    if watched.sample is None or bout.conversation is None:
        accepted = f"an attack whose questions {setup.name} answers"
        raise InvalidInput(argument="analyst", accepted=accepted, given=analyst.KIND)
    asked, sample = bout.conversation.decisive, watched.sample
    found = sample.measure(asked.question)
    truth = found.span.share(asked.truth)
    if not 0 <= truth <= 1:
        raise InvalidInput(
            argument="truth",
            accepted="a value that the question can have",
            given=f"{asked.truth} of {asked.question}"[:80],
        )
    candidate = Candidate(
        sample=sample.share(found),
        truth=truth,
        told=None if asked.told is None else float(found.span.share(Fraction(asked.told))),
    )
    claim = bout.decisive
    # No two shares are further apart than 1; who is refused is told nothing wrong.
    error = min(1.0, claim.error / float(found.span.width)) if claim else 0.0
    return Held(candidate=candidate, error=error, promise=watched.promise, rows=sample.rows)

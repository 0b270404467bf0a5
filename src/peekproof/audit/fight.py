"""One attack on one opponent, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from peekproof.audit.analysts.protocol import Conversation, Player
from peekproof.audit.opponents.protocol import Opponent, Setup, Terms
from peekproof.audit.reply import Reply, sound
from peekproof.audit.seeding import seeded
from peekproof.core.errors import InvalidInput, Refusal
from peekproof.ledger.witness import simulation

# Called at each question with how many were asked, this one included.
Progress = Callable[[int], None]

# An opponent may need more rows than there are, or fresh ones for each of these.
_COUNTS = ("rows", "questions", "rounds")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What was replied to a question, and the population's value of what it is about."""

    reply: Reply
    truth: Fraction

    @property
    def error(self) -> float:
        """How far the reply is from the truth, in the units of the question."""
        return abs(self.reply.value - float(self.truth))

    @property
    def holds(self) -> bool:
        return self.truth in self.reply


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """All that an opponent claimed in a conversation; a refused question has no claim.

    `refusal` says why it would not even begin. `applies` is false if the analyst asks for what
    the opponent does not answer at all, as a leaderboard no means.
    """

    setup: Setup
    analyst: Player
    terms: Terms
    claims: tuple[Claim | None, ...] = ()
    conversation: Conversation | None = None
    refusal: Refusal | InvalidInput | None = None
    applies: bool = True

    @property
    def made(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim is not None)

    @property
    def refused(self) -> int:
        """How many questions were not answered."""
        return len(self.claims) - len(self.made)

    @property
    def missed(self) -> int:
        """How many intervals do not hold the truth."""
        return sum(not claim.holds for claim in self.made)

    @property
    def covered(self) -> bool:
        """Whether all intervals hold together, which is what is promised."""
        return not self.missed

    @property
    def forced(self) -> float:
        """The largest error of all replies."""
        return max((claim.error for claim in self.made), default=0.0)

    @property
    def decisive(self) -> Claim | None:
        """What was claimed in reply to the question that the attack aims at."""
        return self.claims[-1] if self.claims else None


@final
class _Referee:
    """Passes questions on, and writes down what is claimed; the analyst hears values alone."""

    def __init__(self, opponent: Opponent, progress: Progress) -> None:
        self._opponent, self._progress = opponent, progress
        self.questions: list[str] = []
        self.replies: list[Reply | None] = []

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        self.questions.append(question)
        self.replies.append(None)
        self._progress(len(self.replies))
        said = self._opponent.reply(question, guess=guess, tolerance=tolerance)
        reply = sound(said, opponent=type(self._opponent).__name__)
        self.replies[-1] = reply
        return reply.value


@simulation()
def fight(
    setup: Setup,
    analyst: Player,
    *,
    confidence: Fraction,
    seed: int,
    questions: int | None = None,
    progress: Progress = lambda _: None,
) -> Bout:
    """Let an analyst ask an opponent that is opened for as many questions as it may need.

    The seed chooses the sample, the analyst's coins and the opponent's, each their own. Errors
    are raised, but for a question of a form that the opponent does not answer, and for more
    questions than it could have rows for.
    """
    if not hasattr(setup, "open"):
        raise InvalidInput(
            argument="setup",
            accepted="one of OPPONENTS, a Custom, or an object with `name`, `certified`, `open`",
            given=repr(setup)[:80],
        )
    sample, coins, noise = seeded(seed).spawn(3)
    most = analyst.questions if questions is None else questions
    own = int(noise.generate_state(1, np.uint64)[0])
    terms = Terms(confidence=confidence, questions=most, seed=own)
    try:
        opponent = setup.open(analyst.data(np.random.default_rng(sample)), terms=terms)
    except (Refusal, InvalidInput) as refusal:
        if isinstance(refusal, InvalidInput) and refusal.argument not in _COUNTS:
            raise
        return Bout(setup=setup, analyst=analyst, terms=terms, refusal=refusal)
    referee = _Referee(opponent, progress)
    try:
        said = analyst.play(referee, rng=np.random.default_rng(coins))
    except InvalidInput as refusal:
        if refusal.argument != "question":
            raise
        return Bout(setup=setup, analyst=analyst, terms=terms, applies=False)
    finally:
        opponent.close()
    # Else replies would be held against the truths of other questions.
    if [asked.question for asked in said.asked] != referee.questions:
        raise InvalidInput(
            argument="analyst",
            accepted="one whose conversation has every question that it asked, in order",
            given=f"{len(said.asked):,} for {len(referee.questions):,} that {analyst.KIND} asked",
        )
    truths = [asked.truth for asked in said.asked]
    claims = tuple(
        reply and Claim(reply=reply, truth=opponent.claimed(truths[: number + 1]))
        for number, reply in enumerate(referee.replies)
    )
    return Bout(setup=setup, analyst=analyst, terms=terms, claims=claims, conversation=said)

"""Simulated attacks: one analyst against one opponent, or many such pairs in parallel processes.

An `Outcome` says in a few numbers what came of an attack, so that it can travel between processes.
Processes work side by side, as many as there are cores, and stop when whoever started them does.
One number, the seed, decides all coins of an audit.
"""

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import final

import numpy as np

from peekproof.audit.analysts.protocol import Analyst, Conversation, Player
from peekproof.audit.opponents.protocol import Opponent, Reply, Setup, Terms, sound
from peekproof.core import check
from peekproof.core.errors import InvalidInput, Refusal
from peekproof.ledger.witness import simulation


@contextmanager
def processes(workers: int, *, task: object) -> Iterator[ProcessPoolExecutor]:
    """So many processes for parts of a task; all of them end with the block, however it ends.

    A task that cannot be sent to them is refused before any is started.
    """
    try:
        pickle.dumps(task)
    except (AttributeError, TypeError, pickle.PicklingError) as problem:
        raise _homebound(workers) from problem
    others = set(active_children())
    # Engines have threads, whose locks a forked process would share.
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=end_with_parent
    )
    try:
        yield pool
    except BaseException as problem:
        # Leaving a pool waits for all that was submitted, which may be minutes.
        for child in set(active_children()) - others:
            child.terminate()
        pool.shutdown(cancel_futures=True)
        if isinstance(problem, BrokenProcessPool):
            raise _homebound(workers) from problem
        raise
    pool.shutdown()


def _homebound(workers: int) -> InvalidInput:
    return InvalidInput(
        argument="workers",
        accepted="1 for a setup or an analyst that cannot be sent to another process",
        given=str(workers),
        hint="define its classes and functions in a module that can be imported, and call this "
        'below `if __name__ == "__main__":`',
    )


def end_with_parent() -> None:
    """The parent hears an interrupt, and ends its workers; if it is gone, they go too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def seeded(seed: object, *path: int) -> np.random.SeedSequence:
    """Coins of a seed, and of a place in what it is the seed of."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(argument="seed", accepted="an integer of at least 0", given=repr(seed))
    return np.random.SeedSequence([seed, *path] if path else seed)


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
            given=f"{len(said.asked):,} for {len(referee.questions):,} that {analyst.kind} asked",
        )
    truths = [asked.truth for asked in said.asked]
    claims = tuple(
        reply and Claim(reply=reply, truth=opponent.claimed(truths[: number + 1]))
        for number, reply in enumerate(referee.replies)
    )
    return Bout(setup=setup, analyst=analyst, terms=terms, claims=claims, conversation=said)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Decisive:
    """The claim about the question that the attack aims at."""

    value: float
    low: float
    high: float
    truth: float
    holds: bool

    @classmethod
    def of(cls, claim: Claim) -> "Decisive":
        reply = claim.reply
        return cls(
            value=reply.value,
            low=reply.low,
            high=reply.high,
            truth=float(claim.truth),
            holds=claim.holds,
        )

    @property
    def error(self) -> float:
        return abs(self.value - self.truth)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A conversation: how far answers were off, and whether all intervals held.

    `refusal` says why the opponent would not even begin, and is empty if it did. `widest` is the
    largest radius that it claimed, `forced` its largest error, in the units of the questions.
    """

    attack: str
    mechanism: str
    certified: bool
    seed: int
    predicted: float
    questions: int
    asked: int
    refused: int
    missed: int
    forced: float
    widest: float
    decisive: Decisive | None
    applies: bool
    refusal: str

    @classmethod
    def of(cls, bout: Bout, *, seed: int, predicted: float) -> "Outcome":
        last = bout.decisive
        return cls(
            attack=bout.analyst.kind,
            mechanism=bout.setup.name,
            certified=bout.setup.certified,
            seed=seed,
            predicted=predicted,
            questions=bout.terms.questions,
            asked=len(bout.claims),
            refused=bout.refused,
            missed=bout.missed,
            forced=bout.forced,
            widest=max((claim.reply.radius for claim in bout.made), default=0.0),
            decisive=last and Decisive.of(last),
            applies=bout.applies,
            refusal="" if bout.refusal is None else str(bout.refusal),
        )

    @property
    def began(self) -> bool:
        """Whether there was a conversation at all."""
        return self.applies and not self.refusal

    @property
    def covered(self) -> bool:
        """Whether all intervals held together; a refusal claims nothing that could be wrong."""
        return not self.missed

    @property
    def answered(self) -> int:
        return self.asked - self.refused

    def to_dict(self) -> dict[str, object]:
        """All fields, and what follows from them."""
        found = {**asdict(self), "began": self.began, "covered": self.covered}
        if self.decisive:
            found["decisive"] = {**asdict(self.decisive), "error": self.decisive.error}
        return found


# Called after each fight with how many are over, and of how many.
BoutProgress = Callable[[int, int], None]

# A process takes as long to start as a fight; for so few there is no use in it.
_FEW = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Who fights whom, and with which seed."""

    setup: Setup
    analyst: Analyst
    confidence: Fraction
    seed: int

    def settle(self) -> Outcome:
        bout = fight(self.setup, self.analyst, confidence=self.confidence, seed=self.seed)
        return Outcome.of(bout, seed=self.seed, predicted=self.analyst.predicted)


def silent(done: int, total: int) -> None:
    """Tells nobody."""


def settle(
    pairings: Sequence[Pairing], *, workers: int | None = None, progress: BoutProgress = silent
) -> tuple[Outcome, ...]:
    """What came of each, in their order; `workers=1` stays in this process.

    Opponents and analysts of one's own must be importable by a new process, or stay in this one.
    """
    if workers is not None:
        check.positive_integer(workers=workers)
    elif len(pairings) <= _FEW:
        workers = 1
    most = min(workers or os.cpu_count() or 1, len(pairings))
    if most <= 1:
        return tuple(_in_turn(pairings, progress))
    return _side_by_side(pairings, most, progress)


def _in_turn(pairings: Sequence[Pairing], progress: BoutProgress) -> list[Outcome]:
    found = []
    for pairing in pairings:
        found.append(pairing.settle())
        progress(len(found), len(pairings))
    return found


def _side_by_side(
    pairings: Sequence[Pairing], workers: int, progress: BoutProgress
) -> tuple[Outcome, ...]:
    with processes(workers, task=pairings) as pool:
        running = [pool.submit(pairing.settle) for pairing in pairings]
        for done, each in enumerate(as_completed(running), 1):
            each.result()
            progress(done, len(running))
        return tuple(each.result() for each in running)

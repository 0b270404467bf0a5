"""Sessions as opponents: one for each mechanism that a session can be opened with, or your own.

`Custom` makes an opponent of your own way to answer: a session with its options, or anything that
replies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.opponents.protocol import Opponent, Promise, Reply, Terms, reply_of, sound
from peekproof.core.charge import GDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.base import Mechanism
from peekproof.mechanisms.plan import Plan
from peekproof.noise.entropy import Seeded
from peekproof.query.question import parse_question
from peekproof.session.opening import open
from peekproof.session.queries import OneNumber
from peekproof.session.session import Session

# A guess that fails tells about the sample, so an attacker wants the least tolerance there is. It
# is near half of what a session proposes; what is too narrow is refused, and costs nothing.
_PORTIONS = (0.5, 0.55, 0.65, 0.8)

# Guesses that may fail, and batches of questions, where a session must know that beforehand.
_FAILURES = 10
ROUNDS = 10


def _planned(plan: Plan) -> Promise:
    """A plan's budget is the loss of all its questions together, unless it counts draws."""
    loss = plan.budget
    # Where a radius grows with the failures or with the stage, the plan's is not the largest.
    grows = plan.mechanism.grows
    return Promise(
        loss=loss if isinstance(loss, GDP | PureDP) else None,
        radius=None if grows else plan.radius,
    )


@final
class Asked(Opponent):
    """A session that an analyst asks one question after another."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        return reply_of(self._answer(question, guess, tolerance))

    def _answer(self, question: str, guess: float | None, tolerance: float | None) -> OneNumber:
        mechanism = self.session.plan.mechanism
        if not mechanism.guesses:
            return self.session.ask(question)
        if not mechanism.grows:  # one tolerance for all
            return self.session.ask(question, guess=guess)
        for wanted in self._tolerances(question, guess, tolerance):
            try:
                return self.session.ask(question, guess=guess, tolerance=wanted)
            except InvalidInput as refusal:
                if refusal.argument != "tolerance":
                    raise
        return self.session.ask(question, guess=guess)

    def _tolerances(
        self, question: str, guess: float | None, tolerance: float | None
    ) -> list[float]:
        """What the analyst wishes, and if that is too narrow the narrowest."""
        low, high = parse_question(question, self.session.schema).form.span
        proposed = self.session.price_of(question, guess=guess).reach(high - low)
        narrow = [portion * proposed for portion in _PORTIONS]
        return narrow if tolerance is None else [tolerance, *narrow]

    def close(self) -> None:
        self.session.close()

    @property
    def promise(self) -> Promise:
        return _planned(self.session.plan)


@final
@dataclass(frozen=True, slots=True)
class Planned:
    """What `peekproof.open` takes by itself."""

    name: str = "planned"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Asked:
        return Asked(
            open(
                columns,
                confidence=terms.confidence,
                questions=terms.questions,
                entropy=Seeded(terms.seed),
                ledger=MEMORY,
            )
        )


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """A session with this mechanism."""

    mechanism: type[Mechanism]
    rounds: int | None = None  # batches of questions that it is told
    certified: bool = True

    @property
    def name(self) -> str:
        return f"{self.mechanism.kind}{'-in-rounds' if self.rounds else ''}"

    @property
    def plainly(self) -> str:
        """What it does with a question, in a sentence."""
        if self.rounds:
            return f"{self.mechanism.plainly.removesuffix('.')}, in {self.rounds:,} batches."
        return self.mechanism.plainly

    def open(self, columns: Columns, *, terms: Terms) -> Asked:
        kind, most = self.mechanism, terms.questions
        return Asked(
            open(
                columns,
                confidence=terms.confidence,
                questions=None if kind.open_ended else most,
                mechanisms=[kind],
                rounds=self.rounds and min(self.rounds, most),
                failures=min(_FAILURES, most) if kind.required else None,
                entropy=Seeded(terms.seed),
                ledger=MEMORY,
            )
        )


class Claimed(Protocol):
    """A value with its interval: an Answer, a Reply, or anything with these three."""

    @property
    def value(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


@runtime_checkable
class Replying(Protocol):
    """Whoever replies as an opponent does; if it has a `close`, that is called at the end."""

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Claimed:
        """An answer with its interval, or a Refusal that is raised."""
        ...


@runtime_checkable
class Answering(Protocol):
    """Whoever is asked by the question alone; if it has a `close`, that is called at the end."""

    def ask(self, question: str) -> Claimed:
        """An answer with its interval, or a Refusal that is raised."""
        ...


@final
class Wrapped(Opponent):
    """Passes questions on to one of these; each reply is about its own question."""

    def __init__(self, held: Replying | Answering) -> None:
        self._held = held

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        if isinstance(self._held, Replying):
            said = self._held.reply(question, guess=guess, tolerance=tolerance)
        else:
            said = self._held.ask(question)
        return sound(said, opponent=type(self._held).__name__)

    def close(self) -> None:
        close = getattr(self._held, "close", None)
        if close is not None:
            close()


@final
@dataclass(frozen=True, slots=True)
class Custom:
    """What `make` opens on the rows, under the terms: promise, number of questions and seed.

        Custom("mine", lambda columns, terms: peekproof.open(columns, rounds=3, …))

    It is to keep the confidence of the terms and answer as many questions. For workers `make` has
    to be a function that a module defines.
    """

    name: str
    make: Callable[[Columns, Terms], Session | Replying | Answering]
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        made = self.make(columns, terms)
        match made:
            case Session():
                return Asked(made)
            case Replying() | Answering():
                return Wrapped(made)
        raise InvalidInput(
            argument="make",
            accepted="a function that returns a Session, or an object with `reply` or `ask`",
            given=type(made).__name__,
        )

"""Your own way to answer as an opponent: a session with its options, or anything that replies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.opponents.protocol import Opponent, Terms
from peekproof.audit.opponents.sessions import Asked
from peekproof.audit.reply import Reply, sound
from peekproof.core.errors import InvalidInput
from peekproof.session.session import Session


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

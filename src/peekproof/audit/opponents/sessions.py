"""Sessions as opponents, one for each mechanism that a session can be opened with."""

from dataclasses import dataclass
from typing import final

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.opponents.protocol import Opponent, Terms
from peekproof.audit.reply import Reply, reply_of
from peekproof.core.errors import InvalidInput
from peekproof.ledger.file import MEMORY
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.rounds import Rounds
from peekproof.noise.entropy import Seeded
from peekproof.planner.plan import Guessed, Mechanism
from peekproof.query.question import parse_question
from peekproof.session.opening import open
from peekproof.session.quotients import OneNumber
from peekproof.session.session import Session

# A guess that fails tells about the sample, so an attacker wants the least tolerance there is. It
# is near half of what a session proposes; what is too narrow is refused, and costs nothing.
_PORTIONS = (0.5, 0.55, 0.65, 0.8)

# Guesses that may fail, and batches of questions, where a session must know that beforehand.
_FAILURES = 10
_ROUNDS = 10


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
        if not isinstance(mechanism, Guessed):
            return self.session.ask(question)
        if not isinstance(mechanism, Checking):  # one tolerance for all
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
    certified: bool = True

    @property
    def name(self) -> str:
        return self.mechanism.KIND

    def open(self, columns: Columns, *, terms: Terms) -> Asked:
        kind, most = self.mechanism, terms.questions
        return Asked(
            open(
                columns,
                confidence=terms.confidence,
                questions=None if kind is OpenEnded else most,
                mechanisms=[kind],
                rounds=min(_ROUNDS, most) if kind is Rounds else None,
                failures=min(_FAILURES, most) if kind is LimitedChecking else None,
                entropy=Seeded(terms.seed),
                ledger=MEMORY,
            )
        )

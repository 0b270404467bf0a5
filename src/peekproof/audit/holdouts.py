"""Three ways to answer an analyst: exactly, with noise only, and with Peekproof."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, final

from peekproof.audit.reply import TEXTBOOK, Reply, reply_of, textbook
from peekproof.data.table import Table
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Entropy
from peekproof.query.question import parse_question
from peekproof.session.session import Session


class Holdout(Protocol):
    """Anything that answers questions about held-out rows."""

    def reply(self, questions: Sequence[str]) -> list[Reply]: ...


@final
class PlainHoldout:
    """The sample share with its textbook interval, which assumes the question came first."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._mechanism = UnsafeEmpirical(rows=table.rows)

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        parsed = [parse_question(text, self._table.schema) for text in questions]
        shares = [
            float(self._mechanism.release_unsafely(count)) for count in self._table.count(parsed)
        ]
        return [textbook(share, rows=self._table.rows) for share in shares]


@final
class NoiseOnlyHoldout:
    """A noisy share with an interval for the noise alone, as privacy libraries print it."""

    def __init__(self, table: Table, *, sigma: Fraction, rng: Entropy) -> None:
        self._table = table
        self._rng = rng
        self._mechanism = Gaussian(rows=table.rows, sigma=sigma, step=Fraction(1, 2**20))

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        parsed = [parse_question(text, self._table.schema) for text in questions]
        radius = TEXTBOOK * float(self._mechanism.sigma)
        released = (
            float(self._mechanism.release(count, rng=self._rng))
            for count in self._table.count(parsed)
        )
        return [Reply(value, value - radius, value + radius) for value in released]


@final
class HeldFast:
    """A Peekproof session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        answers = self._session.ask_many(questions)
        return [reply_of(answer) for answer in answers]

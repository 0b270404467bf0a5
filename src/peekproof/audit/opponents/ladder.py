"""The leaderboard as an opponent: it tells the best score so far, and claims that alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.audit.opponents.protocol import Opponent, Reply, Terms
from peekproof.core.certificate import Certificate
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.ladder import Ladder, best_ladder
from peekproof.noise.entropy import Seeded


@final
class Board(Opponent):
    """A run of the ladder over the rows."""

    def __init__(self, sample: ExactSample, ladder: Ladder, promise: Certificate) -> None:
        self._sample, self._promise = sample, promise
        self._run = ladder.start(rng=Seeded(0))  # which draws nothing

    def reply(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 a submission has none
        tolerance: float | None = None,  # noqa: ARG002
    ) -> Reply:
        found = self._sample.measure(question)
        if found.levels != 1:
            raise InvalidInput(argument="question", accepted="a share of rows", given=question)
        best = self._run.release(found.total).best
        interval = self._promise.interval(best)
        return Reply(float(best), interval.low, interval.high)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        """The best of all that was submitted."""
        return max(truths)


@final
@dataclass(frozen=True, slots=True)
class Climbed:
    """A leaderboard with the step that promises most, or nearly so."""

    name: str = Ladder.kind
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Board:
        sample = ExactSample(columns)
        ladder = best_ladder(sample.rows, terms.target)
        return Board(sample, ladder, ladder.certify(terms.target))

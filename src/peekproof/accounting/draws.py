"""The filter of promises that count answers: no more than were promised."""

from dataclasses import dataclass
from typing import final

from peekproof.core.charge import Admitted, Draws, Refused
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True)
class DrawsFilter:
    """Admits answers while there are at most `limit` of them."""

    limit: Draws

    @theorem("T-draws", "peekproof", "The proof in its docstring")
    def admit(self, cost: Draws, *, spent: Draws) -> Admitted[Draws] | Refused[Draws]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

        Proof. T-truncation and T-split hold for at most k answers, whatever decides when to
        stop: with fewer, their union bounds have fewer terms. T-split holds for at most r rounds,
        too.

        Holds when: each answer, or each round of them, is counted before it is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)

"""The clock filter: Gaussian noise is observation time, and time adds."""

from dataclasses import dataclass
from typing import final

from peekproof.core.charge import GDP, Admitted, Refused
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True)
class ClockFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: GDP

    @theorem("T-clock", "peekproof", "The clock")
    def admit(self, cost: GDP, *, spent: GDP) -> Admitted[GDP] | Refused[GDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j 1/(nσ_j)² ≤ μ²

        Proof. An answer with noise σ_j is the end point of a continuous observation lasting
        1/(nσ_j)². The supermartingale behind T-drift-gauss runs in that time, and stopping
        it at any adaptively chosen total of at most μ² keeps its bound.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)

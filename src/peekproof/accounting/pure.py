"""The filter for pure differential privacy."""

from dataclasses import dataclass
from typing import final

from peekproof.core.charge import Admitted, PureDP, Refused
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True)
class PureFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: PureDP

    @theorem("T-filter-pure", "peekproof", "The proof in its docstring")
    def admit(self, cost: PureDP, *, spent: PureDP) -> Admitted[PureDP] | Refused[PureDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j ε_j ≤ ε

        Proof. The privacy loss of a transcript is the sum of the losses of its steps, and each
        is at most the ε_j chosen before it; so the sum is at most ε on every transcript.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)

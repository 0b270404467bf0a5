"""The filter for zero-concentrated differential privacy."""

from dataclasses import dataclass
from typing import final

from peekproof.core.charge import ZCDP, Admitted, Refused
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True)
class ZCDPFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: ZCDP

    @theorem("T-filter-zcdp", "peekproof", "The proof in its docstring")
    def admit(self, cost: ZCDP, *, spent: ZCDP) -> Admitted[ZCDP] | Refused[ZCDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j ρ_j ≤ ρ

        Proof. For an order a, let L_t be the loss after t steps and R_t = Σ_{j≤t} ρ_j. Given
        the past, step j has E e^{(a−1)(L_j − L_{j−1})} ≤ e^{(a−1)aρ_j}, and ρ_j is decided by
        the past, so e^{(a−1)(L_t − aR_t)} is a supermartingale under the first law. As R ≤ ρ
        whenever the conversation stops, E e^{(a−1)L} ≤ e^{(a−1)aρ}: the whole is ρ-zCDP.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)

"""A certificate worked out again from what a gateway says anew."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import final

from peekproof.client.dataset import RemoteData
from peekproof.client.promise import understood
from peekproof.core.certificate import Certificate
from peekproof.core.errors import CertificateMismatch, GatewayUnavailable
from peekproof.mechanisms.base import Draw


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FromGateway:
    """The certificate of an answer, by its receipt and the promise of its data set.

    The gateway replays its ledger for a receipt; the theorems are those of this process.
    """

    data: RemoteData
    digest: str  # empty where no answer is known
    draw: Draw
    failed: bool
    overrides: int  # so many are named; later ones are not about this answer
    session: Hashable

    def again(self) -> Certificate:
        """Fetch the promise and the receipt, and certify by the theorems of today."""
        promise = self.data.promise()
        if promise.session != self.session:
            raise another_ledger(promise.place)
        if not self.digest:
            return promise.certificate(self.draw, failed=self.failed, overrides=self.overrides)
        receipt = self.data.receipt(self.digest)
        with understood(promise.place, version=promise.version):
            draw, failed = promise.drawn(receipt["terms"]), bool(receipt["failed"])
            found = promise.certificate(draw, failed=failed, overrides=self.overrides)
            said = float(receipt["certificate"]["radius"])
            if said != found.radius:
                raise CertificateMismatch(claimed=said, recomputed=found.radius)
        return found


def another_ledger(place: str) -> GatewayUnavailable:
    return GatewayUnavailable(
        problem=f"{place} has another ledger than when this session began",
        hint="connect again, and do not mix its answers with those of before",
    )

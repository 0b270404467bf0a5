"""A certificate worked out again from nothing but a ledger."""

from collections.abc import Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from holdfast.core.certificate import Certificate
from holdfast.core.errors import LedgerDamaged
from holdfast.ledger.file import MEMORY
from holdfast.ledger.sqlite import Ledger
from holdfast.planner.paid import check_paid
from holdfast.planner.recorded import own_certificate_of, recorded_plan
from holdfast.session.past import with_outcome
from holdfast.session.recount import check_pasts


@final
@dataclass(frozen=True, slots=True, eq=False)
class FromLedger:
    """The certificate of an answer drawn under `terms`, by the record in `ledger`.

    `session` is the ledger itself if it is in memory; otherwise its file and what that promises,
    so that all who opened the file agree, and other data or another promise in its place differ.
    """

    ledger: Ledger
    terms: Mapping[str, str]
    session: Hashable = field(init=False)

    def __post_init__(self) -> None:
        # Now, not when asked: a relative path means another file in another folder.
        object.__setattr__(self, "session", _session(self.ledger))

    def again(self) -> Certificate:
        """Recheck the whole ledger, rebuild its plan, and certify by the theorems of today.

        A file is opened anew, also when the session is over.
        """
        if self.ledger.place == MEMORY:
            return self._from(self.ledger)
        with closing(Ledger.open(self.ledger.place)) as book:
            return self._from(book)

    def _from(self, book: Ledger) -> Certificate:
        book.verify()
        plan = recorded_plan(book.opening, ledger=book.place)
        check_paid(plan, book.seen.offers.values(), ledger=book.place)
        check_pasts(plan, book)
        if not self.terms:
            return plan.certificate
        if all(with_outcome(settled) != self.terms for settled in book.answers().values()):
            raise LedgerDamaged(ledger=book.place, problem="has no answer drawn under these terms")
        return own_certificate_of(plan, self.terms, ledger=book.place)


def _session(ledger: Ledger) -> Hashable:
    if ledger.place == MEMORY:
        return ledger
    opening = ledger.opening
    promise = (opening.fingerprint, opening.confidence, opening.questions)
    return (str(Path(ledger.place).resolve()), *promise)

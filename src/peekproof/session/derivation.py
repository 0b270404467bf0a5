"""A certificate worked out again from nothing but a ledger."""

from collections.abc import Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.answers import answers_after
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger
from peekproof.planner.paid import check_paid
from peekproof.planner.recorded import own_certificate_of, recorded_plan
from peekproof.session.custody import in_custody
from peekproof.session.past import with_outcome
from peekproof.session.recount import check_pasts


@final
@dataclass(frozen=True, slots=True, eq=False)
class FromLedger:
    """The certificate of an answer drawn under `terms`, by the record in `ledger`.

    `session` is the ledger itself if it is in memory; otherwise its place, its random name and what
    it promises, so that all who opened it agree, and another ledger in its place differs.
    """

    ledger: Ledger
    terms: Mapping[str, str]
    overrides: int  # so many are named; later ones are not about this answer
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
        with closing(self.ledger.opened_again()) as book:
            return self._from(book)

    def _from(self, book: Ledger) -> Certificate:
        book.verify()
        recorded = recorded_plan(book.opening, ledger=book.place)
        plan = in_custody(recorded, book.opening.public, book.overrides[: self.overrides])
        check_paid(plan, book.seen.offers.values(), ledger=book.place)
        check_pasts(plan, book)
        if not self.terms:
            return plan.certificate
        if all(with_outcome(each) != self.terms for each in answers_after(book.answers(), 0)):
            raise LedgerDamaged(ledger=book.place, problem="has no answer drawn under these terms")
        return own_certificate_of(plan, self.terms, ledger=book.place)


def _session(ledger: Ledger) -> Hashable:
    if ledger.place == MEMORY:
        return ledger
    opening = ledger.opening
    promise = (opening.public_name, opening.confidence, opening.questions, opening.name)
    place = ledger.public_place if "://" in ledger.place else str(Path(ledger.place).resolve())
    return (place, *promise)

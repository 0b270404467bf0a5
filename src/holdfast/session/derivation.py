"""A certificate worked out again from nothing but a ledger."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import final

from holdfast.core.certificate import Certificate
from holdfast.ledger.file import MEMORY
from holdfast.ledger.sqlite import Ledger
from holdfast.planner.recorded import own_certificate_of, recorded_plan


@final
@dataclass(frozen=True, slots=True, eq=False)
class FromLedger:
    """The certificate of an answer drawn under `terms`, by the record in `ledger`."""

    ledger: Ledger
    terms: Mapping[str, str]

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
        if not self.terms:
            return plan.certificate
        return own_certificate_of(plan, self.terms, ledger=book.place)

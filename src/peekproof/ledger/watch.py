"""A ledger under the eyes of the witness: each write is compared before, and reported after."""

from collections.abc import Callable
from pathlib import Path
from typing import final

from peekproof.core.witness_errors import BudgetElsewhere, LedgerRolledBack
from peekproof.ledger.entry import Entry
from peekproof.ledger.witness import Seen, Witness, shortened


@final
class Watch:
    """Tells the witness how far one ledger has come, and the ledger if another came further.

    The witness hears of an entry after it is on disk, so whoever holds the ledger's write lock, or
    reads the ledger after the witness, finds in it all that was seen of it.
    """

    def __init__(self, witness: Witness, *, fingerprint: str, first: Entry, place: str) -> None:
        self._witness = witness
        self._fingerprint = fingerprint
        self._identity = first.digest.hex()
        self._place = place
        self._seen_as = shortened(place if "://" in place else str(Path(place).resolve()))
        self._fits: Seen | None = None
        self._untold: Entry | None = None

    def check(self, entry: Callable[[int], Entry | None], *, last: Callable[[], Entry]) -> None:
        """Refuse a ledger that is not the one that was seen, or lacks what was seen of it."""
        if self._untold:  # the next entry is not paid for while nobody could hear of it
            self.saw(self._untold)
        seen = self._witness.known(self._fingerprint, ledger=self._place)
        if seen is None or seen is self._fits:
            return
        if seen.ledger != self._identity:
            raise self._elsewhere(seen)
        found = entry(seen.sequence)
        if found is None or found.digest.hex() != seen.digest:
            raise self._rolled_back(seen, last())
        self._fits = seen

    def doubt(self) -> None:
        """Compare again before the next write, also if nothing new was seen."""
        self._fits = None

    def saw(self, last: Entry) -> None:
        """Report the last entry that is on disk."""
        mine, self._untold = self._seen(last), last
        now = self._witness.saw(self._fingerprint, mine)
        self._untold = None
        if now.ledger != mine.ledger:  # only now: someone was quicker
            raise self._elsewhere(now)
        if now.sequence == mine.sequence and now.digest != mine.digest:
            raise self._rolled_back(now, last)
        if now == mine:
            self._fits = now

    def adopt(self, last: Entry) -> None:
        """Report that from now on this is the ledger."""
        self._witness.adopt(self._fingerprint, self._seen(last))

    def close(self) -> None:
        self._witness.close()

    def _seen(self, last: Entry) -> Seen:
        return Seen(self._identity, last.sequence, last.digest.hex(), self._seen_as)

    def _elsewhere(self, seen: Seen) -> BudgetElsewhere:
        return BudgetElsewhere(ledger=self._place, place=seen.place, entries=seen.sequence)

    def _rolled_back(self, seen: Seen, last: Entry) -> LedgerRolledBack:
        return LedgerRolledBack(
            ledger=self._place, place=seen.place, seen=seen.sequence, found=last.sequence
        )

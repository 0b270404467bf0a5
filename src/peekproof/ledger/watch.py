"""A ledger under the eyes of the witness: each write is compared before, and reported after."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import final

from peekproof.core.cuts import Cut
from peekproof.core.errors import IN_MEMORY, BudgetElsewhere, LedgerRolledBack
from peekproof.core.shared_columns import Marked
from peekproof.ledger.entry import Entry
from peekproof.ledger.file import MEMORY
from peekproof.ledger.witness import Seen, Witness, shortened

_MISSED = (
    "answer",
    "lost",
    "override",
)  # kinds of entries that make a ledger in memory worth a record


def seen_as(place: str) -> str:
    """A place as the witness records it, the same from every folder."""
    if place == MEMORY:
        return f"{IN_MEMORY}{os.getpid()}"
    return shortened(place if "://" in place else str(Path(place).resolve()))


@final
class Watch:
    """Tells the witness how far one ledger has come, and the ledger if another came further.

    The witness hears of an entry after it is on disk, so whoever holds the ledger's write lock, or
    reads the ledger after the witness, finds in it all that was seen of it.

    Of a ledger in memory it hears once something is paid for: until then nothing is lost with it.

    `first` is the entry that tells the ledger from others: its first, or the one that says that it
    was restored. Whoever still has open what it was restored from is refused by that.
    """

    def __init__(
        self,
        witness: Witness,
        *,
        fingerprint: str,
        first: Entry,
        place: str,
        promise: str = "",
        marked: Callable[[], Marked] | None = None,
        cuts: Sequence[Cut] = (),
        check_others: Callable[[], None] | None = None,
    ) -> None:
        """`marked` are the columns of the data, to be recognised by, and `cuts` how it is a part.

        `check_others` refuses a ledger if the data has one under another fingerprint. It is
        asked when the witness has heard of this one, for then of two at once one is refused.
        """
        self._witness = witness
        self._marked, self._cuts, self._check_others = marked, cuts, check_others
        self._fingerprint = fingerprint
        self._origin = first
        self._identity = first.digest.hex()
        self._place = place
        self._lasting = place != MEMORY
        self._promise = promise
        self._seen_as = seen_as(place)
        self._fits: Seen | None = None
        self._untold: Entry | None = None

    def check(self, entry: Callable[[int], Entry | None], *, last: Callable[[], Entry]) -> None:
        """Refuse a ledger that is not the one that was seen, or lacks what was seen of it."""
        if self._untold:  # the next entry is not paid for while nobody could hear of it
            self.saw(self._untold)
        seen = self._witness.known(self._fingerprint, ledger=self._place)
        if seen is None:
            if self._check_others:
                self._check_others()
            return
        if seen is self._fits:
            return
        if seen.ledger != self._identity:
            seen = self._restored(seen, entry, last())
        found = entry(seen.sequence)
        if found is None or found.digest.hex() != seen.digest:
            raise self._rolled_back(seen, last())
        self._fits = seen

    def _restored(self, seen: Seen, entry: Callable[[int], Entry | None], last: Entry) -> Seen:
        """Take the place of the ledger that this one was restored from, if nothing is forgotten.

        Either all that was seen of it is here, or this one answers nothing new anyway.
        """
        found, body = entry(seen.sequence), self._origin.body
        if self._origin.kind == "restore":
            older = seen.sequence < self._origin.sequence
            kept = older and found is not None and found.digest.hex() == seen.digest
            shut = body["lost"] > 0 and seen.ledger == body["continues"]
            mine = self._seen(last)
            if (kept or shut) and self._witness.replace(self._fingerprint, mine, before=seen):
                return mine
        raise self._elsewhere(seen)

    def doubt(self) -> None:
        """Compare again before the next write, also if nothing new was seen."""
        self._fits = None

    def wrote(self, entries: Sequence[Entry]) -> None:
        """Report entries that are on disk now, if there is something to be missed in them."""
        if self._lasting or any(each.kind in _MISSED for each in entries):
            self.saw(entries[-1])

    def catch_up(self) -> None:
        """Report what is on disk and could not be reported when it was written."""
        if self._untold is not None:
            self.saw(self._untold)

    def saw(self, last: Entry) -> None:
        """Report the last entry that is on disk."""
        mine, self._untold = self._seen(last), last
        self._note()
        now = self._witness.saw(self._fingerprint, mine)
        if self._check_others:
            self._check_others()
            self._check_others = None
        self._untold = None
        if now.ledger != mine.ledger:  # only now: someone was quicker
            raise self._elsewhere(now)
        if now.sequence == mine.sequence and now.digest != mine.digest:
            raise self._rolled_back(now, last)
        if now == mine:
            self._fits = now

    def adopt(self, last: Entry) -> None:
        """Report that from now on this is the ledger."""
        self._check_others = None
        self._witness.renew(lambda: self._note(anew=True), ledger=self._place)
        self._witness.adopt(self._fingerprint, self._seen(last))

    def close(self) -> None:
        self._witness.close()

    def _note(self, *, anew: bool = False) -> None:
        """Have the data remembered of which these are a part, and the columns.

        These only `anew`, or where nobody has heard of the ledger before.
        """
        for cut in self._cuts:
            self._witness.note_cut(self._fingerprint, cut, ledger=self._place)
        self._cuts = ()
        if self._marked and (anew or self._unheard):
            self._witness.note(self._fingerprint, self._marked(), ledger=self._place)
        self._marked = None

    @property
    def _unheard(self) -> bool:
        return self._witness.known(self._fingerprint, ledger=self._place) is None

    def _seen(self, last: Entry) -> Seen:
        digest = last.digest.hex()
        return Seen(self._identity, last.sequence, digest, self._seen_as, self._promise)

    def _elsewhere(self, seen: Seen) -> BudgetElsewhere:
        return BudgetElsewhere(ledger=self._place, place=seen.place, entries=seen.sequence)

    def _rolled_back(self, seen: Seen, last: Entry) -> LedgerRolledBack:
        return LedgerRolledBack(
            ledger=self._place, place=seen.place, seen=seen.sequence, found=last.sequence
        )

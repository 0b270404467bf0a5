"""One budget for the labels of a contest: also those of both phases together are witnessed.

A phase has a fingerprint of its own, and a split at random another one each time. So that the same
labels are recognised, in a second contest as in a holdout of all of them, the witness also knows
the rows of both phases as one, in the order in which they were given and in that of their ids:
whoever has the labels without the ids has them in one of these.
"""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import final

from peekproof.core.cuts import Rows
from peekproof.core.shared_columns import Marked, together
from peekproof.data.source import marked
from peekproof.learn.board.phases import FINAL, PUBLIC, read_both, read_held
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import promise_of
from peekproof.ledger.watch import Watch
from peekproof.session.custody import check_reason, doubt_about, witness_of


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The reason, if any, for which the labels of a new board may have a second ledger."""

    whole: str  # the fingerprint of the rows of both phases
    columns: Marked  # what they are recognised by besides
    against: str  # what the witness knows of them, or of the final; empty if nothing
    public: str | None  # the reason, where it is about the public phase, whose ledger takes it
    rest: str | None  # where it is not, and has to be recorded besides

    def settle(self, place: Path) -> None:
        """Have the labels of both phases witnessed as those of the ledger at this place."""
        with closing(Ledger.open(str(place))) as ledger:
            if self.rest is not None:
                ledger.override(reason=self.rest, against=self.against)
            witness, first, last = witness_of(ledger.place), ledger.entry(1), ledger.look().last
            if witness and first and last:
                watch = Watch(
                    witness,
                    fingerprint=self.whole,
                    first=first,
                    place=ledger.place,
                    marked=lambda: self.columns,
                    promise=promise_of(ledger.opening),
                )
                with closing(watch):
                    watch.adopt(last)


def claimed(folder: Path, ledger: Path, *, override: str | None) -> Claim:
    """Refuse labels of which all, or those of the final, have a ledger, unless overridden."""
    check_reason(override=override)
    public, final = (read_held(folder / each) for each in (PUBLIC, FINAL))
    both, place = read_both(folder), str(ledger)
    marks = together(both.marks, read_both(folder, by_id=True).marks)
    columns = Marked(both.rows, tuple(marks), ordered=both.ordered)
    witness = witness_of(place)
    try:
        doubt = doubt_about(witness, Rows(both.fingerprint), columns=columns, place=place)
        if doubt is None:
            rows = Rows(final.fingerprint)
            doubt = doubt_about(witness, rows, columns=marked(final), place=place)
        if doubt is not None and override is None:
            raise doubt
        about_public = doubt_about(
            witness, Rows(public.fingerprint), columns=marked(public), place=place
        )
        elsewhere = doubt is not None and about_public is None
    finally:
        if witness is not None:
            witness.close()
    return Claim(
        whole=both.fingerprint,
        columns=columns,
        against="" if doubt is None else doubt.against,
        public=None if elsewhere else override,
        rest=override if elsewhere else None,
    )

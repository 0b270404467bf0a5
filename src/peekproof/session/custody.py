"""Whether a ledger is the only one of its data, and what certificates say where it is not sure."""

import gc
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import final
from weakref import WeakKeyDictionary

from peekproof.core.errors import BudgetElsewhere, InvalidInput, LedgerUnavailable, WitnessDamaged
from peekproof.core.shared_columns import Marked, Rows
from peekproof.data.frame import Framed
from peekproof.data.source import Source, marked
from peekproof.ledger.entry import Body, Promise, PublicOpening, promise_from, promise_of
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.places import shown
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.witness import NONE, VARIABLE, Witness, default_witness, seen_as, simulating
from peekproof.mechanisms.plan import Plan

UNWATCHED = (
    f"this ledger is the only one of its data (it was opened with {VARIABLE}={NONE}, so nothing "
    "tells)"
)


# What a ledger of a holdout says it is about; what follows the word names the groups of rows.
LABELS = "labels"
_FRESH_LABELS = (
    "the promise is about fresh labels for the same rows; about the population if no model was "
    "chosen by looking at the features of these rows, and until two different ones predict the "
    "same for all of them"
)


def witness_of(place: str) -> Witness | None:
    """The witness for a ledger at this place; None if it was switched off, or for a simulation."""
    if place == MEMORY and simulating():
        return None
    return default_witness(ledger=shown(place))


@final
class InMemory:
    """The ledgers in memory that are open in this process, with the rows that each is about.

    The witness, if there is one, hears of such a ledger when something is paid for. Until then this
    register tells that the data is open already, and in which object its budget is.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._open: WeakKeyDictionary[Ledger, Rows] = WeakKeyDictionary()

    def doubt(self, rows: Rows) -> BudgetElsewhere | None:
        """What stands against one more ledger in memory for these rows; None if nothing."""
        known = self._known(rows)
        if known is None:
            return None
        del known
        gc.collect()  # a session is in cycles: it may be gone and not yet collected
        known = self._known(rows)
        return None if known is None else _open_already(*known)

    def promise(self, rows: Rows) -> Promise | None:
        """What the ledger that is open for these rows, or all of a whole, promises, if one is."""
        known = self._known(rows)
        if known is None or known[1]:
            return None
        return promise_from(promise_of(known[0].opening))

    def add(self, rows: Rows, ledger: Ledger, *, overridden: bool) -> None:
        """Take in a ledger, unless another thread was quicker and nobody answers for a second."""
        with self._turn:
            known = self._alive(rows)
            if known is not None and not overridden:
                raise _open_already(*known)
            self._open[ledger] = rows

    def _known(self, rows: Rows) -> tuple[Ledger, str] | None:
        with self._turn:
            return self._alive(rows)

    def _alive(self, rows: Rows) -> tuple[Ledger, str] | None:
        """The ledger that is open for these rows, and how it is theirs: see `Rows.met`.

        One that is about the same rows or a whole comes before one about a part, and the last
        that was opened before the others.
        """
        found = [(each, rows.met(theirs)) for each, theirs in reversed(list(self._open.items()))]
        for ledger, met in sorted(found, key=lambda each: bool(each[1])):
            if met is not None:
                with suppress(LedgerUnavailable):  # it was closed, or belongs to a parent process
                    ledger.look()
                    return ledger, met
        return None


def _open_already(ledger: Ledger, met: str) -> BudgetElsewhere:
    entries = len(ledger.entries())
    return BudgetElsewhere(ledger=MEMORY, place=seen_as(MEMORY), entries=entries, met=met)


in_memory = InMemory()


def register(book: Ledger, rows: Rows, *, overridden: bool) -> None:
    """Note in this process that a ledger in memory is open and has the budget of these rows."""
    if _registered(book.place):
        in_memory.add(rows, book, overridden=overridden)


def _registered(place: str) -> bool:
    """Whether this process keeps in mind what is open there, with a witness or without."""
    return place == MEMORY and not simulating()


def rows_of(source: Source) -> Rows:
    """The rows of a source, with the cuts by which they were taken out of others."""
    frame = source.frame if isinstance(source, Framed) else None
    return Rows(source.fingerprint, frame.cuts if frame else ())


def check_reason(**override: object) -> None:
    """Refuse an override that does not say why; the keyword is what errors call it."""
    for argument, reason in override.items():
        if reason is not None and (not isinstance(reason, str) or not reason.strip()):
            raise InvalidInput(
                argument=argument, accepted="a reason in words", given=repr(reason)[:80]
            )


def check_new(
    witness: Witness | None,
    rows: Rows,
    *,
    columns: Marked,
    place: str,
    override: str | None,
) -> BudgetElsewhere | WitnessDamaged | None:
    """Refuse to make a ledger for data that has one, unless there is a reason to override that.

    What is overridden is returned.
    """
    doubt = doubt_about(witness, rows, columns=columns, place=place)
    if override is not None and doubt is None:
        raise nothing_to_override(override)
    # Another process may just have made the ledger here: it was there before it was seen.
    if doubt and override is None and not Ledger.exists(place):
        raise doubt
    return doubt if override is not None else None


def doubt_about(
    witness: Witness | None, rows: Rows, *, columns: Marked, place: str
) -> BudgetElsewhere | WitnessDamaged | None:
    """What stands against a new ledger for these rows; None if nothing.

    Not raised: the caller may have a reason to override it.
    """
    doubt = _witnessed(witness, rows, columns=columns, place=place) if witness else None
    return in_memory.doubt(rows) if doubt is None and _registered(place) else doubt


def unheard(witness: Witness, fingerprint: str, *, place: str) -> bool:
    """Whether the witness has never heard of a ledger for data with this fingerprint."""
    try:
        return witness.known(fingerprint, ledger=shown(place)) is None
    except WitnessDamaged:  # it has, and whoever attends to the ledger is told
        return False


def others_checked(witness: Witness, source: Source, *, place: str) -> None:
    """Refuse a new ledger if by now its data has one under another fingerprint than its own."""
    columns = marked(source)
    doubt = _witnessed(witness, rows_of(source), columns=columns, place=place, besides_own=True)
    if doubt is not None:
        raise doubt


def _witnessed(
    witness: Witness, rows: Rows, *, columns: Marked, place: str, besides_own: bool = False
) -> BudgetElsewhere | WitnessDamaged | None:
    told = shown(place)
    own = rows.fingerprint if besides_own else ""
    try:
        for each in rows.names:
            known = witness.known(each, ledger=told) if each != own else None
            if known:
                return BudgetElsewhere(ledger=told, place=known.place, entries=known.sequence)
        if met := witness.overlapping(rows, ledger=told):
            part, how = met
            return BudgetElsewhere(ledger=told, place=part.place, entries=part.sequence, met=how)
        # A whole is recognised, too, so that renaming a column makes no new split of it.
        wholes = ((each.columns, each.of) for each in rows.cuts)
        for shown_by, besides in ((columns, own), *wholes):
            if alike := witness.alike(shown_by, besides=besides, ledger=told):
                seen, names = alike
                return BudgetElsewhere(
                    ledger=told, place=seen.place, entries=seen.sequence, columns=names
                )
    except WitnessDamaged as error:
        return error
    return None


def promised(witness: Witness | None, rows: Rows, *, place: str) -> Promise | None:
    """What the ledger promised that a new one for this data takes the place of; None if unknown."""
    try:
        told = shown(place)
        seen = [witness.known(each, ledger=told) for each in rows.names] if witness else []
    except WitnessDamaged:
        return None
    known = next((each for each in seen if each), None)
    if known:
        return promise_from(known.promise)
    return in_memory.promise(rows) if place == MEMORY else None


def has_ledger(witness: Witness | None, rows: Rows, *, place: str) -> bool:
    """Whether rows had or have a ledger, or a whole that holds them, and not only their like."""
    if witness and not all(unheard(witness, each, place=place) for each in rows.names):
        return True
    return place == MEMORY and in_memory.promise(rows) is not None


def in_custody(plan: Plan, opening: PublicOpening, overrides: Sequence[Body]) -> Plan:
    """The plan with all that its ledger says about being the only one among the assumptions."""
    said = [UNWATCHED] if opening.witness == NONE else []
    if opening.whole:
        said.append(f"the rows are a random part of {opening.whole}, which is asked nowhere else")
    if opening.about:
        labels = opening.about.split(" ")[0] == LABELS
        said.append(_FRESH_LABELS if labels else f"the promise is about {opening.about}")
    return overridden(_assuming(plan, said), overrides)


def overridden(plan: Plan, overrides: Sequence[Body]) -> Plan:
    """The plan with these overrides, too, among the assumptions."""
    return _assuming(plan, [_said(each) for each in overrides])


def _said(override: Body) -> str:
    what = "the ledger was" if "restored" in override else "the budget was overridden:"
    return f"{what} {override['reason']}"


def _assuming(plan: Plan, said: Sequence[str]) -> Plan:
    certificate = plan.certificate
    assumed = (*certificate.assumptions, *said)
    return replace(plan, certificate=replace(certificate, assumptions=assumed)) if said else plan

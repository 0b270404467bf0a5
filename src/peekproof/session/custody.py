"""Whether a ledger is the only one of its data, and what certificates say where it is not sure."""

import gc
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import final
from weakref import WeakValueDictionary

from peekproof.core.errors import BudgetElsewhere, InvalidInput, LedgerUnavailable, WitnessDamaged
from peekproof.core.shared_columns import Marked
from peekproof.data.source import Source
from peekproof.ledger.entry import Body
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.opening import Promise, PublicOpening, promise_from, promise_of
from peekproof.ledger.places import shown
from peekproof.ledger.watch import seen_as
from peekproof.ledger.witness import NONE, VARIABLE, Witness, default_witness, simulating
from peekproof.planner.plan import Plan

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
    """The ledgers in memory that are open in this process, by the fingerprint of their data.

    The witness hears of such a ledger when something is paid for. Until then this register tells
    that the data is open already, and in which object its budget is.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._open: WeakValueDictionary[str, Ledger] = WeakValueDictionary()

    def doubt(self, fingerprints: Sequence[str]) -> BudgetElsewhere | None:
        """What stands against one more ledger in memory for this data; None if nothing."""
        known = self._known(fingerprints)
        if known is None:
            return None
        del known
        gc.collect()  # a session is in cycles: it may be gone and not yet collected
        known = self._known(fingerprints)
        return None if known is None else _open_already(known)

    def promise(self, fingerprints: Sequence[str]) -> Promise | None:
        """What the ledger that is open for this data promises; None if there is none."""
        known = self._known(fingerprints)
        return None if known is None else promise_from(promise_of(known.opening))

    def add(self, fingerprint: str, ledger: Ledger, *, overridden: bool) -> None:
        """Take in a ledger, unless another thread was quicker and nobody answers for a second."""
        with self._turn:
            known = self._alive(fingerprint)
            if known is not None and not overridden:
                raise _open_already(known)
            self._open[fingerprint] = ledger

    def _known(self, fingerprints: Sequence[str]) -> Ledger | None:
        with self._turn:
            found = [self._alive(each) for each in fingerprints]
        return next((each for each in found if each is not None), None)

    def _alive(self, fingerprint: str) -> Ledger | None:
        ledger = self._open.get(fingerprint)
        if ledger is not None:
            with suppress(LedgerUnavailable):  # it was closed, or belongs to a parent process
                ledger.look()
                return ledger
        return None


def _open_already(ledger: Ledger) -> BudgetElsewhere:
    entries = len(ledger.entries())
    return BudgetElsewhere(ledger=MEMORY, place=seen_as(MEMORY), entries=entries)


in_memory = InMemory()


def register(book: Ledger, *, overridden: bool) -> None:
    """Note in this process that a ledger in memory is open and has the budget of its data."""
    if book.place == MEMORY:
        in_memory.add(book.opening.fingerprint, book, overridden=overridden)


def check_reason(**override: object) -> None:
    """Refuse an override that does not say why; the keyword is what errors call it."""
    for argument, reason in override.items():
        if reason is not None and (not isinstance(reason, str) or not reason.strip()):
            raise InvalidInput(
                argument=argument, accepted="a reason in words", given=repr(reason)[:80]
            )


def marked(source: Source) -> Marked:
    """What the columns of a source are recognised by, if its engine tells."""
    return Marked(source.rows, tuple(getattr(source, "marks", ())), ordered=source.ordered)


def check_new(
    witness: Witness | None,
    fingerprints: Sequence[str],
    *,
    columns: Marked,
    place: str,
    override: str | None,
) -> BudgetElsewhere | WitnessDamaged | None:
    """Refuse to make a ledger for data that has one, unless there is a reason to override that.

    What is overridden is returned. Of a part of a split, the first fingerprint is its own and the
    second that of the whole.
    """
    doubt = doubt_about(witness, fingerprints, columns=columns, place=place)
    if override is not None and doubt is None:
        raise nothing_to_override(override)
    # Another process may just have made the ledger here: it was there before it was seen.
    if doubt and override is None and not Ledger.exists(place):
        raise doubt
    return doubt if override is not None else None


def doubt_about(
    witness: Witness | None, fingerprints: Sequence[str], *, columns: Marked, place: str
) -> BudgetElsewhere | WitnessDamaged | None:
    """What stands against a new ledger for data under any of these fingerprints; None if nothing.

    Not raised: the caller may have a reason to override it.
    """
    if witness is None:
        return None
    doubt = _witnessed(witness, fingerprints, columns=columns, place=place)
    return in_memory.doubt(fingerprints) if doubt is None and place == MEMORY else doubt


def unheard(witness: Witness, fingerprint: str, *, place: str) -> bool:
    """Whether the witness has never heard of a ledger for data with this fingerprint."""
    try:
        return witness.known(fingerprint, ledger=shown(place)) is None
    except WitnessDamaged:  # it has, and whoever attends to the ledger is told
        return False


def others_checked(
    witness: Witness, source: Source, fingerprints: Sequence[str], *, place: str
) -> None:
    """Refuse a new ledger if by now its data has one under another fingerprint than the first."""
    own, *others = fingerprints
    doubt = _witnessed(witness, others, columns=marked(source), place=place, own=own)
    if doubt is not None:
        raise doubt


def _witnessed(
    witness: Witness, fingerprints: Sequence[str], *, columns: Marked, place: str, own: str = ""
) -> BudgetElsewhere | WitnessDamaged | None:
    told = shown(place)
    try:
        for each in fingerprints:
            known = witness.known(each, ledger=told)
            if known:
                return BudgetElsewhere(ledger=told, place=known.place, entries=known.sequence)
        alike = witness.alike(columns, besides=own, ledger=told)
    except WitnessDamaged as error:
        return error
    if alike is None:
        return None
    seen, names = alike
    return BudgetElsewhere(ledger=told, place=seen.place, entries=seen.sequence, columns=names)


def promised(witness: Witness | None, fingerprints: Sequence[str], *, place: str) -> Promise | None:
    """What the ledger promised that a new one for this data takes the place of; None if unknown."""
    try:
        told = shown(place)
        seen = [witness.known(each, ledger=told) for each in fingerprints] if witness else []
    except WitnessDamaged:
        return None
    known = next((each for each in seen if each), None)
    if known:
        return promise_from(known.promise)
    return in_memory.promise(fingerprints) if place == MEMORY else None


def has_ledger(witness: Witness | None, fingerprints: Sequence[str], *, place: str) -> bool:
    """Whether data had or has a ledger under one of these fingerprints, and not only its like."""
    if witness and not all(unheard(witness, each, place=place) for each in fingerprints):
        return True
    return place == MEMORY and in_memory.promise(fingerprints) is not None


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

"""Opening a file of labels where its budget is, wherever that file and its ledger went."""

from dataclasses import dataclass
from pathlib import Path
from typing import final

from peekproof.core.errors import BudgetElsewhere, DataError, InvalidInput, LedgerUnavailable
from peekproof.learn.desk import Desk
from peekproof.learn.held import HeldRows
from peekproof.learn.label_file import LabelFile
from peekproof.learn.opening import open_desk
from peekproof.learn.registry import Registered, Registry
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named, shown
from peekproof.ledger.sqlite import MEMORY
from peekproof.session.custody import witness_of


@final
@dataclass(frozen=True, slots=True)
class Kept:
    """An open holdout. `before` is whether its budget had been begun; `ledger` is where it is."""

    desk: Desk
    ledger: str
    before: bool


def open_labels(
    labels: LabelFile,
    *,
    registry: Registry,
    ledger: str | None = None,
    confidence: float | None = None,
    questions: int | None = None,
    analyst: str = "",
) -> Kept:
    """The holdout of a file, with the budget that these rows have already, or a new one.

    Its ledger is beside the file, if nobody says where; if the witness knows another place that
    has it, it is there.
    """
    held = labels.held()
    registry.check_held(labels, held.fingerprint)
    place = _place(ledger or f"{labels.path}.peekproof", held.fingerprint)
    kept = _open(held, place, confidence=confidence, questions=questions, analyst=analyst)
    try:
        registry.hold(labels, held.fingerprint)
    except BaseException:
        kept.desk.close()
        raise
    return kept


def open_registered(
    name: str, known: Registered, labels: LabelFile, *, registry: Registry, analyst: str = ""
) -> Kept:
    """The holdout of a name, if its file still holds its rows and its budget can be found."""
    held = labels.held()
    if held.fingerprint != known.fingerprint:
        raise DataError(
            source=known.file,
            problem=f"no longer holds the rows of {name}",
            hint="restore them; other rows need a name of their own, by peekproof holdout create",
        )
    registry.check_held(labels, held.fingerprint)
    try:
        # Without a witness nobody would object to a new ledger, and a second budget.
        return _open(held, known.ledger, analyst=analyst, only_known=True)
    except LedgerUnavailable as problem:
        problem.add_note(f"it is the ledger of the holdout {name}")
        raise


def _open(
    held: HeldRows,
    place: str,
    *,
    confidence: float | None = None,
    questions: int | None = None,
    analyst: str = "",
    only_known: bool = False,
) -> Kept:
    def at(where: str) -> Desk:
        return open_desk(
            held, confidence=confidence, questions=questions, ledger=where, analyst=analyst
        )

    before = Ledger.exists(place)
    if only_known and not before:
        place = _followed(held, place)
        before = True
    try:
        return Kept(at(place), place, before)
    except BudgetElsewhere as elsewhere:
        if elsewhere.columns or not Ledger.exists(elsewhere.place):
            raise
        return Kept(at(elsewhere.place), elsewhere.place, True)


def _place(ledger: str, fingerprint: str) -> str:
    """The same place from every folder, and for every process."""
    if ledger == MEMORY:
        raise InvalidInput(
            argument="--ledger",
            accepted="a place that outlives this command",
            given=repr(ledger),
            hint="every command would have a budget of its own",
        )
    return named(ledger, fingerprint) if "://" in ledger else str(Path(ledger).absolute())


def _followed(held: HeldRows, place: str) -> str:
    """Where the witness saw the ledger that is not at its place any more."""
    seen = _last_seen(held.fingerprint, place)
    if seen is None or not Ledger.exists(seen):
        raise LedgerUnavailable(
            ledger=shown(place),
            problem="is gone, and with it what was spent of the budget",
            hint="put it back, or name where it is: peekproof holdout create NAME LABELS --label "
            "COLUMN --ledger PLACE",
        )
    return seen


def _last_seen(fingerprint: str, place: str) -> str | None:
    """Where the witness last saw the ledger of these rows."""
    witness = witness_of(place)
    if witness is None:
        return None
    try:
        seen = witness.known(fingerprint, ledger=shown(place))
        return None if seen is None else seen.place
    finally:
        witness.close()

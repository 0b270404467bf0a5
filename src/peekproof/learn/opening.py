"""Opening a holdout: its rows, and the ledger that its budget is in."""

from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Any

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import check_index, index_of, labels_of
from peekproof.learn.desk import LocalDesk
from peekproof.learn.features import Features
from peekproof.learn.held import LABEL, ROW, HeldRows
from peekproof.learn.naming import row_names
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.checking import Checking
from peekproof.noise.entropy import Entropy
from peekproof.session.opening import open_with

QUESTIONS = 10_000
_ROWS = "the rows of X"


def held_rows(
    features: object,
    labels: object,
    columns: Mapping[str, object],
    *,
    classes: object = None,
    given: object = None,
) -> HeldRows:
    """The rows of a holdout, with columns besides by which they can be grouped.

    `given` are the labels in the order in which they came, if that was another one.
    """
    known, index = labels_of(labels, classes=classes), rows_index(features, labels)
    for name, column in columns.items():
        check_index(column, index, f"groups[{name!r}]", rows=_ROWS)
        if name in (LABEL, ROW):
            raise InvalidInput(
                argument="groups", accepted=f"columns not called {name!r}", given=repr(name)
            )
        if not isinstance(column, Sized) or len(column) != known.rows:
            given = f"{len(column):,}" if isinstance(column, Sized) else repr(column)[:80]
            raise InvalidInput(
                argument="groups",
                accepted=f"columns of one value for each of the {known.rows:,} rows",
                given=f"{given} in {name!r}",
            )
    names = row_names(features, rows=known.rows)
    check_index(labels, index, "y", rows=_ROWS)
    return HeldRows(
        known,
        names=names,
        columns=columns,
        features=Features.of(features),
        given=None if given is None else labels_of(given),
    )


def rows_index(features: object, labels: object) -> Any:
    """The index by which pandas names rows: that of the features, else of the labels, else None."""
    found = index_of(features)
    return index_of(labels) if found is None else found


def open_desk(
    held: HeldRows,
    *,
    confidence: float | None,
    questions: int | None,
    ledger: str | Path | None,
    analyst: str = "",
    override: str | None = None,
    entropy: Entropy | None = None,
) -> LocalDesk:
    """A session about the rows that checks guesses: new, or the one that the ledger holds."""
    place = MEMORY if ledger is None else ledger
    session = open_with(
        held,
        QUESTIONS,
        confidence=confidence,
        questions=questions,
        ledger=place,
        mechanisms=[Checking],
        analyst=analyst,
        override=override,
        entropy=entropy,
    )
    # Other processes, and this one in a while, may be in another folder.
    known = place == MEMORY or "://" in str(place)
    lasting = str(place) if known else str(Path(place).absolute())
    return LocalDesk(session, held, place=lasting, entropy=entropy)

"""Holdouts by the names that this user gave them. Budgets are not here, but in their ledgers.

What is forgotten is a name. In which columns labels were held is never forgotten: the same labels
told apart or grouped in another way would have another fingerprint, and so a second budget.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, final

from peekproof.core.errors import BudgetElsewhere, DataError, InvalidInput, LedgerUnavailable
from peekproof.learn.desk import Desk
from peekproof.learn.held import HeldRows
from peekproof.learn.label_file import LabelColumns, LabelFile
from peekproof.learn.opening import open_desk
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named, shown
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.witness import default_folder, default_witness
from peekproof.session.custody import witness_of

if sys.platform != "win32":
    import fcntl

VARIABLE = "PEEKPROOF_HOLDOUTS"
_FILE, _LOCK = "holdouts.json", "holdouts.lock"
_FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A named holdout: where its labels and its ledger are, and what is scored by default."""

    file: str
    columns: LabelColumns
    metric: str
    ledger: str
    fingerprint: str
    rows: int
    classes: tuple[str, ...] | None = None  # that labels can be, if they were declared


@final
@dataclass(frozen=True, slots=True)
class _Content:
    """All of the file: names, and for what it is that labels were held how."""

    names: dict[str, Registered]
    held: dict[str, tuple[str, LabelColumns]]


@final
class Registry:
    """One small file in a folder. Processes take turns to change it."""

    def __init__(self, folder: Path | None = None) -> None:
        named = os.environ.get(VARIABLE, "")
        self.folder = folder or (Path(named).absolute() if named else _beside_witness())

    @property
    def file(self) -> Path:
        return self.folder / _FILE

    def every(self) -> dict[str, Registered]:
        """All holdouts that have a name, in the order of names."""
        return dict(sorted(self._read().names.items()))

    def find(self, name: str) -> Registered | None:
        return self._read().names.get(name)

    def known(self, name: str) -> Registered:
        """The holdout of this name, or an error that says what to do."""
        names = self._read().names
        if name in names:
            return names[name]
        near = get_close_matches(name, names, n=1)
        raise InvalidInput(
            argument="holdout",
            accepted="a name that peekproof holdout list shows, a file of labels, or the address "
            "of a gateway",
            given=repr(name)[:80],
            hint=f"did you mean {near[0]!r}?"
            if near
            else "peekproof holdout create NAME LABELS --label COLUMN gives a file a name",
        )

    def check_held(self, labels: LabelFile, fingerprint: str) -> None:
        """Refuse labels that were held in another way before: it would be a second budget."""
        before = self._read().held.get(labels.content)
        if before is None or before[0] == fingerprint:
            return
        if before[1] == labels.columns:
            raise DataError(
                source=str(labels.path),
                problem="holds labels that have a budget already, in another order",
                hint="without ids rows are told apart by their order alone: restore it",
            )
        raise InvalidInput(
            argument="the columns",
            accepted=f"those by which these labels were first held ({before[1]})",
            given=str(labels.columns),
            hint="others would be a second budget for the same labels",
        )

    def hold(self, labels: LabelFile, fingerprint: str) -> None:
        """Remember how these labels are held."""
        if labels.content in self._read().held:
            return
        with self._changed() as content:
            content.held.setdefault(labels.content, (fingerprint, labels.columns))

    def put(self, name: str, holdout: Registered) -> None:
        """Give a holdout this name; the same rows may move, others need another name."""
        with self._changed() as content:
            check_free(name, content.names.get(name), holdout.fingerprint)
            content.names[name] = holdout

    def forget(self, name: str) -> Registered:
        """Take the name away; what was its."""
        self.known(name)
        with self._changed() as content:
            return content.names.pop(name)

    @contextmanager
    def _changed(self) -> Iterator[_Content]:
        """What is in the file, to be changed by one process at a time."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self.folder / _LOCK).open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                content = self._read()
                yield content
                self._write(content)
        except OSError as error:
            raise self._unusable((error.strerror or str(error)).lower()) from error

    def _read(self) -> _Content:
        try:
            raw = json.loads(self.file.read_bytes())
            if raw["format"] != _FORMAT:
                raise self._unusable(f"has format {raw['format']!r}; this version reads {_FORMAT}")
            return _Content(
                {str(name): _registered(each) for name, each in raw["holdouts"].items()},
                {
                    str(content): (str(each["fingerprint"]), _columns(each["columns"]))
                    for content, each in raw["held"].items()
                },
            )
        except FileNotFoundError:
            return _Content({}, {})
        except OSError as error:
            raise self._unusable((error.strerror or str(error)).lower()) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, DataError):
                raise
            raise self._unusable("is damaged") from error

    def _write(self, content: _Content) -> None:
        document = {
            "format": _FORMAT,
            "holdouts": {name: _plain(each) for name, each in sorted(content.names.items())},
            "held": {
                key: {"fingerprint": fingerprint, "columns": _plain_columns(columns)}
                for key, (fingerprint, columns) in content.held.items()
            },
        }
        handle, temporary = tempfile.mkstemp(prefix=".", dir=self.folder)
        try:
            with os.fdopen(handle, "w") as file:
                json.dump(document, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self.file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _unusable(self, problem: str) -> DataError:
        return DataError(
            source=str(self.file),
            problem=f"with the names of holdouts cannot be used: it {problem}"
            if problem.startswith(("is ", "has "))
            else f"with the names of holdouts cannot be used ({problem})",
            hint=f"put it back, or set {VARIABLE} to another folder; budgets are in their ledgers, "
            "and are found again by peekproof holdout create",
        )


def _beside_witness() -> Path:
    """Where the witness keeps its state; where it would, if it was switched off."""
    witness = default_witness(ledger="of a holdout")
    return default_folder() if witness is None else witness.folder


def check_name(name: str) -> str:
    """A name for a holdout: never that of a file that could hold labels."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            argument="NAME",
            accepted="up to 100 letters, digits, - and _, beginning with a letter or digit",
            given=repr(name)[:80],
        )
    return name


def check_free(name: str, before: Registered | None, fingerprint: str) -> None:
    """Refuse a name that stands for other rows."""
    if before is not None and before.fingerprint != fingerprint:
        raise InvalidInput(
            argument="NAME",
            accepted=f"another one, for {name} has other rows ({before.file})",
            given=repr(name),
            hint=f"peekproof holdout forget {name} frees the name, and leaves its budget",
        )


def _registered(given: dict[str, Any]) -> Registered:
    classes = given.get("classes")  # which files of before have not
    return Registered(
        **{
            **given,
            "columns": _columns(given["columns"]),
            "classes": None if classes is None else tuple(map(str, classes)),
        }
    )


def _columns(given: dict[str, object]) -> LabelColumns:
    groups, by = given["groups"], given["id"]
    if not isinstance(groups, list) or not isinstance(by, str | None):
        raise TypeError("not as it was written")
    return LabelColumns(label=str(given["label"]), id=by, groups=tuple(map(str, groups)))


def _plain_columns(columns: LabelColumns) -> dict[str, object]:
    return {"label": columns.label, "id": columns.id, "groups": list(columns.groups)}


def _plain(holdout: Registered) -> dict[str, object]:
    return {
        "file": holdout.file,
        "columns": _plain_columns(holdout.columns),
        "metric": holdout.metric,
        "ledger": holdout.ledger,
        "fingerprint": holdout.fingerprint,
        "rows": holdout.rows,
        "classes": None if holdout.classes is None else list(holdout.classes),
    }


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

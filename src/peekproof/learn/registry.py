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

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.label_file import LabelColumns, LabelFile
from peekproof.ledger.witness import default_folder, default_witness

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

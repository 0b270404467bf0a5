"""Tables in files: labels, ids and which columns they are in, and the rows that they make."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.data.files import SEPARATORS
from peekproof.data.fingerprint import fingerprint
from peekproof.data.load import normal_frame
from peekproof.learn.held import HeldRows
from peekproof.learn.opening import held_rows


@final
@dataclass(frozen=True, slots=True, eq=False)
class TableFile:
    """A file in memory. `name` is what errors call it, `content` names all that it says."""

    path: Path
    name: str
    content: str
    frame: pl.DataFrame = field(repr=False)

    @classmethod
    def read(cls, path: Path, *, name: str = "") -> "TableFile":
        """A file that holds as data, with the types that it has as data."""
        frame = normal_frame(path)
        return cls(path, name or str(path), fingerprint(frame), frame)

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    def need(self, argument: str, column: str) -> None:
        """Refuse a column that the file has not."""
        if column not in self.columns:
            raise InvalidInput(
                argument=argument,
                accepted=f"a column of {self.name} ({_listed(self.columns)})",
                given=repr(column)[:80],
            )

    def typed(self, argument: str, column: str) -> pl.Series:
        """A column in which nothing is missing."""
        self.need(argument, column)
        return self._complete(self.frame[column], column)

    def written(self, argument: str, column: str) -> pl.Series:
        """A column as text: of ids, all digits count and 007 is not 7."""
        self.need(argument, column)
        found = self._raw(column)
        if len(found) != self.frame.height:
            raise self._changed()
        return self._complete(found, column)

    def _changed(self) -> DataError:
        return DataError(
            source=self.name,
            problem="changed while it was read",
            hint="try again when nobody writes to it",
        )

    def _raw(self, column: str) -> pl.Series:
        separator = SEPARATORS.get(self.path.suffix.lower())
        if separator is not None:
            every = pl.read_csv(self.path, infer_schema=False, separator=separator, glob=False)
            return every[column]
        found = pl.read_parquet(self.path, columns=[column], glob=False)[column]
        return found.cast(pl.String)

    def _complete(self, column: pl.Series, name: str) -> pl.Series:
        missing = column.null_count()
        if missing:
            first = column.is_null().arg_max() or 0
            rows = f"row {first:,} (from 0)"
            if missing > 1:
                rows = f"{missing:,} rows, of which the first is {rows}"
            raise DataError(
                source=self.name,
                problem=f"has nothing in column {name!r} in {rows}",
                hint="give a value for every row, or leave these rows out",
            )
        return column


def _listed(columns: list[str], most: int = 12) -> str:
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelColumns:
    """Where the labels are, and by what rows are told apart and grouped."""

    label: str
    id: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All columns that are named."""
        return (self.label, *([] if self.id is None else [self.id]), *self.groups)

    def __str__(self) -> str:
        by = [f"--id {self.id}"] if self.id is not None else []
        groups = [f"--group {each}" for each in self.groups]
        return " ".join([f"--label {self.label}", *by, *groups])


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelFile:
    """The labels of a file, in the order of their ids if they have some, else as they stand.

    `content` names all that the file says about the label, whatever else is chosen of it; `others`
    are the names of the columns that were not chosen, and `given` the labels as they stand.
    """

    path: Path
    columns: LabelColumns
    content: str
    ids: tuple[str, ...] | None = field(repr=False)
    labels: pl.Series = field(repr=False)
    groups: Mapping[str, pl.Series] = field(repr=False)
    given: pl.Series = field(repr=False)
    others: tuple[str, ...] = ()
    classes: tuple[str, ...] | None = None  # that labels can be, as they are written

    @property
    def rows(self) -> int:
        return len(self.labels)

    @property
    def text(self) -> bool:
        return self.labels.dtype == pl.String

    def held(self) -> HeldRows:
        """The rows; ids name them, so that the same ones are recognised in any order.

        Whoever has the labels without the ids has them in the order of the file.
        """
        features = None if self.ids is None else list(self.ids)
        return held_rows(
            features, self.labels, self.groups, classes=self._classes(), given=self.given
        )

    def _classes(self) -> list[str] | list[float] | None:
        """The declared classes as labels are: texts or numbers."""
        if self.classes is None or self.text:
            return None if self.classes is None else list(self.classes)
        try:
            return [float(each) for each in self.classes]
        except ValueError:
            raise InvalidInput(
                argument="--classes",
                accepted="numbers, which the labels are",
                given=repr(",".join(self.classes))[:80],
            ) from None


def read_labels(
    path: Path, columns: LabelColumns, *, classes: tuple[str, ...] | None = None
) -> LabelFile:
    """The labels in these columns of a file, of `classes` if their owner declares some."""
    table = TableFile.read(path)
    _check_distinct(columns)
    given = labels = table.typed("--label", columns.label)
    groups = {name: table.typed("--group", name) for name in columns.groups}
    ids: tuple[str, ...] | None = None
    if columns.id is not None:
        names = table.written("--id", columns.id)
        ids = check_ids(names, source=str(path), column=columns.id)
        order = names.arg_sort()
        ids = tuple(sorted_by(names, order).to_list())
        labels = sorted_by(labels, order)
        groups = {name: sorted_by(each, order) for name, each in groups.items()}
    said = f"{table.content}\0{columns.label}"
    return LabelFile(
        path=path,
        columns=columns,
        content=hashlib.sha256(said.encode()).hexdigest()[:32],
        ids=ids,
        labels=labels,
        groups=groups,
        given=given,
        others=tuple(name for name in table.columns if name not in columns.every),
        classes=classes,
    )


def only_label(path: Path, *, besides: tuple[str, ...]) -> str:
    """The one column that can be the label, if nobody says which."""
    left = [name for name in TableFile.read(path).columns if name not in besides]
    if len(left) != 1:
        raise InvalidInput(
            argument="--label",
            accepted=f"given for {path}, which has {len(left)} columns that could be it",
            given="none",
        )
    return left[0]


def check_ids(ids: pl.Series, *, source: str, column: str) -> tuple[str, ...]:
    """The ids, unless one is there twice."""
    doubled = ids.filter(ids.is_duplicated()).unique(maintain_order=True)
    if len(doubled):
        raise DataError(
            source=source,
            problem=f"has {some(doubled.to_list())} more than once in column {column!r}",
            hint="each row needs an id of its own",
        )
    return tuple(ids.to_list())


def some(ids: list[str], most: int = 3) -> str:
    """A few of many ids, for a message."""
    shown = ", ".join(repr(each[:40]) for each in ids[:most])
    return shown + (f" and {len(ids) - most:,} other ids" if len(ids) > most else "")


def sorted_by(column: pl.Series, order: pl.Series) -> pl.Series:
    """The column with its rows in this order."""
    return column.gather(order)


def _check_distinct(columns: LabelColumns) -> None:
    if len(set(columns.every)) < len(columns.every):
        raise InvalidInput(
            argument="--label, --id and --group", accepted="different columns", given=str(columns)
        )


_EXACT = 2**53  # whole numbers beyond it are not told apart by doubles


@final
class RowIds:
    """The ids of rows, in the order of rows; each once."""

    def __init__(self, ids: Sequence[object]) -> None:
        self.texts = [id_text(each) for each in ids]
        self._places = {each: place for place, each in enumerate(self.texts)}
        if len(self._places) < len(self.texts):
            raise InvalidInput(
                argument="id", accepted="different in every row", given="some that are there twice"
            )

    def places(self, ids: Sequence[object]) -> npt.NDArray[np.intp]:
        """For each row the place of its id among these, which must be all, each once."""
        rows = len(self.texts)
        if len(ids) != rows:
            raise _not_these(rows, f"{len(ids):,} ids")
        order = np.full(rows, -1, dtype=np.intp)
        for place, each in enumerate(ids):
            row = self._places.get(id_text(each))
            if row is None:
                raise _not_these(rows, f"{each!r}, which is none of them"[:80])
            if order[row] >= 0:
                raise _not_these(rows, f"{each!r} twice"[:80])
            order[row] = place
        return order


def id_text(given: object) -> str:
    """An id as text: 7 and 7.0 are "7"."""
    if isinstance(given, str):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= _EXACT:
        return str(int(given)) if given == int(given) else repr(float(given))
    raise InvalidInput(
        argument="id",
        accepted="a text, or a number of at most 2^53",
        given=f"{given!r}"[:80],
    )


def _not_these(rows: int, given: str) -> InvalidInput:
    return InvalidInput(
        argument="ids", accepted=f"the ids of all {rows:,} rows, each once", given=given
    )

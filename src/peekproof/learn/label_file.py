"""Labels in a file: which columns they are in, and the rows that they make."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.held import HeldRows
from peekproof.learn.opening import held_rows
from peekproof.learn.table_file import TableFile


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

"""Predictions in a file, in the order of the rows that they are for."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np
import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.label_file import TableFile, check_ids, some, sorted_by

STANDARD_INPUT = "-"
_USUAL = ("prediction", "predictions", "predicted")
_MISSING = ("nan", "na", "n/a", "null", "none")
_LINES = (".csv", ".tsv", ".txt")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What predictions are for: so many rows, named by ids or by their order alone.

    `text` is whether they are compared with text, so that 1 is not read as a number. `columns` are
    those to take; several are several numbers a row. `others` are columns of the labels by which
    rows could be told apart, and are not.
    """

    rows: int
    ids: tuple[str, ...] | None = field(default=None, repr=False)
    id_column: str | None = None
    columns: tuple[str, ...] = ()
    text: bool = False
    others: tuple[str, ...] = ()


def read_predictions(path: str, wanted: Wanted, *, given: bytes = b"") -> object:
    """The predictions of a CSV, Parquet or NPY file; `given` is what standard input said."""
    if path == STANDARD_INPUT:
        return _from_lines(given, wanted, name="standard input", suffix=".csv")
    if path.lower().endswith(".npy"):
        return _from_array(Path(path), wanted)
    if path.lower().endswith(_LINES) and Path(path).is_file():
        suffix = Path(path).suffix.lower()
        return _from_lines(Path(path).read_bytes(), wanted, name=path, suffix=suffix)
    return _from_table(TableFile.read(Path(path)), wanted)


def _from_array(path: Path, wanted: Wanted) -> object:
    if wanted.ids is not None:
        raise DataError(
            source=str(path),
            problem="has no ids, by which the rows of this holdout are told apart",
            hint="write a CSV or Parquet file with a column of ids beside the predictions",
        )
    try:
        found: object = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            source=str(path),
            problem=f"cannot be read ({type(error).__name__})",
            hint="write it with numpy.save, numbers or text in one or two dimensions",
        ) from error
    return found


def _from_lines(content: bytes, wanted: Wanted, *, name: str, suffix: str) -> object:
    """One value a line needs no header: then there are as many lines as rows."""
    lines = content.decode(errors="replace").splitlines()
    filled = [each for each in lines if each.strip()]
    plain = bool(filled) and not any(sign in filled[0] for sign in ",\t")
    if plain and len(filled) == wanted.rows and wanted.ids is None and not wanted.columns:
        content = f"{_USUAL[0]}\n".encode() + content
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"predictions{suffix}"
        copy.write_bytes(content)
        try:
            return _from_table(TableFile.read(copy, name=name), wanted)
        except DataError as problem:  # of the copy, which nobody knows
            source = problem.source if problem.source != str(copy) else name
            raise DataError(source=source, problem=problem.problem, hint=problem.hint) from problem


def _from_table(table: TableFile, wanted: Wanted) -> object:
    columns = wanted.columns or (_only(table, wanted),)
    read = table.written if wanted.text else table.typed
    found = [read("--column", name) for name in columns]
    if not wanted.text:
        for each in found:
            _check_numbers(table, each, wanted.id_column)
    if wanted.ids is None:
        _check_order(table, columns, wanted.others)
    if wanted.ids is not None:
        order = _order(table, wanted.ids, wanted.id_column)
        found = [sorted_by(each, order) for each in found]
    elif table.frame.height != wanted.rows:
        raise DataError(
            source=table.name,
            problem=f"has {table.frame.height:,} predictions for {wanted.rows:,} rows",
            hint="give one for each row of the holdout, in their order",
        )
    if len(found) == 1:
        return found[0]
    return np.column_stack([each.to_numpy() for each in found])


def _check_numbers(table: TableFile, column: pl.Series, id_column: str | None) -> None:
    """Refuse numbers among which one is missing or is none, by its row in the file.

    One `nan` makes a column of whole numbers one of text; where nothing is a number, it is that.
    """
    if column.dtype != pl.String and not column.dtype.is_float():
        return
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() | numbers.is_nan()
    if not wrong.any() or numbers.is_null().all():
        return
    row = wrong.arg_max() or 0
    value = str(column[row])
    name = id_column or "id"
    by = f", for {table.written('--id', name)[row]!r:.40}" if name in table.columns else ""
    problem = f"{value!r:.40}, which is no number,"
    if value.strip().lower() in _MISSING:
        problem = f"a missing value ({value[:10]})"
    raise DataError(
        source=table.name,
        problem=f"has {problem} in column {column.name!r} in row {row:,} (from 0){by}",
        hint="give a number for every row; nothing was spent",
    )


def _only(table: TableFile, wanted: Wanted) -> str:
    left = [name for name in table.columns if name != wanted.id_column]
    usual = [name for name in _USUAL if name in left]
    if len(left) == 1 or usual:
        return usual[0] if usual else left[0]
    raise InvalidInput(
        argument="--column",
        accepted=f"given for {table.name}, which has the columns {', '.join(left) or '(none)'}",
        given="none",
    )


def _check_order(table: TableFile, columns: Sequence[str], others: Sequence[str]) -> None:
    """Refuse what looks like ids where rows go by their order: it may be another one."""
    shared = [name for name in table.columns if name in others and name not in columns]
    if shared:
        raise DataError(
            source=table.name,
            problem=f"has the column {shared[0]!r}, as the labels have, but rows go by their order",
            hint=f"tell rows apart with --id {shared[0]}; or, if they are in the order of the "
            "labels, leave the column out",
        )


def _order(table: TableFile, ids: Sequence[str], column: str | None) -> pl.Series:
    """Where in the file the prediction for each row is."""
    name = column or "id"
    if name not in table.columns:
        raise DataError(
            source=table.name,
            problem=f"has no column {name!r} with the ids of the rows",
            hint="the rows of this holdout are told apart by ids: add them, or name their column "
            "with --id",
        )
    given = table.written("--id", name)
    places = {each: at for at, each in enumerate(check_ids(given, source=table.name, column=name))}
    known = set(ids)
    unknown = [each for each in places if each not in known]
    missing = [each for each in ids if each not in places]
    if unknown or missing:
        problem = (
            f"has predictions for {some(unknown)}, which the holdout has not"
            if unknown
            else f"has no prediction for {some(missing)}"
        )
        hint = f"give exactly one for each of the {len(ids):,} ids; nothing was spent"
        raise DataError(source=table.name, problem=problem, hint=hint)
    return pl.Series([places[each] for each in ids], dtype=pl.UInt32)

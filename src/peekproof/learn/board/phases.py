"""The rows of both phases, and their labels: those of the final are not read before the close."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import SystemRandom
from typing import final

import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.tables import ID, as_numbers, as_texts, named, no_numbers, table_of
from peekproof.learn.board.writing import write_whole
from peekproof.learn.held import LABEL, ROW, HeldRows
from peekproof.learn.opening import held_rows

PUBLIC, FINAL, ROWS = "public.parquet", "final.parquet", "rows.parquet"
TEXT, NUMBERS = "text", "numbers"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """The labels that a board is made of. `kind` is "text" or "numbers", the same in both.

    `given` are the ids of all rows in the order in which they were given.
    """

    public: pl.DataFrame
    final: pl.DataFrame
    kind: str
    given: pl.Series

    def write(self, folder: Path) -> None:
        """Keep them, and apart from them the ids, which submissions are compared with."""
        in_final = self.given.is_in(self.final[ID].to_list())
        for name, frame in (
            (PUBLIC, self.public),
            (FINAL, self.final),
            (ROWS, pl.DataFrame({ID: self.given, "final": in_final})),
        ):
            buffer = BytesIO()
            frame.write_parquet(buffer)
            write_whole(folder / name, buffer.getvalue(), mode=0o600)


def phases_of(labels: object, final: object) -> Phases:
    """The two phases: of two tables, or of one from which a share is split off at random."""
    public = table_of(labels, argument="labels", value=LABEL)
    given = public[ID]
    if isinstance(final, int | float) and not isinstance(final, bool):
        public, rest = _split(public, float(final))
    else:
        rest = table_of(final, argument="final", value=LABEL)
        given = pl.concat([given, rest[ID]])
    both = rest[ID].filter(rest[ID].is_in(public[ID].to_list()))
    if both.len():
        accepted = "rows that are not in the public phase"
        raise InvalidInput(argument="final", accepted=accepted, given=named(both))
    if ROW in public.columns:
        accepted = f"without a group called {ROW!r}, which rows are numbered by"
        raise InvalidInput(argument="labels", accepted=accepted, given="one")
    columns = [public[LABEL], rest[LABEL]]
    written = any(each.dtype == pl.String for each in columns)
    kind = TEXT if written and any(as_numbers(each) is None for each in columns) else NUMBERS
    return Phases(_typed(public, kind), _typed(rest, kind).select(ID, LABEL), kind, given)


def _split(rows: pl.DataFrame, share: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    count = round(share * rows.height)
    if not 0 < count < rows.height:
        raise InvalidInput(
            argument="final",
            accepted="a table, or a share between 0 and 1 that leaves rows for both phases",
            given=f"{share:g} of {rows.height:,} rows",
        )
    chosen = set(SystemRandom().sample(range(rows.height), count))
    taken = pl.Series([each in chosen for each in range(rows.height)])
    return rows.filter(~taken), rows.filter(taken)


def _typed(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    column = rows[LABEL]
    values = as_texts(column) if kind == TEXT else as_numbers(column)
    if values is None:
        wrong = no_numbers(column)
        raise InvalidInput(
            argument="labels",
            accepted="finite numbers, below 2^53 if they are whole, or text",
            given=f"{column.filter(wrong)[0]!r:.40} for {named(rows[ID].filter(wrong))}",
        )
    return rows.with_columns(pl.Series(LABEL, values))


def read_ids(folder: Path) -> tuple[list[str], list[str]]:
    """The ids of both phases, in their order."""
    rows = _read(folder / ROWS)
    return rows.filter(~pl.col("final"))[ID].to_list(), rows.filter("final")[ID].to_list()


def read_held(path: Path) -> HeldRows:
    """The rows of a phase with their labels, and groups if there are some."""
    rows = _read(path)
    groups: Mapping[str, pl.Series] = {
        name: rows[name] for name in rows.columns if name not in (ID, LABEL)
    }
    # Named as a holdout with these ids names them: the same labels have one budget.
    return held_rows(rows[ID].to_list(), rows[LABEL], groups)


def read_both(folder: Path, *, by_id: bool = False) -> HeldRows:
    """The rows of both phases as one, in the order in which they were given, or that of ids."""
    labels = pl.concat(_read(folder / each).select(ID, LABEL) for each in (PUBLIC, FINAL))
    ids = _read(folder / ROWS).select(ID)
    if by_id:
        numbers = ids[ID].cast(pl.Int64, strict=False)
        ids = ids.sort(ID if numbers.has_nulls() else numbers, maintain_order=True)
    rows = ids.join(labels, on=ID, how="left", maintain_order="left")
    return held_rows(rows[ID].to_list(), rows[LABEL], {})


def _read(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError):
        hint = "restore the folder from a backup, the newest"
        raise DataError(source=str(path), problem="cannot be read", hint=hint) from None

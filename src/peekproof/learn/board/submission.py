"""What a team hands in: a prediction for every row of both phases."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.learn.blank import blank_labels
from peekproof.learn.board.phases import TEXT
from peekproof.learn.board.tables import ID, as_numbers, as_texts, named, no_numbers, table_of
from peekproof.learn.board.unpacking import is_zip, unpacked
from peekproof.learn.column import Predictions, predictions_of
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.kinds import IN_ROW, place_of

PREDICTION = "prediction"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """Predictions for the rows of both phases. Nothing about labels is in it.

    `every` are all of them in the order of ids, in which no phase can be told from the other.
    """

    public: Predictions
    final: Predictions
    every: Predictions

    @property
    def digest(self) -> str:
        """The same for the same predictions, wherever they come from."""
        return hashlib.sha256(f"{self.public.digest}{self.final.digest}".encode()).hexdigest()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads submissions for the rows of a board."""

    public: Sequence[str]
    final: Sequence[str]
    kind: str

    def read(self, given: object) -> Submission:
        """A mapping from id to prediction, a frame, a file, or a zip with one."""
        if isinstance(given, str | Path) and is_zip(Path(given)):
            with unpacked(Path(given)) as folder:
                return self._aligned(predictions_file(folder))
        return self._aligned(given)

    def _aligned(self, given: object) -> Submission:
        table = table_of(given, argument="predictions", value=PREDICTION)
        wanted = pl.DataFrame({ID: [*self.public, *self.final]})
        # In an order that does not tell which phase a row is of.
        surplus = table.join(wanted, on=ID, how="anti")[ID].sort()
        missing = wanted.join(table, on=ID, how="anti")[ID].sort()
        for ids, what in ((missing, "none for"), (surplus, "some for unknown ids:")):
            if ids.len():
                raise InvalidInput(
                    argument="predictions",
                    accepted=f"one for each of the {wanted.height:,} ids of the board",
                    given=f"{what} {named(ids)}",
                )
        column = wanted.join(table, on=ID, how="left", maintain_order="left")[PREDICTION]
        text = self.kind == TEXT
        values = as_texts(column) if text else as_numbers(column)
        if values is None or (text and column.dtype.is_float()):  # 1.0 and NaN are no class's name
            ids = table[ID] if text else table[ID].filter(no_numbers(table[PREDICTION]))
            raise InvalidInput(
                argument="predictions",
                accepted=f"{'texts' if text else 'finite numbers'}, as the labels are",
                given=f"{'numbers' if text else 'others'} for {named(ids.sort())}",
            )
        cut, sorted_ids = len(self.public), wanted[ID].arg_sort().to_numpy()
        return Submission(
            predictions_of(values[:cut], rows=cut),
            predictions_of(values[cut:], rows=len(self.final)),
            predictions_of(values[sorted_ids], rows=wanted.height),
        )

    def check(self, metric: Metric, given: Submission) -> None:
        """Refuse what the metric cannot score, in either phase.

        If it was refused for rows of the public phase alone, that would tell which they are.
        """
        blank = blank_labels(rows=given.every.rows, text=self.kind == TEXT)
        try:
            metric.check(blank, given.every)
        except InvalidInput as refused:
            ids = sorted([*self.public, *self.final])  # the rows of `every`
            refused.given = IN_ROW.sub(lambda row: f" for {ids[place_of(row)]!r}", refused.given)
            raise


def predictions_file(folder: Path) -> Path:
    """The file of predictions in a folder: predictions.csv, or the only table there."""
    tables = sorted(
        each
        for each in folder.rglob("*")
        if each.suffix.lower() in (".csv", ".tsv", ".parquet", ".pq") and _plain(each)
    )
    preferred = [each for each in tables if each.stem == "predictions"]
    found = preferred or tables
    if len(found) != 1:
        raise InvalidInput(
            argument="predictions",
            accepted="one file predictions.csv (or .tsv, .parquet)",
            given=f"{len(found)} tables",
        )
    return found[0]


def _plain(path: Path) -> bool:
    """Whether it is a file itself; a link could lead to what is not the team's."""
    return path.is_file() and not path.is_symlink()

"""Holdouts that a gateway serves: rows with labels, and the predictions that come for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import DataError, InvalidInput, PeekproofError
from peekproof.data.load import is_address, is_pattern, normal_frame, shown
from peekproof.learn.column import Labels, Predictions, blank_labels, predictions_of
from peekproof.learn.held import HeldRows
from peekproof.learn.label_file import RowIds
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.named import metric_of
from peekproof.learn.opening import held_rows
from peekproof.mechanisms.base import every_mechanism
from peekproof.server import messages
from peekproof.server.settings import Dataset

METRIC = "accuracy"
# What other promises are made by; a holdout checks guesses.
_NOT_FOR_HOLDOUTS = ("rounds", "failures", "tolerance")
_FOR_HOLDOUTS = ("id", "groups", "metric")
# What scores, comparisons and choices of the best ask for.
_SCORES_ARE = frozenset({"share", "mean", "pairs", "choice"})


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ServedHoldout:
    """The rows, and what is public of them besides the plan.

    `blank` has the kind and the number of the labels: requests are checked by these alone.
    """

    held: HeldRows
    blank: Labels
    ids: RowIds | None
    metric: Metric


def check_holdouts(datasets: Sequence[Dataset]) -> None:
    """Refuse settings that contradict each other, before any ledger is made."""
    for each in datasets:
        if each.label is None:
            _check_none(each, _FOR_HOLDOUTS, "given together with label, which makes a holdout")
            continue
        _check_none(each, _NOT_FOR_HOLDOUTS, "left out for a holdout, which checks guesses")
        if each.mechanism and each.mechanism not in (by := _for_holdouts()):
            raise InvalidInput(
                argument=f"{each.name}: mechanism",
                accepted=f"{', '.join(by)}, or left out, for a holdout",
                given=repr(each.mechanism),
            )
        metric_of(each.metric or METRIC)


def _for_holdouts() -> list[str]:
    """The mechanisms that check guesses about all that scores are drawn from."""
    every = every_mechanism().items()
    return [name for name, kind in every if kind.guesses and kind.takes >= _SCORES_ARE]


def hold(dataset: Dataset) -> ServedHoldout:
    """The rows of a holdout, in the order of their file, which predictions are in."""
    source, label = dataset.source, dataset.label or ""
    if is_address(source) or is_pattern(source):
        raise DataError(
            source=shown(source),
            problem="cannot be a holdout: its rows have no order of their own",
            hint="name one CSV or Parquet file",
        )
    frame = normal_frame(source)
    _check_columns(frame, [label, *dataset.groups, *([dataset.id] if dataset.id else [])], source)
    try:
        ids = RowIds(frame[dataset.id].to_list()) if dataset.id else None
        held = held_rows(
            None if ids is None else ids.texts,
            frame[label],
            {name: frame[name] for name in dataset.groups},
        )
    except PeekproofError as error:
        error.add_note(f"in the columns of {source}")
        raise
    return ServedHoldout(
        held=held,
        blank=blank_labels(rows=held.rows, text=held.labels.text, order=held.labels.order),
        ids=ids,
        metric=metric_of(dataset.metric or METRIC),
    )


def _check_none(dataset: Dataset, names: Sequence[str], accepted: str) -> None:
    for name in names:
        if getattr(dataset, name):
            raise InvalidInput(
                argument=f"{dataset.name}: {name}",
                accepted=accepted,
                given=str(getattr(dataset, name))[:80],
            )


def _check_columns(frame: pl.DataFrame, wanted: Sequence[str], source: str) -> None:
    for name in wanted:
        if name not in frame.columns:
            raise DataError(
                source=source,
                problem=f"has no column {name!r}",
                hint=f"it has {', '.join(frame.columns[:20])}",
            )
    if len(set(wanted)) < len(wanted):
        raise InvalidInput(
            argument="groups",
            accepted="other columns than label and id, each once",
            given=", ".join(wanted)[:80],
        )


_DOUBLE = np.dtype("<f8")

Values = npt.NDArray[np.float64] | npt.NDArray[np.str_]


def read_predictions(
    given: messages.Predictions, holdout: ServedHoldout, *, most: int
) -> Predictions:
    """The predictions in the order of rows; texts may take `most` characters side by side."""
    said = messages.Arranged(values=given) if isinstance(given, list) else given
    values, rows = _values(said, most=most), holdout.held.rows
    if said.ids is not None:
        if holdout.ids is None:
            raise InvalidInput(
                argument="ids",
                accepted="left out: this holdout has none, its rows have an order",
                given=f"{len(said.ids):,} ids",
            )
        order = holdout.ids.places(said.ids)
        if len(values) == rows:  # else refused below, in the words for it
            values = values[order]
    return predictions_of(values, rows=rows)


def _values(said: messages.Arranged, *, most: int) -> Values:
    if (said.values is None) == (said.doubles is None):
        raise InvalidInput(
            argument="predictions", accepted="values, or else doubles", given="both or neither"
        )
    if said.doubles is not None:
        return _unpacked(said.doubles, said.columns)
    return _listed(said.values or [], most=most)


def _unpacked(packed: bytes, columns: int) -> Values:
    if len(packed) % (_DOUBLE.itemsize * columns):
        raise InvalidInput(
            argument="doubles",
            accepted=f"8 bytes a number, {columns:,} to a row",
            given=f"{len(packed):,} bytes",
        )
    found = np.frombuffer(packed, dtype=_DOUBLE).astype(np.float64)
    return found if columns == 1 else found.reshape(-1, columns)


def _listed(values: Sequence[messages.Predicted], *, most: int) -> Values:
    """An array of one kind: what is mixed would be read as something else than was meant."""
    kinds = {bool if isinstance(each, bool) else type(each) for each in values}
    if kinds == {str}:
        texts = [each for each in values if isinstance(each, str)]
        _check_texts(texts, most=most)
        return np.array(texts, dtype=np.str_)
    if kinds <= {float, bool} or kinds == {list}:
        try:
            return np.array(values, dtype=np.float64)
        except ValueError:  # rows of different lengths
            kinds = {list, float}
    raise InvalidInput(
        argument="predictions",
        accepted="all of them numbers, or all texts, or as many numbers for every row",
        given="a mixture",
    )


def _check_texts(texts: Sequence[str], *, most: int) -> None:
    if len(texts) * max(map(len, texts)) > most:
        raise InvalidInput(
            argument="predictions",
            accepted=f"texts that are at most {most // len(texts):,} characters long",
            given="a longer one",
        )
    if any("\0" in each for each in texts):
        raise InvalidInput(
            argument="predictions", accepted="texts of printable characters", given="a zero byte"
        )

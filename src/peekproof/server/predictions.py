"""Predictions as requests give them, as columns: all that is wrong with them is told for free."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Predictions, predictions_of
from peekproof.server import messages
from peekproof.server.holdouts import ServedHoldout

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

"""Ids of rows: public names by which predictions find their rows in any order."""

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput

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

"""Answers as rows of a table, one row a number, and as a pandas data frame."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.shown import visible

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("question", "cell", "value", "low", "high", "radius", "confidence", "replayed")

# Of what these say, there may be nothing to say.
_FLOATS = (
    "value", "low", "high", "radius", "confidence", "lowest_level", "highest_level", "gap",
    "share", "share_low", "share_high",
)  # fmt: skip


@runtime_checkable
class Tabular(Protocol):
    """What has rows: an answer, and what follows from answers."""

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number, as values by the names of columns."""
        ...


def number_row(
    *,
    question: str,
    cell: str = "",
    value: float | None,
    ends: tuple[float, float] | None,
    radius: float | None,
    confidence: float,
    replayed: bool,
    **more: object,
) -> dict[str, object]:
    """The row of one number; what has no interval of its own has `more` to say what is certain."""
    low, high = (None, None) if ends is None else ends
    row = (question, cell, value, low, high, radius, confidence, replayed)
    return {**dict(zip(COLUMNS, row, strict=True)), **more}


def to_pandas(answers: Tabular | Iterable[Tabular]) -> "DataFrame":
    """One answer or many as a pandas data frame, one row a number.

    Columns: question, cell (empty for a single number), value, low, high, radius, confidence,
    replayed. Quantiles add lowest_level and highest_level; choices have the chosen candidate as
    their cell and add gap; what is grouped adds share, share_low and share_high, the size of the
    cell. A number that an answer does not have is missing; an end that nothing bounds is infinite.
    What is not printable in a question or a cell is spelled out; `to_dicts` has it as it is.
    """
    rows = [row for each in _listed(answers) for row in each.to_dicts()]
    return frame(rows, columns=COLUMNS)


def frame(rows: Sequence[Mapping[str, object]], *, columns: Sequence[str]) -> "DataFrame":
    """A pandas data frame with these columns first; others come in the order of the rows.

    Codes that a terminal or a notebook would obey are spelled out: frames are there to be shown.
    """
    try:
        import pandas as pd  # noqa: PLC0415 (optional, and slow to import)
    except ImportError as error:
        raise DataError(
            source="to_pandas",
            problem="needs pandas, which is not installed",
            hint="pip install pandas, or use to_dicts()",
        ) from error
    found = {name: None for row in rows for name in row}
    names = [*columns, *(name for name in found if name not in columns)]
    made = pd.DataFrame([[_seen(row.get(name)) for name in names] for row in rows], columns=names)
    return made.astype({name: float for name in names if name in _FLOATS})


def _seen(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


def _listed(answers: object) -> list[Tabular]:
    if isinstance(answers, Tabular) and not isinstance(answers, type):
        return [answers]
    if not isinstance(answers, Iterable) or isinstance(answers, str | bytes | Mapping):
        raise _no_answer(answers)
    found = []
    for each in answers:
        if not isinstance(each, Tabular) or isinstance(each, type):
            raise _no_answer(each)
        found.append(each)
    return found


def _no_answer(given: object) -> InvalidInput:
    return InvalidInput(
        argument="answers", accepted="an answer, or a list of answers", given=repr(given)[:80]
    )

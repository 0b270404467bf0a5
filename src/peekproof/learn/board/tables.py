"""Tables with an id for each row: of labels, and of predictions."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import cast

import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.data.files import PARQUET, SEPARATORS
from peekproof.learn.column import Numbers, Texts

ID = "id"
_MOST_NAMED = 3
_EXACT = 2**53


def table_of(given: object, *, argument: str, value: str) -> pl.DataFrame:
    """A frame with a column `id` of texts, each once, and a column `value` without gaps.

    Of a file all cells are text: what they stand for is for the caller to say.
    """
    frame = _frame(given, argument, value)
    missing = [name for name in (ID, value) if name not in frame.columns]
    if missing:
        raise InvalidInput(
            argument=argument,
            accepted=f"a table with the columns {ID} and {value}",
            given=f"one with {', '.join(frame.columns[:8]) or 'none'}",
        )
    ids = frame[ID]
    if ids.dtype.is_float() or ids.dtype.is_nested():
        raise InvalidInput(
            argument=argument,
            accepted="a table whose ids are text or integers",
            given=f"ids of {ids.dtype}",
        )
    frame = frame.with_columns(ids.cast(pl.String))
    if frame[value].dtype in (pl.Categorical, pl.Enum):  # texts, whatever stands for them
        frame = frame.with_columns(frame[value].cast(pl.String))
    if not frame.height:
        raise InvalidInput(argument=argument, accepted="at least one row", given="none")
    if frame[ID].null_count() or frame[value].null_count():
        without = frame[ID].filter(frame[value].is_null()).drop_nulls()
        raise InvalidInput(
            argument=argument,
            accepted=f"an {ID} and a {value} in every row",
            given=f"no {value} for {named(without)}" if without.len() else f"a row without an {ID}",
        )
    twice = frame[ID].filter(frame[ID].is_duplicated()).unique(maintain_order=True)
    if twice.len():
        raise InvalidInput(
            argument=argument, accepted="every id once", given=f"{named(twice)} more than once"
        )
    return frame


def named(ids: pl.Series) -> str:
    """A few ids, for an error."""
    few = ", ".join(repr(each) for each in ids.head(_MOST_NAMED).to_list())
    return few if ids.len() <= _MOST_NAMED else f"{few} and {ids.len() - _MOST_NAMED:,} others"


def as_numbers(column: pl.Series) -> Numbers | None:
    """The values as doubles, true and false as 1 and 0; None if some are no finite numbers.

    None, too, if some are written in full and too large for doubles to tell from their neighbours.
    """
    if no_numbers(column).any():
        return None
    return cast(Numbers, column.cast(pl.Float64).to_numpy())


def no_numbers(column: pl.Series) -> pl.Series:
    """Which values `as_numbers` does not take."""
    if column.dtype.is_nested() or column.dtype.is_temporal():
        return pl.repeat(True, len(column), eager=True)
    found = column.cast(pl.Float64, strict=False)
    wrong = ~found.is_finite().fill_null(False)
    return wrong if column.dtype.is_float() else wrong | (found.abs() >= _EXACT).fill_null(True)


def as_texts(column: pl.Series) -> Texts:
    return cast(Texts, column.cast(pl.String).to_numpy().astype(str))


def _frame(given: object, argument: str, value: str) -> pl.DataFrame:
    if isinstance(given, str | Path):
        return _read(Path(given))
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, Mapping):
        if set(given) >= {ID, value} and not isinstance(given[ID], str | int | float):
            columns: Mapping[str, object] = given
        else:  # from id to value
            columns = {ID: [str(each) for each in given], value: list(given.values())}
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):  # a pandas frame
        columns = {str(name): given[name].tolist() for name in given.columns}  # type: ignore[index]
    else:
        raise InvalidInput(
            argument=argument,
            accepted=f"a file or a frame with the columns {ID} and {value}",
            given=f"a {type(given).__name__}",
        )
    try:
        return pl.DataFrame(columns)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        accepted = "columns of equal length and of one kind each"
        raise InvalidInput(argument=argument, accepted=accepted, given=_others(columns)) from None


def _others(columns: Mapping[str, object]) -> str:
    """What is wrong with columns that are no table: the first value of another kind, by its id."""
    lists = {name: list(each) for name, each in columns.items() if isinstance(each, Iterable)}
    lengths = {name: len(each) for name, each in lists.items()}
    if len(set(lengths.values())) > 1:
        return ", ".join(f"{count:,} in {name}" for name, count in lengths.items())[:120]
    for name, values in lists.items():
        kinds = [_kind(each) for each in values]
        first = next((each for each in kinds if each), "")
        for place, kind in enumerate(kinds):
            if kind and kind != first:
                whose = f" for {lists[ID][place]!r}"[:60] if ID in lists else ""
                return f"{values[place]!r:.40}{whose}, {kind} after {first} in column {name}"
    return "others"


def _kind(value: object) -> str:
    """What a value is, in words; nothing of one that is missing."""
    match value:
        case None:
            return ""
        case bool():
            return "true or false"
        case str():
            return "text"
        case Integral():
            return "a whole number"
        case Real():
            return "a decimal number"
        case _:
            return f"a {type(value).__name__}"


def _read(path: Path) -> pl.DataFrame:
    ending = path.suffix.lower()
    try:
        if ending in PARQUET:
            return pl.read_parquet(path)
        if ending in SEPARATORS:
            return pl.read_csv(path, separator=SEPARATORS[ending], infer_schema=False)
        problem = "is of no kind that is read here"
    except (OSError, pl.exceptions.PolarsError) as error:
        problem = f"cannot be read ({str(error).splitlines()[0][:120]})"
    raise DataError(source=str(path), problem=problem, hint="name a CSV, TSV or Parquet file")

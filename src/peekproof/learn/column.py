"""Labels and predictions as columns of one of two kinds, numbers or text, in the order of rows."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import InvalidInput

Numbers = npt.NDArray[np.float64]
Texts = npt.NDArray[np.str_]
_EXACT = 2**53
_FIRST_HALF, _LAST_HALF = 0xD800, 0xDFFF  # of characters that UTF-16 writes as two


@final
@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is held. Public: how many rows, whether they are numbers or text, and `classes`.

    `order` names the order of the rows, where their ledger knows them in any: the same predictions
    in another order are others. `classes` are those that their owner declared, if any. They are
    never read off the rows: whether a class occurs there is not public.
    """

    values: Numbers | Texts = field(repr=False)
    order: str = ""
    classes: tuple[float | str, ...] | None = None

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def text(self) -> bool:
        return self.values.dtype.kind == "U"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What is scored: a number or a text for every row, or several numbers. All of it is public."""

    values: Numbers | Texts = field(repr=False)
    digest: str

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def text(self) -> bool:
        return self.values.dtype.kind == "U"

    def packed(self) -> object:
        """The same for a message: texts as they are, numbers bit by bit, so that none changes."""
        if self.text:
            return self.values.tolist()
        columns = self.values.shape[1] if self.values.ndim > 1 else 1
        doubles = b64encode(self.values.astype("<f8").tobytes()).decode()
        return {"doubles": doubles, "columns": columns}


def labels_of(given: object, argument: str = "y", *, classes: object = None) -> Labels:
    """The labels of a holdout, or of other rows; of `classes` that their owner declares."""
    values = _array(given, argument)
    if values.ndim != 1 or not len(values):
        raise InvalidInput(
            argument=argument, accepted="one label a row", given=f"an array of shape {values.shape}"
        )
    if classes is None:
        return Labels(values)
    declared = _declared(classes, text=values.dtype.kind == "U")
    row = first_other(values, declared)
    if row is not None:
        raise InvalidInput(
            argument=argument,
            accepted=f"labels of the declared classes, {some_classes(declared)}",
            given=f"{values[row].item()!r} in row {row:,} (from 0)"[:80],
        )
    return Labels(values, classes=declared)


def blank_labels(
    *,
    rows: int,
    text: bool,
    order: str = "",
    classes: tuple[float | str, ...] | None = None,
) -> Labels:
    """Zeros or empty texts: what is public of labels, their number, kind, order and classes.

    What is refused by these is refused whatever the real labels are.
    """
    return Labels(np.full(rows, "", dtype=np.str_) if text else np.zeros(rows), order, classes)


def first_other(values: Numbers | Texts, classes: Iterable[float | str]) -> int | None:
    """The first row, counted from 0, that is none of these classes; None if there is none."""
    kind = np.str_ if values.dtype.kind == "U" else np.float64
    other = ~np.isin(values, np.array(list(classes), dtype=kind))
    return int(other.argmax()) if other.any() else None


def some_classes(classes: tuple[float | str, ...]) -> str:
    """A few classes, for a message."""
    few = ", ".join(f"{each:g}" if isinstance(each, float) else repr(each) for each in classes[:8])
    return few if len(classes) <= 8 else f"{few} and {len(classes) - 8:,} others"


def _declared(classes: object, *, text: bool) -> tuple[float | str, ...]:
    """Classes as labels are: all numbers or all texts, at least one, each once."""
    found = _array(list(classes) if isinstance(classes, Iterable) else classes, "classes")
    wanted = "U" if text else "f"
    plain: tuple[float | str, ...] = tuple(cast(list[Any], found.reshape(-1).tolist()))
    if isinstance(classes, str) or found.ndim != 1 or found.dtype.kind != wanted or not plain:
        kind = "texts" if text else "numbers"
        raise InvalidInput(
            argument="classes",
            accepted=f"a list of {kind}, which the labels are",
            given=repr(classes)[:80],
        )
    if len(set(plain)) < len(plain):
        raise InvalidInput(argument="classes", accepted="each once", given=repr(classes)[:80])
    return plain


def index_of(given: object) -> Any:
    """The index by which pandas names the rows of it; None if it has none."""
    index = getattr(given, "index", None)
    return index if callable(getattr(index, "equals", None)) else None


def check_index(given: object, index: Any, argument: str, *, rows: str) -> None:
    """Refuse what has an index that is not, place by place, this one: its rows may be others.

    Without one to compare with, rows are numbered from 0. Nothing is aligned: an index that was
    reset, or that others share, would put values in rows they are not for, and nobody would see it.
    """
    own = index_of(given)
    if own is None:
        return
    places = range(len(own)) if index is None else index
    if len(own) != len(places):
        return  # refused elsewhere, by how many there are
    if index.equals(own) if index is not None else list(own) == list(places):
        return
    row = next((row for row, each in enumerate(own) if each != places[row]), 0)
    found, wanted = (_plain(each[row]) for each in (own, places))
    raise InvalidInput(
        argument=argument,
        accepted=f"in the order of {rows}, by its index",
        given=f"index {found!r} in row {row:,} (from 0), where {wanted!r} belongs"[:120],
        hint=f"bring them into that order, or give {argument}.to_numpy() if they are in it",
    )


def predictions_of(given: object, *, rows: int) -> Predictions:
    """Predictions for so many rows; the same ones have the same digest wherever they are made."""
    values = _array(given, "predictions")
    if values.ndim not in (1, 2) or len(values) != rows:
        raise InvalidInput(
            argument="predictions",
            accepted=f"one for each of the {rows:,} rows, in their order",
            given=f"an array of shape {values.shape}",
        )
    plain = np.ascontiguousarray(values)
    # UTF-32 of the longest text: the width must not change what the same texts are called.
    texts = plain.dtype.kind == "U"
    content = json.dumps(plain.tolist()).encode() if texts else plain.tobytes()
    head = f"{plain.dtype.kind}{plain.shape}".encode()
    return Predictions(cast(Numbers | Texts, plain), hashlib.sha256(head + content).hexdigest())


def _array(given: object, argument: str) -> Numbers | Texts:
    """An array of doubles or of text; true and false are 1 and 0."""
    if isinstance(given, pl.Series | pl.DataFrame) or hasattr(given, "to_numpy"):
        given = cast(pl.Series, given).to_numpy()
    if np.ma.is_masked(given):
        accepted = "without missing values"
        raise InvalidInput(argument=argument, accepted=accepted, given="some that are masked")
    try:
        found = np.asarray(given)
        if found.dtype.kind == "U" and not isinstance(given, np.ndarray):
            found = np.array(given, dtype=object)  # of a list, numbers among texts are no texts
        if found.dtype.kind in "iuO" and _too_large(found):
            raise InvalidInput(
                argument=argument,
                accepted="whole numbers below 2^53, which doubles tell apart, or text",
                given="a larger one",
            )
        if found.dtype.kind == "O":
            _refuse_missing(found, argument)
            every = [type(each) for each in found.ravel()]
            found = found.astype(np.str_ if every and set(every) <= {str, np.str_} else np.float64)
        elif found.dtype.kind in "biuf":
            found = found.astype(np.float64)
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError):
        raise _unusable(argument, given) from None
    if found.dtype.kind not in "fU":
        raise _unusable(argument, given)
    if found.dtype.kind == "U":
        # A copy: what is held, and what has a digest, is changed by nobody.
        own = np.array(found, dtype=found.dtype.newbyteorder("="), order="C")
        codes = own.reshape(-1).view(np.uint32)
        if np.any((codes >= _FIRST_HALF) & (codes <= _LAST_HALF)):
            raise InvalidInput(
                argument=argument, accepted="text of whole characters", given="half of one"
            )
        return own
    _refuse_missing(found, argument)
    return found + 0.0  # a copy, too, in which −0 and 0 are the same prediction


def _plain(each: Any) -> object:
    """A value of an array as Python has it."""
    return each.item() if isinstance(each, np.generic) else each


def _refuse_missing(found: npt.NDArray[Any], argument: str) -> None:
    """Refuse None, NaN and infinities, by the row that they are in."""
    if found.dtype.kind == "O":
        # What is missing differs from itself (NaN, NaT), or says so of itself (None, pandas.NA).
        plain = found.ravel().tolist()
        missing = np.array([_is_missing(each) for each in plain], dtype=bool).reshape(found.shape)
    else:
        missing = ~np.isfinite(found)
    if missing.any():
        row = int(np.argwhere(missing)[0][0]) if missing.ndim else 0
        raise InvalidInput(
            argument=argument,
            accepted="finite numbers, or text",
            given=f"one that is missing or infinite, in row {row:,} (from 0)",
        )


def _is_missing(each: object) -> bool:
    if each is None or type(each).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(each, float | np.floating) and not np.isfinite(each)


def _too_large(found: npt.NDArray[Any]) -> bool:
    """Whether a whole number among them has a neighbour that the same double stands for."""
    if found.dtype.kind == "O":
        return any(
            isinstance(each, int | np.integer) and abs(int(each)) >= _EXACT
            for each in found.ravel()
        )
    return bool(np.any(np.greater_equal(found, _EXACT) | np.less_equal(found, -_EXACT)))


def has_half_characters(text: str) -> bool:
    """Whether there are surrogates: two of them are written as the character they stand for is,
    and yet they are another text, so that one digest would name both."""
    return any(_FIRST_HALF <= ord(each) <= _LAST_HALF for each in text)


def _unusable(argument: str, given: object) -> InvalidInput:
    return InvalidInput(
        argument=argument,
        accepted="an array of numbers or of text, one for each row",
        given=f"a {type(given).__name__}, which is none",
    )

"""Labels and predictions as columns of one of two kinds, numbers or text, in the order of rows."""

import hashlib
import json
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
    """What is held. Public: how many rows, and whether they are numbers or text.

    `order` names the order of the rows, where their ledger knows them in any: the same predictions
    in another order are others.
    """

    values: Numbers | Texts = field(repr=False)
    order: str = ""

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


def labels_of(given: object, argument: str = "y") -> Labels:
    """The labels of a holdout, or of other rows."""
    values = _array(given, argument)
    if values.ndim != 1 or not len(values):
        raise InvalidInput(
            argument=argument, accepted="one label a row", given=f"an array of shape {values.shape}"
        )
    return Labels(values)


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
    if not np.isfinite(found).all():
        raise InvalidInput(
            argument=argument, accepted="finite numbers, or text", given="one that is missing"
        )
    return found + 0.0  # a copy, too, in which −0 and 0 are the same prediction


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

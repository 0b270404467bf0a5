"""Marks of the columns of a table, by which it is recognised under other names and types.

Values are taken as 32-bit floats, true and false as 1 and 0, so that rounding to them, or another
type for the same numbers, changes nothing. Marks are sums of hashes, so rows may come in pieces.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.shared_columns import ENOUGH, ColumnMark, bits_of_counts, bits_of_order
from peekproof.data.fingerprint import CHUNK, NULL, Words, mixed, words_of

_SAMPLE = 4096  # rows that tell whether a column is one of measurements
_DIFFERENT = 1 << 16  # values; a column of more that are no fractions is a key
_FEW = 64  # values of a column whose order is looked at in any case
_SHARE_OF_FEW = 4  # and a quarter of its rows where that is more
_LONGEST = 64  # period of an order that somebody has chosen
_EVEN = 1e-6  # how exactly evenly spaced numbers have the variance of such
_WINDOW = 8192  # neighbouring values that tell whether spacings are random
_LEAST = 16  # of them
_SMOOTH = 0.25  # |ln| of the quotient of neighbouring spacings; of random ones half are above ln 3
_ORDER = np.uint64(0x9E37_79B9_7F4A_7C15)


@final
class ColumnMarks:
    """The marks of all columns of rows that come in pieces."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._rows = 0

    def add(
        self, frame: pl.DataFrame, words: Mapping[str, Words], beside: Words | None = None
    ) -> None:
        """Take in more rows; `words` are those of the columns that the fingerprint has found.

        With words `beside` them, marks are of the pairs of these and the values.
        """
        for column in frame.get_columns():
            held = self._columns.setdefault(column.name, _Column())
            # Polars would read a name ^…$ as a pattern.
            held.add(column.alias(""), words[column.name], beside)
        self._rows += frame.height

    def found(self) -> list[ColumnMark]:
        """The marks of columns whose values tell something, in any order."""
        marks = (
            ColumnMark(
                _named("values", self._rows, each.total),
                each.bits(self._rows),
                name,
                few=bool(each.few(self._rows)),
            )
            for name, each in self._columns.items()
        )
        return [each for each in marks if each.bits > 0]

    def counts(self, name: str) -> Sequence[int]:
        """How often each value of a column is there, if it has few."""
        return self._columns[name].few(self._rows)


@final
class _Column:
    """What is known of one column after some pieces."""

    def __init__(self) -> None:
        self.total = 0
        self._measured: bool | None = None
        self._counts: Counter[int] | None = Counter()
        self._sample: Words = np.empty(0, np.uint64)
        self._shift, self._sum, self._squares = 0.0, 0.0, 0.0
        self._low, self._high = math.inf, -math.inf
        self._between, self._near = (-math.inf, math.inf), np.empty(0)

    def add(self, column: pl.Series, words: Words, beside: Words | None) -> None:
        if not len(words):
            return
        if self._measured is None:
            self._begin(column, words, beside)
        counted = self._counts is not None and not self._measured
        seen: list[Words] = []
        # In chunks that stay in the caches of a processor.
        for start in range(0, len(words), CHUNK):
            piece = column.slice(start, CHUNK)
            chunk = canonical(piece, words[start : start + CHUNK])
            if beside is not None:
                chunk = chunk ^ beside[start : start + CHUNK]
            self.total = (self.total + int(mixed(chunk).sum(dtype=np.uint64))) % 2**64
            if self._measured:
                self._measure(piece)
            elif counted:
                seen.append(chunk)
        if seen:
            self._count(seen)

    def _begin(self, column: pl.Series, words: Words, beside: Words | None) -> None:
        """See in the first piece whether values are measured, or a key."""
        rows = len(words)
        chosen = np.unique(np.random.default_rng(0).integers(0, rows, _SAMPLE))
        kept = slice(None) if rows <= _SAMPLE else chosen
        some = column if rows <= _SAMPLE else column.gather(chosen)
        self._sample = canonical(some, words[kept])
        mostly = len(np.unique(self._sample)) > len(some) / 2
        if beside is not None:
            self._sample = self._sample ^ beside[kept]
        self._measured = False
        if column.dtype == pl.Float64:
            values = some.drop_nulls().to_numpy()
            fractions = bool(np.any(values != np.round(values)))
            self._measured = mostly and fractions
            self._shift = float(values[0]) if len(values) else 0.0
        if mostly and not self._measured and rows > _SAMPLE:
            self._counts = None  # a key: its values are different, and somebody has chosen them

    def _count(self, seen: Sequence[Words]) -> None:
        found = pl.Series("word", np.concatenate(seen)).value_counts()
        if self._counts is None or found.height > _DIFFERENT:
            self._counts = None
            return
        self._counts.update(dict(found.iter_rows()))
        if len(self._counts) > _DIFFERENT:
            self._counts = None

    def _measure(self, column: pl.Series) -> None:
        values = (column.drop_nulls() if column.has_nulls() else column).to_numpy()
        if not len(values):
            return
        with np.errstate(all="ignore"):
            moved = values - self._shift
            self._sum += float(moved.sum())
            self._squares += float(np.square(moved, out=moved).sum())
        self._low = min(self._low, float(values.min()))
        self._high = max(self._high, float(values.max()))
        self._look_near(values)

    def _look_near(self, values: npt.NDArray[np.float64]) -> None:
        """Keep all values between two bounds, which come closer while there are too many."""
        low, high = self._between
        self._near = np.concatenate([self._near, values[(values >= low) & (values <= high)]])
        while len(self._near) > _WINDOW:
            self._near.sort()
            rest = len(self._near) // 4
            low, high = float(self._near[rest]), float(self._near[-rest])
            kept = self._near[(self._near >= low) & (self._near <= high)]
            if len(kept) == len(self._near):  # most are the same number
                kept = kept[:0]
                low = high = math.nan
            self._between, self._near = (low, high), kept

    def _smooth(self) -> bool:
        """Whether numbers lie as on a curve, as grids and transformed ranks do, in any order.

        Spacings of a sample are random: of two neighbouring ones, one is three times the other or
        more as often as not. Ties, too, are the work of a sample.
        """
        with np.errstate(all="ignore"):  # numbers may be infinite
            spacings = np.diff(np.sort(self._near))
        if len(spacings) < _LEAST or not (spacings > 0).all() or not np.isfinite(spacings).all():
            return False
        return bool(np.median(np.abs(np.diff(np.log(spacings)))) < _SMOOTH)

    def few(self, rows: int) -> Sequence[int]:
        """How often each value is there, if they are few for so many rows."""
        known = self._counts if self._counts and not self._measured else {}
        return list(known.values()) if len(known) <= max(_FEW, rows // _SHARE_OF_FEW) else []

    def bits(self, rows: int) -> float:
        """How much the values of this column tell, in any order."""
        if self._measured:
            if self._spaced(rows) or self._smooth():
                return 0.0
            _, counts = np.unique(self._sample, return_counts=True)
            return bits_of_counts(counts.tolist())
        if not self._counts:
            return 0.0
        times = list(self._counts.values())
        # All as often as each other, give or take one: somebody has chosen them.
        return bits_of_counts(times) if max(times) - min(times) > 1 else 0.0

    def _spaced(self, rows: int) -> bool:
        """Whether numbers are evenly spaced, in whatever order, as ranks and grids are."""
        mean, width = self._sum / rows, self._high - self._low
        variance = self._squares / rows - mean * mean
        if not (math.isfinite(variance) and 0 < width < math.inf and rows > 1):
            return True  # nothing is certain about it, so it tells nothing
        expected = width * width / 12 * (rows + 1) / (rows - 1)
        middle = (self._low + self._high) / 2 - self._shift
        near = abs(mean - middle) <= _EVEN * width
        return near and abs(variance / expected - 1) <= _EVEN


def order_mark(name: str, words: Words, counts: Sequence[int]) -> ColumnMark | None:
    """The mark of a column of few values in their order; None if the order tells nothing.

    It tells nothing if it is sorted, in blocks or periodic, or if values mostly follow from the
    ones before them, as the days of months do: then somebody has chosen it.
    """
    rows = len(words)
    runs = 1 + int(np.count_nonzero(words[1:] != words[:-1]))
    expected = 1 + rows - sum(count * count for count in counts) / rows
    chosen = any(_repeats(words, lag) for lag in range(1, _LONGEST + 1))
    if len(counts) < 2 or runs < expected / 2 or chosen or _follows(words):
        return None
    total = 0
    for start in range(0, rows, CHUNK):
        chunk = words[start : start + CHUNK]
        places = np.arange(start, start + len(chunk), dtype=np.uint64)
        total += int(mixed(chunk ^ mixed(places ^ _ORDER)).sum(dtype=np.uint64))
    return ColumnMark(_named("order", rows, total % 2**64), bits_of_order(counts), name)


def _follows(words: Words) -> bool:
    """Whether whoever knows the last value is wrong about the next half as often as others.

    What follows a value has to be seen once before it is known: after values that are there once
    or twice anything follows. Of most columns the beginning tells that it is not so.
    """
    if len(words) > CHUNK and not _follows(words[:CHUNK]):
        return False
    pairs = pl.DataFrame({"last": words[:-1], "next": words[1:]}).group_by("last", "next").len()
    knowing = pairs.group_by("last").agg(pl.col("len").max())["len"].to_numpy() - 1
    usual = pairs.group_by("next").agg(pl.col("len").sum())["len"].to_numpy()
    wrong, blind = len(words) - 1 - int(knowing.sum()), len(words) - 1 - int(usual.max())
    return wrong <= blind / 2


def _repeats(words: Words, lag: int) -> bool:
    """Whether a sequence has this period; of most the beginning tells that it has not."""
    first = words[:_SAMPLE]
    if lag >= len(words) or not np.array_equal(first[lag:], first[:-lag]):
        return False
    return np.array_equal(words[lag:], words[:-lag])


def table_marks(
    frame: pl.DataFrame, *, beside: Words | None = None, name: str | None = None
) -> list[ColumnMark]:
    """All marks of rows in memory.

    With words `beside` the values, each mark is of both; `name` is what all are then known by.
    """
    # Of a key nothing is used, and hashing all of its texts would take longest.
    kept = [each for each in frame.get_columns() if not _is_key(each.alias(""))]
    frame = pl.DataFrame({each.name: each for each in kept})
    marks, words = ColumnMarks(), {each.name: words_of(each) for each in frame.get_columns()}
    marks.add(frame, words, beside)
    found = marks.found()
    for column in frame.get_columns():
        counts = marks.counts(column.name)
        if counts:
            values = canonical(column.alias(""), words[column.name])
            mark = order_mark(column.name, values if beside is None else values ^ beside, counts)
            found += [mark] if mark else []
    return found if name is None else [replace(each, column=name) for each in found]


def rows_mark(name: str, words: Words) -> ColumnMark:
    """The mark of whole rows in any order, by a word for each.

    By itself it tells enough: whoever has the same rows has the same data, as by a fingerprint.
    """
    total = int(mixed(words).sum(dtype=np.uint64))
    return ColumnMark(_named("rows", len(words), total), ENOUGH, name)


def _is_key(column: pl.Series) -> bool:
    return column.dtype == pl.String and column.n_unique() > _DIFFERENT


def canonical(column: pl.Series, words: Words) -> Words:
    """A word a row, the same for the same number in any type and rounded to 32 bits."""
    if column.dtype == pl.Float64:
        short = short_words(
            column.fill_null(0.0).to_numpy() if column.has_nulls() else column.to_numpy()
        )
    elif column.dtype == pl.Boolean:
        short = words * np.uint64(np.float32(1.0).view(np.uint32))
    else:
        return words
    return np.where(column.is_null().to_numpy(), words, short) if column.has_nulls() else short


def short_words(numbers: npt.NDArray[np.generic]) -> Words:
    """A word for each number, rounded to 32 bits: −0 is 0, and what is no number is missing."""
    with np.errstate(all="ignore"):
        short = numbers.astype(np.float32) + np.float32(0.0)
    words = short.view(np.uint32).astype(np.uint64)
    missing = np.isnan(short)
    return np.where(missing, NULL, words) if missing.any() else words


def _named(kind: str, rows: int, total: int) -> str:
    said = f"{kind} {rows} {total}".encode()
    return hashlib.blake2b(said, digest_size=8, person=b"peekproof").hexdigest()

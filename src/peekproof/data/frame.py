"""Sampling frames: a source cut at random into parts that share no row, inside its engine.

Which part a row falls in is decided by a key that nobody knew when the rows were drawn, so each
part is a sample of the population by itself, and what is learned from one is independent of the
rows of the others. `drawn` and `chosen` say which rows of a table a part holds.
"""

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, final, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.shared_columns import Cut, Marked
from peekproof.data.fingerprint import keyed_order
from peekproof.data.source import Source, marked
from peekproof.query.schema import Kind

# Engines share the first byte of a digest, so shares are of so many buckets.
BUCKETS = 256

_KEY = 32


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The part `name` of the source with fingerprint `of`: what `key` puts into [low, high).

    Without `by`, rows are shuffled by their content, and the part has floor(high·n) − floor(low·n)
    of them. With it, the value of that column, another in every row, is hashed into one of 256
    buckets, which any engine can do row by row; the number of rows then varies as coins do.

    `columns` are what the source is recognised by, and `within` is its own frame if it is a part.
    """

    of: str
    name: str
    key: str = field(repr=False)
    by: str
    low: Fraction
    high: Fraction
    columns: Marked = field(default_factory=lambda: Marked(0), repr=False, compare=False)
    within: "Frame | None" = field(default=None, repr=False, compare=False)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """How the part was cut out of the source, and that out of others, the last cut first."""
        decides = hashlib.sha256(f"{self.key}:{self.by}".encode()).hexdigest()
        cut = Cut(of=self.of, split=decides, low=self.low, high=self.high, columns=self.columns)
        return cut, *(self.within.cuts if self.within else ())

    @property
    def buckets(self) -> frozenset[str]:
        """The first bytes, in hexadecimal digits, of the digests that belong to the part."""
        return frozenset(f"{each:02x}" for each in range(*self._ends(BUCKETS)))

    def places(self, rows: int) -> slice:
        """Which of so many shuffled rows belong to the part."""
        return slice(*self._ends(rows))

    def _ends(self, size: int) -> tuple[int, int]:
        return int(self.low * size), int(self.high * size)

    def salted(self, value: str) -> str:
        """The text whose digest decides where the row with this value goes."""
        return f"{self.key}:{value}"

    def holds(self, value: str) -> bool:
        """Whether the row with this value belongs to the part."""
        digest = hashlib.md5(self.salted(value).encode(), usedforsecurity=False).hexdigest()
        return digest[:2] in self.buckets

    def describe(self) -> dict[str, str]:
        """What the ledger records: enough to draw the same part again."""
        return {
            "of": self.of,
            "part": self.name,
            "key": self.key,
            "by": self.by,
            "low": str(self.low),
            "high": str(self.high),
        }


@runtime_checkable
class Framed(Protocol):
    """A source that can be cut into parts, or is one."""

    @property
    def frame(self) -> Frame | None: ...

    def restricted(self, frame: Frame) -> Source:
        """The rows of a part, as a source of its own."""


def split(
    source: Source,
    parts: Mapping[str, float | Fraction],
    *,
    by: str | None = None,
    key: str | None = None,
) -> dict[str, Source]:
    """The source cut at random into named parts, whose shares add up to 1 at most.

    by   a column with another value in every row, whole numbers or text. Databases need it; rows
         in memory are shuffled by their content without it
    key  that of an earlier split, to draw the same parts again; by default a new one
    """
    if not isinstance(source, Framed):
        raise InvalidInput(
            argument="source", accepted="one that can be split", given=f"a {type(source).__name__}"
        )
    drawn = secrets.token_hex(_KEY // 2) if key is None else _checked_key(key)
    frames = _frames(source, parts, by=by, key=drawn)
    with ExitStack() as opened:
        found: dict[str, Source] = {}
        for frame in frames:
            found[frame.name] = source.restricted(frame)
            opened.callback(found[frame.name].close)
        opened.pop_all()  # closed only if one of them cannot be had
    return found


def _frames(
    source: Source, parts: Mapping[str, float | Fraction], *, by: str | None, key: str
) -> list[Frame]:
    shares = {name: check.exact_number(parts=share) for name, share in parts.items()}
    if not shares or min(shares.values()) <= 0 or sum(shares.values()) > 1:
        raise InvalidInput(
            argument="parts",
            accepted="names with shares above 0 that add up to 1 at most",
            given=repr(dict(parts))[:80],
            hint="such as {'guess': 0.5, 'check': 0.5}",
        )
    if by is not None and source.schema.columns.get(by) not in (Kind.NUMBER, Kind.TEXT):
        raise InvalidInput(
            argument="by",
            accepted="a column of whole numbers or text, with another value in every row",
            given=repr(by)[:80],
        )
    found, low = [], Fraction(0)
    within = source.frame if isinstance(source, Framed) else None
    # Now, so that parts need not keep the rows of the whole.
    columns = marked(source)
    for name, share in shares.items():
        high = low + share
        found.append(
            Frame(
                of=source.fingerprint,
                name=name,
                key=key,
                by=by or "",
                low=low,
                high=high,
                columns=columns,
                within=within,
            )
        )
        low = high
    if by and not all(frame.buckets for frame in found):
        raise InvalidInput(
            argument="parts", accepted=f"of at least 1/{BUCKETS}", given=repr(dict(parts))[:80]
        )
    return found


def _checked_key(key: object) -> str:
    if not isinstance(key, str) or len(key) != _KEY or set(key) - set("0123456789abcdef"):
        raise InvalidInput(
            argument="key", accepted=f"{_KEY} hexadecimal digits", given="something else"
        )
    return key


LARGEST = 2.0**53  # beyond, doubles do not tell whole numbers apart


def needs_column() -> InvalidInput:
    """Why rows that are not in memory cannot be split without a column."""
    return InvalidInput(
        argument="by",
        accepted="a column with another value in every row, for rows that are not in memory",
        given="none",
    )


def drawn(rows: pl.DataFrame, frame: Frame) -> npt.NDArray[np.intp]:
    """The places of the part's rows, in the order of the table."""
    if not frame.by:
        return np.sort(keyed_order(rows, frame.key)[frame.places(rows.height)])
    values = rows.get_column(frame.by)
    if values.n_unique() < len(values):
        raise unsuitable(frame.by, "a value that two rows have")
    return np.flatnonzero(chosen(values, frame))


def chosen(values: pl.Series, frame: Frame) -> npt.NDArray[np.bool_]:
    """For each row whether its value puts it into the part."""
    texts = key_texts(values, frame.by)
    return np.fromiter(map(frame.holds, texts), np.bool_, len(texts))


def key_texts(values: pl.Series, by: str) -> pl.Series:
    """The values as all engines write them: text as it is, whole numbers in decimal digits."""
    if values.has_nulls():
        raise unsuitable(by, "a missing value")
    if isinstance(values.dtype, pl.String):
        return values
    numbers = values.to_numpy()
    if not (np.abs(numbers) < LARGEST).all() or (np.floor(numbers) != numbers).any():
        raise unsuitable(by, "a number that is not whole, or beyond 2⁵³")
    return values.cast(pl.Int64).cast(pl.String)


def unsuitable(by: str, given: str) -> InvalidInput:
    """Why rows cannot be split by a column."""
    return InvalidInput(
        argument="by",
        accepted="a column of whole numbers or text, with another value in every row",
        given=f"{by}, with {given}",
    )


def empty(frame: Frame) -> InvalidInput:
    """Why a part cannot be held."""
    return InvalidInput(
        argument="parts",
        accepted="shares of which each has at least one row",
        given=f"{frame.name}: {float(frame.high - frame.low):g}",
    )

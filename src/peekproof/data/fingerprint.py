"""A name for a table's content that survives copies, renames and reordering of rows.

Each row is hashed in two 64-bit lanes, the hashes are summed, and the sums are hashed with the
schema and the number of rows. Sums do not depend on order. It recognises the same data again;
it is not meant to resist someone who builds a second table to collide with the first.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

VERSION = "pp1"

Words = npt.NDArray[np.uint64]
CHUNK = 1 << 16
_LANES = 2
NULL = np.uint64(0x7FF8_0000_0000_0001)


def fingerprint(frame: pl.DataFrame) -> str:
    """The fingerprint of a normalised frame, as `pp1-` and 32 hexadecimal digits."""
    found = Fingerprint(dict(frame.schema))
    found.add(frame)
    return found.digest


@final
class Fingerprint:
    """The fingerprint of rows that come in pieces, in any order."""

    def __init__(self, schema: Mapping[str, pl.DataType]) -> None:
        self._schema = schema
        self._names = sorted(schema)
        keys = [[_key(name, lane) for lane in range(_LANES)] for name in self._names]
        self._keys = np.array(keys, np.uint64)
        self.rows = 0
        self.totals = [0] * _LANES

    def add(self, frame: pl.DataFrame) -> dict[str, Words]:
        """Take in more rows, of the same columns; their words, for what else is made of them."""
        columns = [words_of(frame.get_column(name)) for name in self._names]
        for start in range(0, frame.height, CHUNK):
            pieces = [column[start : start + CHUNK] for column in columns]
            for lane in range(_LANES):
                rows = np.zeros(len(pieces[0]), np.uint64)
                for piece, key in zip(pieces, self._keys[:, lane], strict=True):
                    rows += mixed(piece ^ key)
                self._plus(lane, int(mixed(rows).sum(dtype=np.uint64)))
        self.rows += frame.height
        return dict(zip(self._names, columns, strict=True))

    def add_totals(self, rows: int, totals: Sequence[int]) -> None:
        """Take in what another fingerprint of the same columns has added up elsewhere."""
        for lane, total in enumerate(totals):
            self._plus(lane, total)
        self.rows += rows

    def _plus(self, lane: int, total: int) -> None:
        self.totals[lane] = (self.totals[lane] + total) % 2**64

    @property
    def digest(self) -> str:
        content = {
            "columns": [[name, str(self._schema[name])] for name in self._names],
            "rows": self.rows,
            "totals": self.totals,
        }
        digest = hashlib.blake2b(json.dumps(content).encode(), digest_size=16, person=b"peekproof")
        return f"{VERSION}-{digest.hexdigest()}"


def keyed_order(frame: pl.DataFrame, key: str) -> npt.NDArray[np.intp]:
    """The rows in an order that `key` decides from their content, not from where they lie.

    Equal rows are told apart by a number among their equals, for side by side they would fill
    parts that are no samples. To whoever does not know the key, the order is a random one.
    """
    secret = bytes.fromhex(key)
    rows = np.zeros(frame.height, np.uint64)
    for name in sorted(frame.columns):
        rows += mixed(mixed(words_of(frame.get_column(name)) ^ _key(name, 0, secret)))
    together = np.argsort(rows, kind="stable")
    ordered = rows[together]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.append(starts, len(rows)))
    twin = np.empty(len(rows), np.uint64)
    twin[together] = np.arange(len(rows)) - np.repeat(starts, sizes)
    own = mixed(rows ^ _key("", 1, secret)) + mixed(mixed(twin ^ _key("", 2, secret)))
    return np.argsort(mixed(own ^ _key("", 3, secret)), kind="stable")


def _key(name: str, lane: int, secret: bytes = b"") -> np.uint64:
    digest = hashlib.blake2b(name.encode(), digest_size=8, salt=bytes([lane]), key=secret).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def mixed(words: Words) -> Words:
    """A bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def words_of(column: pl.Series) -> Words:
    """One 64-bit word a row, equal for equal values; null has a word of its own."""
    kind, column = column.dtype, column.alias("")  # Polars would read a name ^…$ as a pattern
    nulls = column.has_nulls()  # what runs through Polars' planner for nothing costs most of all
    if isinstance(kind, pl.Float64):
        plain = (column.fill_null(0.0) if nulls else column).to_numpy()
        words = (plain + 0.0).view(np.uint64)  # −0 and 0 are the same number
    elif isinstance(kind, pl.String):
        words = _text_words(column)
    else:
        integers = column.cast(pl.Int64)
        words = (integers.fill_null(0) if nulls else integers).to_numpy().astype(np.uint64)
    return np.where(column.is_null().to_numpy(), NULL, words) if nulls else words


def _text_words(column: pl.Series) -> Words:
    distinct = column.drop_nulls().unique()
    hashed = [
        int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        for text in distinct
    ]
    words = column.replace_strict(
        distinct, pl.Series(hashed, dtype=pl.UInt64), default=0, return_dtype=pl.UInt64
    )
    return words.fill_null(0).to_numpy()

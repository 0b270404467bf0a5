"""The types of the columns of a CSV file, from all of its rows but few of them at a time.

Polars infers them from all rows too, but holds on to each line meanwhile. So the file is cut
into blocks of whole records, Polars infers the types of each block, and what the blocks say is
put together as Polars puts together what rows say: the same file has the same types here and
in memory.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

BLOCK = 4 * 2**20  # bytes

_QUOTE, _NEWLINE = ord('"'), ord("\n")
_WHOLE = {pl.Int64(), pl.Int128()}
_NUMBERS = {*_WHOLE, pl.Float64()}


def csv_types(
    path: Path, separator: str, read: Callable[[bytes], None] = lambda _: None
) -> dict[str, pl.DataType]:
    """The type of each column, in the order of the file; `read` is given each block."""
    found: dict[str, set[pl.DataType]] = {}
    with path.open("rb") as file:
        header = b""
        for number, block in enumerate(_blocks(file)):
            if number == 0:
                header = _header(block)
            content = block if number == 0 else header + block
            _observe(content, separator, found)
            read(block)
    return {name: _together(types) for name, types in found.items()}


def _observe(content: bytes, separator: str, found: dict[str, set[pl.DataType]]) -> None:
    scan = pl.scan_csv(content, infer_schema_length=None, separator=separator)
    types = scan.collect_schema()
    for name in types:
        found.setdefault(name, set())
    # Text is also what Polars says of a column in which it saw nothing.
    texts = [name for name, kind in types.items() if kind == pl.String]
    doubtful = [name for name in texts if pl.String() not in found[name]]
    absent: set[str] = set()
    if doubtful:
        cells = pl.read_csv(content, infer_schema=False, separator=separator)
        absent = {name for name in doubtful if cells[name].null_count() == cells.height}
    for name, kind in types.items():
        if name not in absent:
            found[name].add(kind)


def _together(types: set[pl.DataType]) -> pl.DataType:
    if len(types) == 1:
        return next(iter(types))
    if types == _WHOLE:
        return pl.Int128()
    # All three kinds of numbers at once are text to Polars.
    return pl.Float64() if len(types) == 2 and types <= _NUMBERS else pl.String()


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """The file in blocks that end where a record does, each of at least one record."""
    rest = b""
    while more := file.read(BLOCK):
        block = rest + more
        end = _end_of_record(block, first=False)
        if end:
            yield block[:end]
        rest = block[end:]
    if rest:
        yield rest


def _header(block: bytes) -> bytes:
    """The first record; Polars passes over empty lines before it."""
    empty = len(block) - len(block.lstrip(b"\r\n"))
    return block[: empty + _end_of_record(block[empty:], first=True)]


def _end_of_record(block: bytes, *, first: bool) -> int:
    """Behind the first or last line end outside of quotes; 0, or all for the first, if none."""
    signs = np.frombuffer(block, np.uint8)
    outside = np.cumsum(signs == _QUOTE, dtype=np.uint8) % 2 == 0
    ends = np.flatnonzero((signs == _NEWLINE) & outside)
    if len(ends) == 0:
        return len(block) if first else 0
    return int(ends[0 if first else -1]) + 1

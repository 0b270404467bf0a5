"""CSV and Parquet files: which ones a path names, their types, and their rows in chunks.

The files that a path, a folder or a pattern names are listed, with a token that tells whether they
are still the same. Their rows are read as normal frames of bounded size, whatever the size of the
files.
"""

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, final

import numpy as np
import polars as pl
from polars import selectors

from peekproof.core.errors import DataError
from peekproof.data.normal import normal_type, normalised
from peekproof.data.source import Progress

SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")
ENDINGS = (*SEPARATORS, *PARQUET)

_ACCEPTED = "name CSV, TSV or Parquet files, a folder of them, or a pattern such as data/*.parquet"
_MAGIC = "*?["

# Of each file: path, size, times of the last change of its content and of anything about it (the
# first can be set back, the second cannot), and place on the disk.
Token = tuple[tuple[str, int, int, int, int], ...]


@final
@dataclass(frozen=True, slots=True)
class Files:
    """Files of one format, in the order of their names."""

    pattern: str
    paths: tuple[Path, ...]

    @property
    def separator(self) -> str | None:
        """What separates the cells of a line; None in Parquet files."""
        return SEPARATORS.get(self.paths[0].suffix.lower())

    def token(self) -> Token:
        """A value that changes when a file comes, goes, grows or is written to."""
        return tuple(
            (str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
            for path in _named(self.pattern)
            for found in [path.stat()]
        )

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self.paths)


def listed(pattern: str | Path) -> Files:
    """The files of a path, a folder or a pattern; a path that exists is never a pattern."""
    name = str(pattern)
    paths = tuple(_named(name))
    if not paths:
        raise _nothing(name)
    formats = {_format(path) for path in paths}
    if len(formats) > 1:
        problem = f"names files of different formats ({', '.join(sorted(formats))})"
        raise DataError(source=name, problem=problem, hint="name files of one format")
    for path in paths:
        if path.stat().st_size == 0:
            raise DataError(source=str(path), problem="is an empty file", hint=_ACCEPTED)
    return Files(name, paths)


def _named(name: str) -> Iterator[Path]:
    path = Path(name)
    if path.is_file():
        return iter([path])
    if path.is_dir():
        # Writers of folders leave notes such as _SUCCESS and .part-0.crc beside the data.
        inside = (each for each in path.iterdir() if each.is_file() and each.name[0] not in "._")
        return iter(sorted(inside))
    if any(sign in name for sign in _MAGIC):
        found = map(Path, glob.glob(name, recursive=True))  # noqa: PTH207 (may be absolute)
        return iter(sorted(each for each in found if each.is_file()))
    return iter(())


def _nothing(name: str) -> DataError:
    if Path(name).is_dir():
        return DataError(source=name, problem="is a folder without files", hint=_ACCEPTED)
    if any(sign in name for sign in _MAGIC):
        return DataError(source=name, problem="matches no file", hint="check the pattern")
    return DataError(source=name, problem="does not exist", hint="check the path")


def _format(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return "Parquet"
    if suffix not in ENDINGS:
        raise DataError(
            source=str(path),
            problem=f"has an unknown ending {suffix!r}",
            hint="name .csv, .tsv or .parquet files",
        )
    return "TSV" if suffix == ".tsv" else "CSV"


BLOCK = 4 * 2**20  # bytes

_QUOTE, _NEWLINE = ord('"'), ord("\n")
_WHOLE = {pl.Int64(), pl.Int128()}
_NUMBERS = {*_WHOLE, pl.Float64()}


def csv_types(
    path: Path, separator: str, read: Callable[[bytes], None] = lambda _: None
) -> dict[str, pl.DataType]:
    """The type of each column, in the order of the file; `read` is given each block.

    Types come from all rows, but few of them at a time. Polars infers them from all rows too, but
    holds on to each line meanwhile. So the file is cut into blocks of whole records, Polars infers
    the types of each block, and what the blocks say is put together as Polars puts together what
    rows say: the same file has the same types here and in memory.
    """
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


_PIECE = 2**21  # cells of a piece: 16 MB of numbers
_FEWEST, _MOST = 2**12, 2**18  # rows of a piece


def silent(_: int, __: int) -> None:
    """Progress that nobody watches."""


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """How to read files: the types that their columns have there, and here."""

    files: Files
    raw: tuple[Mapping[str, pl.DataType], ...]
    lines: tuple[int, ...]
    types: Mapping[str, pl.DataType]
    progress: Progress

    @classmethod
    def of(cls, files: Files, progress: Progress) -> "Reading":
        """The reading of these files, whose columns must agree."""
        sizes = [path.stat().st_size for path in files.paths]
        before = [0, *accumulate(sizes)]
        raw: list[Mapping[str, pl.DataType]] = []
        lines: list[int] = []
        for path, start in zip(files.paths, before, strict=False):
            watch = _Watch(progress, start, before[-1])
            raw.append(_raw_types(path, files.separator, watch))
            lines.append(watch.lines)
        types = _normal_types(raw[0])
        if not types:
            hint = "nested and binary columns are left out"
            raise DataError(source=files.pattern, problem="has no columns", hint=hint)
        for path, other in zip(files.paths, raw, strict=True):
            _agree(files.paths[0], types, path, _normal_types(other))
        return cls(files, tuple(raw), tuple(lines), types, progress)

    def pieces(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """All rows of these columns, some at a time, each file after the other."""
        rows = min(_MOST, max(_FEWEST, _PIECE // len(names)))
        sizes = [path.stat().st_size for path in self.files.paths]
        done, total = 0, sum(sizes)
        each = zip(self.files.paths, self.raw, self.lines, sizes, strict=True)
        for path, raw, lines, size in each:
            # By name and not by pl.col, which reads a name like ^a$ as a pattern.
            chosen = self._scanned(path, raw).select(selectors.by_name(*names))
            batches = chosen.collect_batches(chunk_size=rows, engine="streaming")
            seen = 0
            for frame in batches:
                yield normalised(frame)
                seen += frame.height
                self.progress(done + size * min(seen, lines) // lines, total)
            done += size
            self.progress(done, total)

    def _scanned(self, path: Path, raw: Mapping[str, pl.DataType]) -> pl.LazyFrame:
        separator = self.files.separator
        if separator is not None:
            return pl.scan_csv(path, schema=dict(raw), separator=separator, glob=False)
        return pl.scan_parquet(path, glob=False, hive_partitioning=False, use_statistics=False)


@final
@dataclass(slots=True)
class _Watch:
    """Adds up the bytes and lines of one file for whoever watches all of them."""

    progress: Progress
    done: int
    total: int
    lines: int = 1

    def __call__(self, block: bytes) -> None:
        self.done += len(block)
        self.lines += block.count(b"\n")
        self.progress(self.done, self.total)


def _raw_types(path: Path, separator: str | None, watch: _Watch) -> Mapping[str, pl.DataType]:
    try:
        if separator is None:
            watch.lines = _parquet_rows(path)
            return pl.read_parquet_schema(path)
        return csv_types(path, separator, watch)
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # The reader's own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        hint = "check that it is whole, and of the format that its name says"
        raise DataError(source=str(path), problem=problem, hint=hint) from error


def _parquet_rows(path: Path) -> int:
    """As its footer says, for progress only; at least 1."""
    count = pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len())
    return max(1, int(count.collect().item()))


def _normal_types(raw: Mapping[str, pl.DataType]) -> dict[str, pl.DataType]:
    normal = {name: normal_type(kind) for name, kind in raw.items()}
    return {name: kind for name, kind in normal.items() if kind is not None}


def _agree(
    first: Path, types: Mapping[str, pl.DataType], path: Path, others: Mapping[str, pl.DataType]
) -> None:
    for name in [*types, *others]:
        ours, theirs = types.get(name), others.get(name)
        if ours != theirs:
            held = "no such column" if theirs is None else str(theirs)
            there = "there is none" if ours is None else f"it is {ours}"
            raise DataError(
                source=str(path),
                problem=f"has {held} for {name!r}, but in {first.name} {there}",
                hint="all files need the same columns of the same types",
            )

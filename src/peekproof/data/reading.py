"""Rows of files as normal frames of bounded size, whatever the size of the files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import final

import polars as pl
from polars import selectors

from peekproof.core.errors import DataError
from peekproof.data.csv_types import csv_types
from peekproof.data.files import Files
from peekproof.data.normal import normal_type, normalised
from peekproof.data.source import Progress

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

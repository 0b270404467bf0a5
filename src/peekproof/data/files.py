"""The files that a path, a folder or a pattern names, and whether they are still the same."""

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from peekproof.core.errors import DataError

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

"""Zip archives of others, unpacked where they can do no harm."""

import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from peekproof.core.errors import DataError

MOST_BYTES = 512 * 2**20  # of all files together, unpacked
MOST_FILES = 100
_PIECE = 2**20


def is_zip(path: Path) -> bool:
    """Whether a file is meant to be an archive, by its name."""
    return path.suffix.lower() == ".zip"


@contextmanager
def unpacked(path: Path, *, most_bytes: int = MOST_BYTES) -> Iterator[Path]:
    """A folder with the plain files of an archive, for as long as it lasts.

    Refused: names that lead elsewhere, links, what is encrypted, and more than fits. Sizes are
    counted while files are written, for an archive can lie about them.
    """
    with tempfile.TemporaryDirectory(prefix="peekproof-") as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                _unpack(archive, Path(folder), most_bytes)
        except ValueError as error:
            raise _refused(path, str(error)) from None
        except Exception:  # of every way to pack, its own
            raise _refused(path, "cannot be unpacked") from None
        yield Path(folder)


def _unpack(archive: zipfile.ZipFile, folder: Path, most_bytes: int) -> None:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MOST_FILES:
        raise ValueError(f"has more than {MOST_FILES} files")
    left = most_bytes
    for number, member in enumerate(members):
        inside = _checked(member)
        # Files get names of their own folder each: two that differ in case must not meet.
        target = folder / str(number) / inside.name
        target.parent.mkdir()
        with archive.open(member) as packed, target.open("xb") as plain:
            while piece := packed.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise ValueError(f"unpacks to more than {most_bytes:,} bytes")
                plain.write(piece)


def _checked(member: zipfile.ZipInfo) -> PurePosixPath:
    """The path of a member, if it stays where it is put."""
    name = PurePosixPath(member.filename)
    strange = "\\" in member.filename or ":" in member.filename or not name.name
    if strange or name.is_absolute() or ".." in name.parts:
        raise ValueError("has a file whose name leads elsewhere")
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise ValueError("has something that is not a plain file")
    if member.flag_bits & 1:
        raise ValueError("is encrypted")
    return name


def _refused(path: Path, problem: str) -> DataError:
    hint = "pack predictions.csv alone, as a plain zip file"
    return DataError(source=path.name, problem=problem, hint=hint)

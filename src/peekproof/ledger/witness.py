"""What was last seen of the ledger of some data, kept apart from data and ledgers.

A copied file or a restored backup looks like any other ledger from within. The witness remembers
elsewhere, for each fingerprint, how far its ledger had come.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as _quoted
from pathlib import Path
from typing import final

from peekproof.core.errors import LedgerUnavailable
from peekproof.core.witness_errors import WitnessDamaged

if sys.platform != "win32":
    import fcntl

VARIABLE = "PEEKPROOF_WITNESS"
NONE = "none"

SIZE = 4096  # of a record: one page, which a dying process writes wholly or not at all
_LONGEST = 3072  # letters of a place that a record has room for, once it is JSON


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """The last entry that was seen of a ledger. `ledger` is the digest of its first."""

    ledger: str
    sequence: int
    digest: str
    place: str


@final
class Witness:
    """A folder with one small file for each fingerprint. One thread at a time uses it.

    Records are not synced: after a power cut one may be older than its ledger, which is no harm,
    since a ledger has to contain what was seen and may have more.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, int] = {}
        self._read: dict[str, tuple[bytes, Seen]] = {}

    def file(self, fingerprint: str) -> Path:
        """Where the record for a fingerprint is."""
        plain = re.fullmatch(r"[A-Za-z0-9-]{1,100}", fingerprint)
        return self.folder / f"{fingerprint if plain else _check(fingerprint, b'').decode()}.json"

    def known(self, fingerprint: str, *, ledger: str) -> Seen | None:
        """What was last seen; `ledger` is who asks, for errors. The folder must be writable."""
        with _Usable(self.folder, ledger):
            handle = self._handle(fingerprint)
            if handle is None:
                tempfile.TemporaryFile(dir=self.folder).close()  # now, not after a ledger is made
                return None
            try:
                return self._record(fingerprint, handle, ledger)
            except WitnessDamaged:
                with _Alone(handle):  # it may only have been half written
                    return self._record(fingerprint, handle, ledger)

    def saw(self, fingerprint: str, seen: Seen) -> Seen:
        """Remember what was seen, unless later entries were, or another ledger; what then holds."""
        with _Usable(self.folder, seen.place), _Alone(self._made(fingerprint, seen)) as handle:
            before = self._record(fingerprint, handle, seen.place)
            later = before.ledger == seen.ledger and (
                before.sequence < seen.sequence
                or (before.digest == seen.digest and before.place != seen.place)
            )
            if later:
                self._write(fingerprint, handle, seen)
            return seen if later else before

    def adopt(self, fingerprint: str, seen: Seen) -> None:
        """Remember this, whatever was seen before."""
        with _Usable(self.folder, seen.place), _Alone(self._made(fingerprint, seen)) as handle:
            os.ftruncate(handle, SIZE)
            self._write(fingerprint, handle, seen)

    def close(self) -> None:
        """Let go of the files."""
        while self._open:
            os.close(self._open.popitem()[1])

    def __del__(self) -> None:
        self.close()

    def _handle(self, fingerprint: str) -> int | None:
        """The open file of a fingerprint; None if there is none yet."""
        if fingerprint not in self._open:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                found = os.open(self.file(fingerprint), os.O_RDWR | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
            self._open[fingerprint] = found
        return self._open[fingerprint]

    def _made(self, fingerprint: str, seen: Seen) -> int:
        """The open file of a fingerprint, which says `seen` if there was none."""
        handle = self._handle(fingerprint)
        if handle is None:
            self._create(fingerprint, _packed(fingerprint, seen))
            handle = self._handle(fingerprint)
        if handle is None:
            raise FileNotFoundError(2, "It vanished")
        return handle

    def _create(self, fingerprint: str, record: bytes) -> None:
        """A complete file, unless there is one. Synced once, so that no power cut can empty it."""
        handle, temporary = tempfile.mkstemp(prefix=".", dir=self.folder)
        try:
            # Whoever shares the folder shares its files.
            os.fchmod(handle, self.folder.stat().st_mode & 0o666)
            if os.write(handle, record) != SIZE:
                raise OSError(28, "No space left on device")
            os.fsync(handle)
            self.file(fingerprint).hardlink_to(temporary)
        except FileExistsError:
            return
        finally:
            os.close(handle)
            Path(temporary).unlink()

    def _record(self, fingerprint: str, handle: int, ledger: str) -> Seen:
        raw = os.pread(handle, SIZE + 1, 0)
        before = self._read.get(fingerprint)
        if before and before[0] == raw:
            return before[1]
        try:
            seen = _unpacked(fingerprint, raw)
        except (KeyError, TypeError, ValueError) as error:
            file = str(self.file(fingerprint))
            raise WitnessDamaged(ledger=ledger, file=file) from error
        self._read[fingerprint] = raw, seen
        return seen

    def _write(self, fingerprint: str, handle: int, seen: Seen) -> None:
        record = _packed(fingerprint, seen)
        if os.pwrite(handle, record, 0) != SIZE:
            raise OSError(28, "No space left on device")
        self._read[fingerprint] = record, seen


@final
class _Alone:
    """Keeps out all others who write to an open file. (A generator would cost more than it.)"""

    __slots__ = ("_handle",)

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __enter__(self) -> int:
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        return self._handle

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)


@final
class _Usable:
    """Names the folder of a witness that cannot be used, and the ledger that needs it."""

    __slots__ = ("_folder", "_ledger")

    def __init__(self, folder: Path, ledger: str) -> None:
        self._folder, self._ledger = folder, ledger

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError):
            reason = (error.strerror or str(error)).lower()
            problem = f"the folder {self._folder} cannot be used ({reason})"
            raise _unavailable(self._ledger, problem) from error


def default_witness(*, ledger: str) -> Witness | None:
    """The witness of this user or machine; None if it was switched off. `ledger` is who asks."""
    if os.environ.get(VARIABLE, "") == NONE:
        return None
    try:
        return Witness(default_folder())
    except (RuntimeError, OSError) as error:  # nobody's home
        raise _unavailable(ledger, f"this user has no folder for it ({error})") from error


def default_folder() -> Path:
    """Where a witness keeps what it saw, and others what should last as long."""
    named = os.environ.get(VARIABLE, "")
    return Path(named).absolute() if named not in ("", NONE) else _state_folder() / "peekproof"


def _unavailable(ledger: str, problem: str) -> LedgerUnavailable:
    return LedgerUnavailable(
        ledger=ledger,
        problem=f"needs a witness, and {problem}",
        hint=f"set {VARIABLE} to a folder that can be written, or to {NONE} to go without, which "
        "a new ledger records",
    )


def _state_folder() -> Path:
    """Where programs keep what should last, on this platform."""
    if sys.platform == "win32":
        given, usual = os.environ.get("LOCALAPPDATA", ""), ("AppData", "Local")
    elif sys.platform == "darwin":
        given, usual = "", ("Library", "Application Support")
    else:
        given, usual = os.environ.get("XDG_STATE_HOME", ""), (".local", "state")
    return Path(given) if Path(given).is_absolute() else Path.home().joinpath(*usual)


def _packed(fingerprint: str, seen: Seen) -> bytes:
    """A record: a line of JSON, then newlines up to its size."""
    said = ", ".join(
        (
            f'{{"digest": {_quoted(seen.digest)}',
            f'"ledger": {_quoted(seen.ledger)}',
            f'"place": {_quoted(seen.place)}',
            f'"sequence": {seen.sequence}}}',
        )
    )
    body = said.encode()
    return (b'{"check": "%s", ' % _check(fingerprint, body) + body[1:]).ljust(SIZE, b"\n")


def _unpacked(fingerprint: str, raw: bytes) -> Seen:
    """What a record says, or ValueError."""
    head, mark, rest = raw.partition(b'", ')
    body = b"{" + rest.rstrip(b"\n")
    if len(raw) != SIZE or not mark or head != b'{"check": "%s' % _check(fingerprint, body):
        raise ValueError("not what was written")
    return Seen(**json.loads(body))


def _check(fingerprint: str, body: bytes) -> bytes:
    text = fingerprint.encode(errors="backslashreplace") + b"\n" + body
    return hashlib.blake2b(text, digest_size=16).hexdigest().encode()


def shortened(place: str) -> str:
    """A place as a record can hold it: of one that is absurdly long, the end."""
    return place if len(json.dumps(place)) <= _LONGEST else f"…{place[-_LONGEST // 12 :]}"

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from json.encoder import encode_basestring_ascii as _quoted
from pathlib import Path
from typing import Any, TypeVar, final

from peekproof.core.errors import (
    IN_MEMORY,
    BudgetElsewhere,
    LedgerRolledBack,
    LedgerUnavailable,
    WitnessDamaged,
)
from peekproof.core.shared_columns import Cut, Marked, Rows, shared
from peekproof.ledger.entry import Entry
from peekproof.ledger.sqlite import MEMORY

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")

VARIABLE = "PEEKPROOF_WITNESS"
NONE = "none"

SIZE = 4096  # of a record: one page, which a dying process writes wholly or not at all
_LONGEST = 3072  # letters of a place that a record has room for, once it is JSON


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """The last entry that was seen of a ledger.

    `ledger` is the digest of its first entry, or of the last one that says that it was restored.
    """

    ledger: str
    sequence: int
    digest: str
    place: str
    promise: str = ""  # what it promises, so that whoever adopts its budget promises the same


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
        return self.folder / f"{_plain(fingerprint)}.json"

    def known(self, fingerprint: str, *, ledger: str) -> Seen | None:
        """What was last seen; `ledger` is who asks, for errors. The folder must be writable."""
        with _Usable(self.folder, ledger):
            handle = self._handle(fingerprint)
            if handle is None:
                tempfile.TemporaryFile(dir=self.folder).close()  # now, not after a ledger is made
                return None
            try:
                return self._record(fingerprint, handle, ledger)
            except WitnessDamaged:  # it may only have been half written
                return _alone(handle, lambda: self._record(fingerprint, handle, ledger))

    def saw(self, fingerprint: str, seen: Seen) -> Seen:
        """Remember what was seen, unless later entries were, or another ledger; what then holds."""
        with _Usable(self.folder, seen.place):
            handle = self._made(fingerprint, seen)
            return _alone(handle, lambda: self._advanced(fingerprint, handle, seen))

    def _advanced(self, fingerprint: str, handle: int, seen: Seen) -> Seen:
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

        def overwrite() -> None:
            os.ftruncate(handle, SIZE)
            self._write(fingerprint, handle, seen)

        with _Usable(self.folder, seen.place):
            handle = self._made(fingerprint, seen)
            _alone(handle, overwrite)

    def note(self, fingerprint: str, marked: Marked, *, ledger: str) -> None:
        """Remember the marks of the columns of some data, a line for each fingerprint."""
        # All of them: whoever leaves out columns must not choose what is remembered.
        marks = list(dict.fromkeys(each.digest for each in marked.marks))
        if not marks:
            return
        line = {"fingerprint": fingerprint, "marks": marks, "ordered": marked.ordered}

        def listed(file: Path) -> tuple[bool, int]:
            lines, whole = _lines(file, _marks_in, ledger)
            return any(known == fingerprint for known, *_ in lines), whole

        self._append(self._columns(marked.rows), line, listed, ledger=ledger)

    def note_cut(self, fingerprint: str, cut: Cut, *, ledger: str) -> None:
        """Remember that data is a part of other data, and what that is recognised by."""
        self.note(cut.of, cut.columns, ledger=ledger)
        line = {
            "fingerprint": fingerprint,
            "split": cut.split,
            "low": str(cut.low),
            "high": str(cut.high),
        }

        def listed(file: Path) -> tuple[bool, int]:
            lines, whole = _lines(file, _cut_in(cut.of), ledger)
            return Rows(fingerprint, (cut,)) in lines, whole

        self._append(self._parts(cut.of), line, listed, ledger=ledger)

    def renew(self, note: Callable[[], None], *, ledger: str) -> None:
        """Have something noted; a file that is damaged is put aside, under another name."""
        while True:  # it may be about several files
            try:
                return note()
            except WitnessDamaged as damaged:
                with _Usable(self.folder, ledger):
                    Path(damaged.file).rename(f"{damaged.file}.damaged")

    def _append(
        self,
        file: Path,
        line: Mapping[str, object],
        listed: Callable[[Path], tuple[bool, int]],
        *,
        ledger: str,
    ) -> None:
        """Add a line; `listed` says whether it is there, and how many bytes of whole lines are."""

        def append() -> None:
            there, whole = listed(file)
            if there:
                return
            os.ftruncate(handle, whole)  # of a line that was cut off nobody was told
            added = f"{json.dumps(line)}\n".encode()
            if os.write(handle, added) != len(added):
                raise OSError(28, "No space left on device")
            os.fsync(handle)

        with _Usable(self.folder, ledger):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = self._appended(file)
            try:
                _alone(handle, append)
            finally:
                os.close(handle)

    def overlapping(self, rows: Rows, *, ledger: str) -> tuple[Seen, str] | None:
        """What was seen of a ledger for other rows that may share some with these, and how.

        Ledgers of the same rows, or of a whole that holds them, are `known` by its name.
        """
        for name in rows.names:
            for part in self._cut_from(name, ledger):
                met = rows.met(part) if part.fingerprint not in rows.names else None
                seen = self.known(part.fingerprint, ledger=ledger) if met else None
                if met and seen:
                    return seen, met
        return None

    def _cut_from(self, fingerprint: str, ledger: str) -> list[Rows]:
        """The parts of some data that have or had a ledger, or were about to."""
        with _Usable(self.folder, ledger):
            return _lines(self._parts(fingerprint), _cut_in(fingerprint), ledger)[0]

    def alike(
        self, marked: Marked, *, besides: str, ledger: str
    ) -> tuple[Seen, tuple[str, ...]] | None:
        """What was seen of other data with as many rows that shares columns, and which columns."""
        if not marked.marks:
            return None
        with _Usable(self.folder, ledger):
            lines, _ = _lines(self._columns(marked.rows), _marks_in, ledger)
        for fingerprint, marks, ordered in lines:
            if fingerprint == besides:
                continue
            columns = shared(marked.marks, marks, ordered=ordered and marked.ordered)
            seen = self._known_of(fingerprint, ledger) if columns else None
            if seen:
                return seen, tuple(columns)
        return None

    def _known_of(self, fingerprint: str, ledger: str) -> Seen | None:
        """What was last seen of the ledger of some data, or of one of a part of it."""
        parts = (each.fingerprint for each in self._cut_from(fingerprint, ledger))
        found = (self.known(each, ledger=ledger) for each in (fingerprint, *parts))
        return next((each for each in found if each), None)

    def _appended(self, file: Path) -> int:
        """An open file that lines are added to; whoever shares the folder shares it."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        try:
            handle = os.open(file, flags | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return os.open(file, flags)
        os.fchmod(handle, self.folder.stat().st_mode & 0o666)
        return handle

    def _columns(self, rows: int) -> Path:
        return self.folder / f"columns-of-{rows}-rows.jsonl"

    def _parts(self, fingerprint: str) -> Path:
        return self.folder / f"parts-of-{_plain(fingerprint)}.jsonl"

    def replace(self, fingerprint: str, seen: Seen, *, before: Seen) -> bool:
        """Remember this instead of `before`; whether that was still what was seen."""

        def exchange() -> bool:
            still = self._record(fingerprint, handle, seen.place) in (before, seen)
            if still:
                self._write(fingerprint, handle, seen)
            return still

        with _Usable(self.folder, seen.place):
            handle = self._made(fingerprint, seen)
            return _alone(handle, exchange)

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


def _lines(file: Path, read: Callable[[Any], T], ledger: str) -> tuple[list[T], int]:
    """What the lines of a file say, and how many bytes of whole lines there are."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return [], 0
    whole = raw[: raw.rfind(b"\n") + 1]
    try:
        found = [read(json.loads(line)) for line in whole.splitlines()]
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise WitnessDamaged(ledger=ledger, file=str(file)) from error
    return found, len(whole)


def _marks_in(line: Any) -> tuple[str, list[str], bool]:
    """The marks of the columns of some data: its fingerprint, their digests, and `ordered`."""
    return str(line["fingerprint"]), list(line["marks"]), line.get("ordered") is True


def _cut_in(of: str) -> Callable[[Any], Rows]:
    """Reads a part of the data `of` from a line."""

    def read(line: Any) -> Rows:
        low, high = Fraction(line["low"]), Fraction(line["high"])
        cut = Cut(of=of, split=str(line["split"]), low=low, high=high)
        return Rows(str(line["fingerprint"]), (cut,))

    return read


def _plain(fingerprint: str) -> str:
    """A fingerprint as part of the name of a file."""
    plain = re.fullmatch(r"[A-Za-z0-9-]{1,100}", fingerprint)
    return fingerprint if plain else _check(fingerprint, b"").decode()


def _alone(handle: int, act: Callable[[], T]) -> T:
    """What `act` returns, with all others kept out who write to an open file.

    Whatever the moment of an interrupt, the file is unlocked: it is not taken before `try`, and
    `finally` has no step before the one that lets go.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return act()
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)


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


_simulating: ContextVar[bool] = ContextVar("simulating", default=False)


@contextmanager
def simulation() -> Iterator[None]:
    """Ledgers in memory that this thread opens meanwhile go without a witness, and record that.

    For attacks and audits on rows that were made up: the same ones come again with every seed, and
    thousands of records would fill the user's folder.
    """
    before = _simulating.set(True)
    try:
        yield
    finally:
        _simulating.reset(before)


def simulating() -> bool:
    """Whether this thread opens ledgers for a simulation."""
    return _simulating.get()


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
            *([f'"promise": {_quoted(seen.promise)}'] if seen.promise else []),
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


# A ledger under the eyes of the witness: each write is compared before, and reported after.

_MISSED = (
    "answer",
    "lost",
    "override",
)  # kinds of entries that make a ledger in memory worth a record


def seen_as(place: str) -> str:
    """A place as the witness records it, the same from every folder."""
    if place == MEMORY:
        return f"{IN_MEMORY}{os.getpid()}"
    return shortened(place if "://" in place else str(Path(place).resolve()))


@final
class Watch:
    """Tells the witness how far one ledger has come, and the ledger if another came further.

    The witness hears of an entry after it is on disk, so whoever holds the ledger's write lock, or
    reads the ledger after the witness, finds in it all that was seen of it.

    Of a ledger in memory it hears once something is paid for: until then nothing is lost with it.

    `first` is the entry that tells the ledger from others: its first, or the one that says that it
    was restored. Whoever still has open what it was restored from is refused by that.
    """

    def __init__(
        self,
        witness: Witness,
        *,
        fingerprint: str,
        first: Entry,
        place: str,
        promise: str = "",
        marked: Callable[[], Marked] | None = None,
        cuts: Sequence[Cut] = (),
        check_others: Callable[[], None] | None = None,
    ) -> None:
        """`marked` are the columns of the data, to be recognised by, and `cuts` how it is a part.

        `check_others` refuses a ledger if the data has one under another fingerprint. It is
        asked when the witness has heard of this one, for then of two at once one is refused.
        """
        self._witness = witness
        self._marked, self._cuts, self._check_others = marked, cuts, check_others
        self._fingerprint = fingerprint
        self._origin = first
        self._identity = first.digest.hex()
        self._place = place
        self._lasting = place != MEMORY
        self._promise = promise
        self._seen_as = seen_as(place)
        self._fits: Seen | None = None
        self._untold: Entry | None = None

    def check(self, entry: Callable[[int], Entry | None], *, last: Callable[[], Entry]) -> None:
        """Refuse a ledger that is not the one that was seen, or lacks what was seen of it."""
        if self._untold:  # the next entry is not paid for while nobody could hear of it
            self.saw(self._untold)
        seen = self._witness.known(self._fingerprint, ledger=self._place)
        if seen is None:
            if self._check_others:
                self._check_others()
            return
        if seen is self._fits:
            return
        if seen.ledger != self._identity:
            seen = self._restored(seen, entry, last())
        found = entry(seen.sequence)
        if found is None or found.digest.hex() != seen.digest:
            raise self._rolled_back(seen, last())
        self._fits = seen

    def _restored(self, seen: Seen, entry: Callable[[int], Entry | None], last: Entry) -> Seen:
        """Take the place of the ledger that this one was restored from, if nothing is forgotten.

        Either all that was seen of it is here, or this one answers nothing new anyway.
        """
        found, body = entry(seen.sequence), self._origin.body
        if self._origin.kind == "restore":
            older = seen.sequence < self._origin.sequence
            kept = older and found is not None and found.digest.hex() == seen.digest
            shut = body["lost"] > 0 and seen.ledger == body["continues"]
            mine = self._seen(last)
            if (kept or shut) and self._witness.replace(self._fingerprint, mine, before=seen):
                return mine
        raise self._elsewhere(seen)

    def doubt(self) -> None:
        """Compare again before the next write, also if nothing new was seen."""
        self._fits = None

    def wrote(self, entries: Sequence[Entry]) -> None:
        """Report entries that are on disk now, if there is something to be missed in them."""
        if self._lasting or any(each.kind in _MISSED for each in entries):
            self.saw(entries[-1])

    def catch_up(self) -> None:
        """Report what is on disk and could not be reported when it was written."""
        if self._untold is not None:
            self.saw(self._untold)

    def saw(self, last: Entry) -> None:
        """Report the last entry that is on disk."""
        mine, self._untold = self._seen(last), last
        self._note()
        now = self._witness.saw(self._fingerprint, mine)
        if self._check_others:
            self._check_others()
            self._check_others = None
        self._untold = None
        if now.ledger != mine.ledger:  # only now: someone was quicker
            raise self._elsewhere(now)
        if now.sequence == mine.sequence and now.digest != mine.digest:
            raise self._rolled_back(now, last)
        if now == mine:
            self._fits = now

    def adopt(self, last: Entry) -> None:
        """Report that from now on this is the ledger."""
        self._check_others = None
        self._witness.renew(lambda: self._note(anew=True), ledger=self._place)
        self._witness.adopt(self._fingerprint, self._seen(last))

    def close(self) -> None:
        self._witness.close()

    def _note(self, *, anew: bool = False) -> None:
        """Have the data remembered of which these are a part, and the columns.

        These only `anew`, or where nobody has heard of the ledger before.
        """
        for cut in self._cuts:
            self._witness.note_cut(self._fingerprint, cut, ledger=self._place)
        self._cuts = ()
        if self._marked and (anew or self._unheard):
            self._witness.note(self._fingerprint, self._marked(), ledger=self._place)
        self._marked = None

    @property
    def _unheard(self) -> bool:
        return self._witness.known(self._fingerprint, ledger=self._place) is None

    def _seen(self, last: Entry) -> Seen:
        digest = last.digest.hex()
        return Seen(self._identity, last.sequence, digest, self._seen_as, self._promise)

    def _elsewhere(self, seen: Seen) -> BudgetElsewhere:
        return BudgetElsewhere(ledger=self._place, place=seen.place, entries=seen.sequence)

    def _rolled_back(self, seen: Seen, last: Entry) -> LedgerRolledBack:
        return LedgerRolledBack(
            ledger=self._place, place=seen.place, seen=seen.sequence, found=last.sequence
        )

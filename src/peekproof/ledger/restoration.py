"""A ledger made from an export, or from what is intact of a damaged file.

Entries are taken over as they are, up to the first that the chain does not vouch for, and the next
one records it: from what, how many, and how many were lost. What the witness saw and nobody can
read any more may have spent all that was left, and counts as that.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import final

from peekproof.core.errors import (
    BudgetElsewhere,
    InvalidInput,
    LedgerDamaged,
    LedgerMismatch,
    LedgerMoved,
    LedgerRolledBack,
    LedgerUnavailable,
    PeekproofError,
    WitnessDamaged,
)
from peekproof.ledger.entry import GENESIS, Entry, Opening, link, restore_body
from peekproof.ledger.export import is_export, read_export
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.log import Draft
from peekproof.ledger.postgres_place import is_postgres
from peekproof.ledger.sqlite import SCHEMA, insert, is_database, linked, translated
from peekproof.ledger.state import State
from peekproof.ledger.witness import Seen, Witness

EXPORT, FILE = "an export", "a damaged file"
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a database

_LONGEST = 16_384  # bytes of an entry in which a flipped bit is looked for, a second or so


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was made of what.

    lost    how many entries are missing, at least; all that was left counts as spent if any is
    mended  how many entries were read after undoing one flipped bit
    kept    where the file went that was there before
    seen    whether a witness told how many entries there were
    """

    place: str
    source: str
    entries: int
    digest: str
    lost: int
    mended: int
    kept: str | None
    seen: bool


@final
@dataclass(slots=True)
class _Taken:
    """What was taken over so far, and what is known of the rest."""

    state: State
    identity: str = ""
    last: Entry | None = None
    highest: int = 0  # the last entry of which there is a trace
    mended: int = 0


def restore(
    source: Path, target: Path, *, witness: Witness | None, reason: str | None = None
) -> Restored:
    """Make a ledger at `target` from an export or a damaged file; what is there is set aside.

    `reason` is the custodian's word that nothing was asked since, where no witness tells.
    """
    if not source.is_file():
        raise LedgerUnavailable(ledger=str(source), problem="is not a file", hint=_NAME)
    # What SQLite keeps beside a database is beside the file itself, not beside a link to it.
    source, target = _real(source), _real(target)
    exported = is_export(source)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        problem = f"cannot be created ({cause})"
        raise LedgerUnavailable(ledger=str(target), problem=problem) from error
    os.close(handle)
    made = Path(name)
    try:
        taken = _copied(source, made) if exported else _salvaged(source, made)
        last = _last(taken)
        verdict = _Verdict.on(taken, made, source, target, witness=witness, reason=reason)
        _record(made, taken, verdict, source=EXPORT if exported else FILE)
        with closing(Ledger.open(str(made))) as checked:
            checked.verify()
        modes = source if not exported else target
        if modes.exists():
            shutil.copymode(modes, made)
        kept = _set_aside(target)
        if not linked(made, target):
            problem = "was made by someone else meanwhile"
            raise LedgerUnavailable(ledger=str(target), problem=problem, hint="look at it first")
    finally:
        for each in (made, *(Path(f"{made}{end}") for end in BESIDE)):
            each.unlink(missing_ok=True)
    with closing(Ledger.open(str(target))) as ledger:
        if witness:
            ledger.attend(witness, override=reason if verdict.damaged else None)
    return Restored(
        place=str(target),
        source=EXPORT if exported else FILE,
        entries=last.sequence,
        digest=last.digest.hex(),
        lost=verdict.lost,
        mended=taken.mended,
        kept=kept,
        seen=verdict.seen,
    )


def _real(path: Path) -> Path:
    """The file that a symbolic link leads to; any other path as it was given."""
    return path.resolve() if path.is_symlink() else path


_NAME = "name a damaged ledger or an export"
_NOTHING = "has no first entry that can be read, so nothing of it can be restored"
_OTHERWISE = (  # whoever is told this has just tried what is intact
    "Make a ledger from an export (peekproof ledger restore EXPORT --to PATH), or put the newest "
    "backup back; one that lacks entries goes on for a reason (peekproof ledger adopt PATH "
    '--reason "…")'
)


# What is intact -------------------------------------------------------------------------------


def _copied(source: Path, made: Path) -> _Taken:
    """All entries of an export, which must be complete, in a new database."""
    taken = _Taken(State(str(source)))
    with translated(str(made)), closing(sqlite3.connect(made, isolation_level=None)) as new:
        new.executescript(SCHEMA)
        new.execute("BEGIN")
        for entry in read_export(source):
            taken.state.apply(entry)
            _take(taken, entry, new)
        new.execute("COMMIT")
    return taken


def _salvaged(source: Path, made: Path) -> _Taken:
    """The longest intact prefix of a damaged database, in a new one; the source is only read.

    If its first page is damaged, the others may be read with that of an empty ledger, which is the
    same in all of them but for what can be left out.
    """
    with tempfile.TemporaryDirectory(prefix=f".{made.name}.", dir=made.parent) as folder:
        best: tuple[int, Path, _Taken] | None = None
        for number, fresh in enumerate((False, True)):
            copy, tried = Path(folder) / f"copy-{number}", Path(folder) / f"tried-{number}"
            _copy(source, copy)
            if fresh:
                _with_fresh_page(copy, Path(folder) / "empty")
            taken = _read(copy, tried, place=str(source))
            length = taken.last.sequence if taken.last else 0
            if best is None or length > best[0]:
                best = length, tried, taken
            if taken.last and taken.highest == length:
                break
        if best is None:
            raise LedgerDamaged(ledger=str(source), problem=_NOTHING, hint=_OTHERWISE)
        best[1].replace(made)
        return best[2]


def _with_fresh_page(copy: Path, empty: Path) -> None:
    with closing(sqlite3.connect(empty, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
    content = empty.read_bytes()
    page = bytearray(content[: int.from_bytes(content[16:18])])
    page[18:20] = b"\2\2"  # write-ahead mode, as ledgers have
    page[92:96] = b"\0\0\0\0"  # so that the number of pages is that of the file
    with copy.open("r+b") as file:
        file.write(page)


def _read(copy: Path, made: Path, *, place: str) -> _Taken:
    taken = _Taken(State(place))
    os.close(os.open(made, os.O_CREAT | os.O_EXCL, 0o600))
    with (
        translated(place),
        closing(sqlite3.connect(copy, isolation_level=None)) as old,
        closing(sqlite3.connect(made, isolation_level=None)) as new,
    ):
        new.executescript(SCHEMA)
        new.execute("BEGIN")
        for entry in _intact(old, taken):
            try:
                taken.state.apply(entry)
            except LedgerDamaged:
                break  # chained, and yet it makes no sense
            _take(taken, entry, new)
        new.execute("COMMIT")
        taken.highest = _highest(old, taken)
    return taken


def _take(taken: _Taken, entry: Entry, new: sqlite3.Connection) -> None:
    insert(new, [entry])
    if entry.sequence == taken.state.origin:
        taken.identity = entry.digest.hex()
    taken.last, taken.highest = entry, entry.sequence


def _intact(old: sqlite3.Connection, taken: _Taken) -> Iterator[Entry]:
    """Entries from the first as long as the chain vouches for them."""
    previous, sequence = GENESIS, 1
    while (row := _row(old, sequence)) is not None:
        entry = _linked(row, previous, sequence)
        if entry is None:
            entry = _mended(row, previous, sequence, follower=_row(old, sequence + 1))
            taken.mended += entry is not None
        if entry is None:
            return
        yield entry
        previous, sequence = entry.digest, sequence + 1


_Row = tuple[bytes, bytes, bytes]


def _row(old: sqlite3.Connection, sequence: int) -> _Row | None:
    """Kind, text and digest of one entry, as bytes, or None if they cannot be read."""
    with suppress(sqlite3.Error):
        found = old.execute(
            "SELECT CAST(kind AS BLOB), CAST(body AS BLOB), CAST(digest AS BLOB) FROM entry "
            "WHERE sequence = ?",
            (sequence,),
        ).fetchone()
        if found and all(isinstance(each, bytes) for each in found):
            kind, text, digest = found
            return kind, text, digest
    return None


def _linked(row: _Row, previous: bytes, sequence: int) -> Entry | None:
    try:
        kind, text = row[0].decode(), row[1].decode()
    except UnicodeDecodeError:
        return None
    right = link(previous, sequence, kind, text) == row[2]
    return Entry(sequence, kind, text, row[2]) if right else None


def _mended(row: _Row, previous: bytes, sequence: int, *, follower: _Row | None) -> Entry | None:
    """The entry as it was before one bit of it flipped, if a digest vouches for that."""
    kind, text, digest = row
    with suppress(UnicodeDecodeError):  # is it the digest? Then the next entry tells.
        told = link(previous, sequence, kind.decode(), text.decode())
        if follower and _linked(follower, told, sequence + 1):
            return Entry(sequence, kind.decode(), text.decode(), told)
    if len(text) > _LONGEST:
        return None
    for changed in _flipped(text):
        if entry := _linked((kind, changed, digest), previous, sequence):
            return entry
    for changed in _flipped(kind):
        if entry := _linked((changed, text, digest), previous, sequence):
            return entry
    return None


def _flipped(content: bytes) -> Iterator[bytes]:
    """The content with each of its bits flipped in turn."""
    for position in range(len(content)):
        for bit in range(8):
            yield b"".join(
                (content[:position], bytes([content[position] ^ 1 << bit]), content[position + 1 :])
            )


def _highest(old: sqlite3.Connection, taken: _Taken) -> int:
    """The last entry of which there is a trace; one more than was taken over, if nobody knows."""
    length = taken.last.sequence if taken.last else 0
    try:
        (found,) = old.execute("SELECT max(sequence) FROM entry").fetchone()
        (count,) = old.execute("SELECT count(*) FROM entry").fetchone()
    except sqlite3.Error:
        return length + 1
    if max(found if isinstance(found, int) else 0, count) <= length:
        return length
    return length + max(1, int(count) - length)  # the highest number may itself be damaged


# What may be missing --------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """How many entries are missing at least, and whose word says so."""

    lost: int
    against: str
    reason: str = ""
    damaged: bool = False  # the witness
    seen: bool  # whether it told anything

    @classmethod
    def on(
        cls,
        taken: _Taken,
        made: Path,
        source: Path,
        target: Path,
        *,
        witness: Witness | None,
        reason: str | None,
    ) -> "_Verdict":
        seen, damaged = None, False
        if witness:
            try:
                seen = witness.known(_opening(taken).fingerprint, ledger=str(target))
            except WitnessDamaged:
                damaged = True
        gone = taken.state.elsewhere(str(target))
        if gone is None and taken.state.arriving and taken.state.moved:  # another copy may go on
            gone = taken.state.moved[1]
        shared = gone is not None or (seen is not None and is_postgres(seen.place))
        if reason is None and (seen is None or shared):
            raise _unvouched(gone or (seen.place if seen else None))
        if reason is not None and seen is not None and not shared:
            raise nothing_to_override(reason)
        _check_replaceable(target, source, taken)
        length = _last(taken).sequence
        lost = max(0, taken.highest - length)  # of which there are traces
        told = f"nothing tells what was written after entry {length:,}"
        if seen is not None:
            lost = max(lost, _lacking(taken, seen, made, target))
            told = f"all {seen.sequence:,} entries that were seen are there"
        _check_whole(seen, source, target)
        if lost:
            told = f"{lost:,} or more entries that were written are lost, and count as all the rest"
        return cls(
            lost=lost, against=told, reason=reason or "", damaged=damaged, seen=seen is not None
        )


def _lacking(taken: _Taken, seen: Seen, made: Path, target: Path) -> int:
    """How many of the entries that were seen are missing; another ledger, or a fork, is refused."""
    length = _last(taken).sequence
    if seen.ledger != taken.identity:
        raise BudgetElsewhere(ledger=str(target), place=seen.place, entries=seen.sequence)
    if seen.sequence > length:
        return seen.sequence - length
    with closing(sqlite3.connect(made)) as connection:
        (digest,) = connection.execute(
            "SELECT digest FROM entry WHERE sequence = ?", (seen.sequence,)
        ).fetchone()
    if digest.hex() != seen.digest:
        raise LedgerRolledBack(
            ledger=str(target), place=seen.place, seen=seen.sequence, found=length
        )
    return 0


@contextmanager
def _opened(place: Path) -> Iterator[Ledger]:
    """A copy of a ledger: opening the file itself may change what lies beside a damaged one."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        _copy(place, copy)
        with closing(Ledger.open(str(copy))) as ledger:
            yield ledger


def _copy(source: Path, copy: Path) -> None:
    for end in ("", "-wal", "-journal"):
        if Path(f"{source}{end}").is_file():
            shutil.copyfile(f"{source}{end}", f"{copy}{end}")


def _check_replaceable(target: Path, source: Path, taken: _Taken) -> None:
    """Refuse to set aside what is no ledger, or one of other data."""
    if not target.exists() or target.samefile(source):
        return
    if not (target.name.endswith(".peekproof") or is_database(target)):
        raise InvalidInput(
            argument="target",
            accepted="a new file, or a ledger to be replaced",
            given=f"{target}, which is none",
        )
    with suppress(LedgerDamaged), _opened(target) as there:
        found, mine = there.opening.fingerprint, _opening(taken).fingerprint
        if found != mine:
            raise LedgerMismatch(
                ledger=str(target),
                what="the fingerprint",
                recorded=found,
                given=mine,
                hint="name another place for what is restored",
            )


def _check_whole(seen: Seen | None, source: Path, target: Path) -> None:
    """Refuse to restore what is not damaged: a ledger that is whole, and as it was last seen."""
    for place in {str(source), str(target), seen.place if seen else str(target)}:
        if seen is not None and is_postgres(place):
            whole = _whole_there(place, seen)
        else:
            path = Path(place)
            whole = path.is_file() and not is_export(path) and _whole(path, seen)
        if whole:
            raise InvalidInput(
                argument="source",
                accepted="of a ledger that is damaged, lost or out of date",
                given=f"{place}, which is whole",
                hint="go on with it",
            )


def _whole_there(place: str, seen: Seen) -> bool:
    """Whether a database can be reached and has the ledger as it was seen; it is only read.

    The witness knows no passwords, so some that are whole cannot be reached from here.
    """
    try:
        with closing(Ledger.open(place)) as ledger:
            ledger.check_here()
            ledger.verify()
            found = ledger.entry(seen.sequence)
    except PeekproofError:
        return False
    return found is not None and found.digest.hex() == seen.digest


def _whole(place: Path, seen: Seen | None) -> bool:
    try:
        with _opened(place) as ledger:
            found = ledger.entry(seen.sequence) if seen else None
            ledger.override(reason="a trial", against="a copy")  # one that can also be written
            ledger.verify()
    except (LedgerDamaged, LedgerMoved, LedgerUnavailable):
        return False
    return seen is None or (found is not None and found.digest.hex() == seen.digest)


def _unvouched(place: str | None) -> InvalidInput:
    told = (
        "nothing tells what was asked since"
        if place is None
        else f"other machines may go on with the ledger at {place}"
    )
    return InvalidInput(
        argument="reason",
        accepted=f"given, because {told}",
        given="none",
        hint="say how you know that nothing was asked since, or will be there; the ledger records "
        "it, and every certificate says it",
    )


# Putting it in place --------------------------------------------------------------------------


def _record(made: Path, taken: _Taken, verdict: _Verdict, *, source: str) -> None:
    draft = Draft(after=_last(taken))
    draft.add(
        "restore",
        restore_body(
            source=source,
            continues=taken.identity,
            last=_last(taken),
            lost=verdict.lost,
            mended=taken.mended,
            reason=verdict.reason,
            against=verdict.against,
        ),
    )
    with translated(str(made)), closing(sqlite3.connect(made, isolation_level=None)) as connection:
        insert(connection, draft.entries)


def _set_aside(target: Path) -> str | None:
    """Give the files of a database a name that no others have; None if there are none.

    They have both names for a moment, and the database itself loses the old one first: whatever
    is interrupted, no byte is lost, and no new database meets the log of an old one.
    """
    there = [end for end in ("", *BESIDE) if Path(f"{target}{end}").exists()]
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for number in range(1, 1000) if there else ():
        kept = Path(f"{target}.damaged-{stamp}{'' if number == 1 else f'-{number}'}")
        if any(Path(f"{kept}{end}").exists() for end in ("", *BESIDE)):
            continue
        try:
            for end in there:
                os.link(f"{target}{end}", f"{kept}{end}")
            for end in there:
                Path(f"{target}{end}").unlink()
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            problem = f"cannot be set aside ({cause})"
            raise LedgerUnavailable(ledger=str(target), problem=problem) from error
        return str(kept)
    return None


def _last(taken: _Taken) -> Entry:
    if taken.last is None:
        raise LedgerDamaged(ledger=taken.state.ledger, problem=_NOTHING, hint=_OTHERWISE)
    return taken.last


def _opening(taken: _Taken) -> Opening:
    if taken.state.opening is None:
        raise LedgerDamaged(ledger=taken.state.ledger, problem=_NOTHING, hint=_OTHERWISE)
    return taken.state.opening

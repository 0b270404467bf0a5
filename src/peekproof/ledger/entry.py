"""Entries of a ledger and the chain that ties them together."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

from peekproof.core.errors import LedgerDamaged

GENESIS = bytes(32)

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)

# JSON as it lies in the file; `state` checks its shape before anything relies on it.
Body = dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger. `digest` covers this entry and, through the chain, all before."""

    sequence: int
    kind: str
    text: str = field(repr=False)  # of the first entry, it may hold a key
    digest: bytes

    @property
    def body(self) -> Body:
        found = json.loads(self.text)
        if not isinstance(found, dict):
            raise ValueError("an entry's body is an object")
        return found


def link(previous: bytes, sequence: int, kind: str, text: str) -> bytes:
    """The digest of an entry that follows the entry with digest `previous`."""
    return hashlib.sha256(previous + f"{sequence}\n{kind}\n{text}".encode()).digest()


def follow(previous: Entry | None, kind: str, body: Body) -> Entry:
    """The entry that records `body` after `previous`."""
    sequence = previous.sequence + 1 if previous else 1
    text = _JSON.encode(body)
    digest = link(previous.digest if previous else GENESIS, sequence, kind, text)
    return Entry(sequence, kind, text, digest)


def checked(entries: Iterable[Entry], *, after: Entry | None, ledger: str) -> Iterator[Entry]:
    """`entries` as they come, as long as each one continues the chain."""
    previous = after
    for entry in entries:
        expected = previous.sequence + 1 if previous else 1
        if entry.sequence != expected:
            raise LedgerDamaged(ledger=ledger, problem=f"lacks entry {expected}")
        before = previous.digest if previous else GENESIS
        if link(before, entry.sequence, entry.kind, entry.text) != entry.digest:
            raise LedgerDamaged(
                ledger=ledger, problem=f"was altered: entry {entry.sequence} breaks the chain"
            )
        yield entry
        previous = entry

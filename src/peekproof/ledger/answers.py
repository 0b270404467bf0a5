"""All answers of a ledger: the latest in memory, those before its snapshot where they lie."""

import threading
from collections.abc import Iterator, Mapping, MutableMapping
from itertools import islice
from typing import final

from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.entry import Entry, Settled, answers_from_body, checked
from peekproof.ledger.state import Latest
from peekproof.ledger.store import CHUNK, Store


@final
class Answers(MutableMapping[str, Settled]):
    """Answers by the digests of their questions, in the order in which they were settled."""

    def __init__(
        self, store: Store, *, upto: int, count: int, unit: str, lock: threading.RLock
    ) -> None:
        self._store = store
        self._upto, self._count = upto, count  # what the index knows of: entries, and answers
        self._unit = unit
        self._lock = lock
        self._new = Latest()
        self._found: dict[str, Settled] = {}

    def __getitem__(self, digest: str) -> Settled:
        if digest in self._new:
            return self._new[digest]
        if digest not in self._found:
            with self._lock:
                sequence = self._indexed(digest)
                if sequence is None:
                    raise KeyError(digest)
                self._found[digest] = self._settled(digest, sequence)
        return self._found[digest]

    def __contains__(self, digest: object) -> bool:
        if digest in self._new or digest in self._found:
            return True
        with self._lock:
            return self._indexed(str(digest)) is not None

    def __setitem__(self, digest: str, settled: Settled) -> None:
        self._new[digest] = settled

    def __delitem__(self, digest: str) -> None:
        raise TypeError("an answer is for ever")

    def __iter__(self) -> Iterator[str]:
        after = 0
        while after < self._upto:
            with self._lock:
                entries = self._store.read(after=after, most=min(CHUNK, self._upto - after))
            for entry in entries:
                if entry.kind == "answer":
                    yield from (str(each["digest"]) for each in entry.body["questions"])
            if not entries:
                raise self._damaged(after + 1)
            after = entries[-1].sequence
        yield from list(self._new)  # a copy, for another thread may add to it meanwhile

    def __len__(self) -> int:
        return self._count + len(self._new)

    def after(self, count: int) -> tuple[Settled, ...]:
        """All but the first `count` answers."""
        if count >= self._count:
            return tuple(self._new.listed[count - self._count :])
        return tuple(self[digest] for digest in islice(self, count, None))

    def _indexed(self, digest: str) -> int | None:
        sequence = self._store.settled(digest)
        return sequence if sequence is not None and sequence <= self._upto else None

    def _settled(self, digest: str, sequence: int) -> Settled:
        body = self._linked(sequence, "answer").body
        try:
            return answers_from_body(body, unit=self._unit)[digest]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(sequence) from error

    def _linked(self, sequence: int, kind: str) -> Entry:
        """One entry, once it is clear that it continues the one before it."""
        found = self._store.read(after=sequence - 2, most=2)
        if [each.sequence for each in found] != [sequence - 1, sequence]:
            raise self._damaged(sequence)
        (entry,) = checked(found[1:], after=found[0], ledger=self._store.place)
        if entry.kind != kind:
            raise self._damaged(sequence)
        return entry

    def _damaged(self, sequence: int) -> LedgerDamaged:
        problem = f"has an index that does not fit its entry {sequence}"
        return LedgerDamaged(ledger=self._store.place, problem=problem)


def answers_after(answers: Mapping[str, Settled], count: int) -> tuple[Settled, ...]:
    """All but the first `count` answers, in the order in which they were settled."""
    if isinstance(answers, Answers):
        return answers.after(count)
    if isinstance(answers, Latest):
        return tuple(answers.listed[count:])
    return tuple(islice(answers.values(), count, None))

"""Laws of every store of ledgers: what someone with an editor did to it does not go unnoticed."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from peekproof.core.errors import LedgerDamaged, LedgerError, LedgerTooNew
from peekproof.ledger.entry import Entry, follow
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import FORMAT
from peekproof.ledger.snapshot import taken
from peekproof.ledger.store import Snapshot
from peekproof.testing.engine import Engine, answer, eventful
from peekproof.testing.violation import Violation, require


def a_changed_entry_is_noticed(engine: Engine) -> None:
    """In its kind, its body or its digest, wherever it is."""

    def changes(entries: Sequence[Entry]) -> dict[str, Sequence[Entry]]:
        made: dict[str, Sequence[Entry]] = {}
        for index, entry in enumerate(entries):
            flipped = bytes([entry.digest[0] ^ 1]) + entry.digest[1:]
            for bent in (
                replace(entry, kind=f"{entry.kind}x"),
                replace(entry, text=entry.text.replace("1", "2", 1)),
                replace(entry, text=f"{entry.text} "),
                replace(entry, digest=flipped),
            ):
                made[f"entry {index + 1} as {bent}"] = [
                    *entries[:index],
                    bent,
                    *entries[index + 1 :],
                ]
        return made

    _noticed(engine, changes)


def lost_doubled_and_exchanged_entries_are_noticed(engine: Engine) -> None:
    """Also the last one, by whoever has seen it."""

    def changes(entries: Sequence[Entry]) -> dict[str, Sequence[Entry]]:
        made: dict[str, Sequence[Entry]] = {"no entries": []}
        for index, entry in enumerate(entries):
            without = [*entries[:index], *entries[index + 1 :]]
            made[f"no entry {index + 1}"] = without
            closed_up = [replace(each, sequence=n) for n, each in enumerate(without, start=1)]
            made[f"no entry {index + 1}, and new numbers"] = closed_up
            again = replace(entry, sequence=len(entries) + 1)
            made[f"entry {index + 1} once more"] = [*entries, again]
        for index in range(len(entries) - 1):
            one, two = entries[index : index + 2]
            swapped = [replace(two, sequence=one.sequence), replace(one, sequence=two.sequence)]
            made[f"entry {index + 2} first"] = [*entries[:index], *swapped, *entries[index + 2 :]]
        return made

    _noticed(engine, changes)


def a_false_snapshot_is_noticed(engine: Engine) -> None:
    """It has a sound digest, and yet says what the entries do not."""
    falsehoods: tuple[tuple[dict[str, str], dict[str, int]], ...] = (
        ({"spent": "1/9"}, {"p": 3}),
        ({}, {"p": 3, "ghost": 3}),
        ({}, {"p": 2}),
        ({}, {}),
    )
    for changed, index in falsehoods:
        with engine.made() as (store, ledger):
            answer(ledger, "p")
            (last,) = store.read(after=2, most=1)
            body = json.loads(taken(ledger.look()).text) | changed
            text = json.dumps(body, sort_keys=True, separators=(",", ":"))
            digest = hashlib.sha256(last.digest + text.encode()).digest()
            store.save(Snapshot(last.sequence, text, digest), index.items())
            try:
                Ledger(store).verify()
            except LedgerDamaged:
                continue
            raise Violation(f"{engine.name} verifies with a false snapshot")


def a_newer_entry_is_refused(engine: Engine) -> None:
    """The first, and any other."""
    for index in (0, 2):
        with engine.made() as (store, ledger):
            eventful(ledger)
            bodies = [(each.kind, each.body) for each in ledger.entries()]
            kind, body = bodies[index]
            bodies[index] = kind, {**body, "format": FORMAT + 1}
            engine.forge(store, chained(bodies))
            try:
                Ledger(store)
            except LedgerTooNew:
                continue
            raise Violation(f"{engine.name} reads an entry that a newer version wrote")


TAMPERING: tuple[Callable[[Engine], None], ...] = (
    a_changed_entry_is_noticed,
    lost_doubled_and_exchanged_entries_are_noticed,
    a_false_snapshot_is_noticed,
    a_newer_entry_is_refused,
)


def chained(bodies: Sequence[tuple[str, dict[str, object]]]) -> list[Entry]:
    """Entries with a sound chain, whatever they say."""
    found: list[Entry] = []
    for kind, body in bodies:
        found.append(follow(found[-1] if found else None, kind, body))
    return found


def _noticed(
    engine: Engine, changes: Callable[[Sequence[Entry]], dict[str, Sequence[Entry]]]
) -> None:
    """Whoever has the ledger open notices each change when it verifies, and none when undone."""
    with engine.made() as (store, ledger):
        eventful(ledger)
        entries = ledger.entries()
        for change, bent in changes(entries).items():
            if list(bent) == entries:
                continue
            engine.forge(store, bent)
            try:
                ledger.verify()
            except LedgerError:
                continue
            raise Violation(f"{engine.name} verifies with {change}")
        engine.forge(store, entries)
        require(ledger.verify() == len(entries), f"{engine.name} finds fault with what is sound")

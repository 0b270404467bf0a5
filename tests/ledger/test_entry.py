from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.entry import GENESIS, Entry, checked, follow, link


def chain() -> list[Entry]:
    entries: list[Entry] = []
    for number in range(4):
        entries.append(follow(entries[-1] if entries else None, "note", {"number": number}))
    return entries


def test_a_link_covers_what_came_before_and_every_field() -> None:
    plain = link(GENESIS, 1, "open", "{}")
    assert plain == hashlib.sha256(bytes(32) + b"1\nopen\n{}").digest()
    others = [
        link(b"\1" + bytes(31), 1, "open", "{}"),
        link(GENESIS, 2, "open", "{}"),
        link(GENESIS, 1, "opem", "{}"),
        link(GENESIS, 1, "open", "{} "),
    ]
    assert len({plain, *others}) == 5


def test_bodies_are_written_in_one_way() -> None:
    entry = follow(None, "open", {"b": "é", "a": [1, None]})
    assert entry.text == '{"a":[1,null],"b":"\\u00e9"}'
    assert entry.body == {"a": [1, None], "b": "é"}
    assert (entry.sequence, entry.kind) == (1, "open")
    with pytest.raises(ValueError, match="Out of range"):
        follow(None, "open", {"a": float("nan")})


@pytest.mark.parametrize("text", ["[1]", "7", "null", '"x"'])
def test_a_body_is_an_object(text: str) -> None:
    with pytest.raises(ValueError, match="an entry's body is an object"):
        _ = Entry(1, "open", text, bytes(32)).body


def test_an_unbroken_chain_passes_whole_or_from_any_point() -> None:
    entries = chain()
    assert list(checked(entries, after=None, ledger="L")) == entries
    for start in range(1, 4):
        rest = entries[start:]
        assert list(checked(rest, after=entries[start - 1], ledger="L")) == rest


def with_other(entry: Entry, **fields: object) -> Entry:
    old = {"sequence": entry.sequence, "kind": entry.kind, "text": entry.text}
    return Entry(**{**old, "digest": entry.digest, **fields})  # type: ignore[arg-type]


FAULTS: dict[str, tuple[Callable[[list[Entry]], list[Entry]], str]] = {
    "altered text": (
        lambda e: [e[0], with_other(e[1], text='{"number":9}'), *e[2:]],
        "entry 2 breaks the chain",
    ),
    "altered kind": (lambda e: [e[0], with_other(e[1], kind="nota"), *e[2:]], "entry 2 breaks"),
    "altered digest": (
        lambda e: [e[0], with_other(e[1], digest=bytes(32)), *e[2:]],
        "entry 2 breaks",
    ),
    "missing first": (lambda e: e[1:], "lacks entry 1"),
    "missing middle": (lambda e: [e[0], e[1], e[3]], "lacks entry 3"),
    "missing, renumbered": (
        lambda e: [e[0], e[1], with_other(e[3], sequence=3)],
        "entry 3 breaks the chain",
    ),
    "repeated": (lambda e: [e[0], e[1], e[1], *e[2:]], "lacks entry 3"),
    "exchanged": (lambda e: [e[0], e[2], e[1], e[3]], "lacks entry 2"),
    "exchanged, renumbered": (
        lambda e: [e[0], with_other(e[2], sequence=2), with_other(e[1], sequence=3), e[3]],
        "entry 2 breaks the chain",
    ),
}


@pytest.mark.parametrize(("alter", "problem"), FAULTS.values(), ids=FAULTS.keys())
def test_a_broken_chain_is_reported_where_it_breaks(
    alter: Callable[[list[Entry]], list[Entry]], problem: str
) -> None:
    with pytest.raises(LedgerDamaged, match=problem) as caught:
        list(checked(alter(chain()), after=None, ledger="the/place"))
    assert caught.value.ledger == "the/place"


def test_the_format_cannot_change_silently() -> None:
    """Another value here makes every existing ledger unreadable."""
    entry = follow(None, "open", {"budget": "10/3", "name": "é"})
    second = follow(entry, "reserve", {})
    assert second.digest.hex() == "7c965fb1fdaff5f8bb75344c3cf1b272847ecf334f094db369e2a6abab9dfb72"

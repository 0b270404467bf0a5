from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from ledger.books import answer, chained, lines, lose
from peekproof.core.errors import LedgerDamaged, LedgerError, LedgerUnavailable
from peekproof.ledger.entry import Entry, follow
from peekproof.ledger.export import (
    ExportStore,
    FirstContinues,
    Identical,
    Parted,
    SecondContinues,
    difference,
    export,
    is_export,
    numbered,
    read_export,
)
from peekproof.ledger.ledger import Ledger

PAGE = Path(__file__).parents[2] / "docs/reference/ledger-format.md"


@pytest.fixture
def exported(memory: Ledger, tmp_path: Path) -> Path:
    """An export of seven entries."""
    answer(memory, "a", "ü > 1")
    answer(memory, "b")
    lose(memory, "c")
    memory.retire()
    return written(memory, tmp_path / "people.jsonl")


def written(ledger: Ledger, path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        assert export(ledger, file) == len(ledger.entries())
    return path


def test_a_line_is_an_entry_with_the_text_that_was_hashed(memory: Ledger, exported: Path) -> None:
    *found, end = [json.loads(line) for line in exported.read_text().splitlines()]
    rows = chained([(line["kind"], json.loads(line["body"])) for line in found])
    assert [tuple(line.values()) for line in found] == [
        (sequence, kind, text, digest.hex()) for sequence, kind, text, digest in rows
    ]
    assert list(found[0]) == ["sequence", "kind", "body", "digest"]
    assert end == {"entries": 7, "digest": rows[-1][3].hex()}


def test_an_export_is_plain_ascii_whatever_was_asked(exported: Path) -> None:
    assert exported.read_bytes().isascii()
    _, reserved, *_ = read_export(exported)
    assert reserved.body["questions"][1]["text"] == "ü > 1 > 1"


def test_reading_gives_the_entries_back(memory: Ledger, exported: Path) -> None:
    assert list(read_export(exported)) == memory.entries()


def test_a_store_without_entries_is_not_exported(memory: Ledger) -> None:
    class Empty:
        place = "nowhere"

        def stream(self) -> list[Entry]:
            return []

    with pytest.raises(LedgerDamaged, match="has no entries"):
        export(Empty(), StringIO())


def test_a_broken_chain_is_not_exported(memory: Ledger) -> None:
    class Broken:
        place = "broken"

        def stream(self) -> list[Entry]:
            first = memory.entries()[0]
            return [Entry(first.sequence, first.kind, first.text, bytes(32))]

    with pytest.raises(LedgerDamaged, match="entry 1 breaks the chain"):
        export(Broken(), StringIO())


def edited(exported: Path, number: int, change: Callable[[str], str]) -> Path:
    kept = exported.read_text().splitlines(keepends=True)
    kept[number - 1] = change(kept[number - 1])
    exported.write_text("".join(kept))
    return exported


def with_field(name: str, value: object) -> Callable[[str], str]:
    return lambda line: json.dumps({**json.loads(line), name: value}) + "\n"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _: "\n", "line 3 is not JSON"),
        (lambda line: line[:-9] + "\n", "line 3 is not JSON"),
        (lambda _: "[" * 100_000 + "\n", "line 3 is not JSON"),
        (lambda _: "[1]\n", "line 3 does not have the fields sequence, kind, body, digest"),
        (lambda _: "{}\n", "line 3 does not have the fields"),
        (with_field("note", 1), "line 3 does not have the fields"),
        (with_field("sequence", "3"), "line 3 has a sequence that is no int"),
        (with_field("sequence", True), "line 3 has a sequence that is no int"),
        (with_field("sequence", 3.0), "line 3 has a sequence that is no int"),
        (with_field("kind", None), "line 3 has a kind that is no str"),
        (with_field("body", {"a": 1}), "line 3 has a body that is no str"),
        (with_field("digest", 5), "line 3 has a digest that is no str"),
        (with_field("digest", "ab"), "line 3 has a digest that is not 64 hexadecimal digits"),
        (with_field("digest", "é" * 64), "line 3 has a digest that is not 64 hexadecimal digits"),
        (lambda line: line.replace(": ", ":"), "line 3 is not written as an export writes it"),
        (lambda line: line.replace("\n", "\r\n"), "line 3 is not written as an export"),
        (with_field("digest", "00" * 32), "entry 3 breaks the chain"),
        (with_field("body", "{}"), "entry 3 breaks the chain"),
        (with_field("sequence", 4), "lacks entry 3"),
    ],
)
def test_a_line_that_does_not_fit_is_named(
    change: Callable[[str], str], problem: str, exported: Path
) -> None:
    with pytest.raises(LedgerDamaged, match=re.escape(problem)) as caught:
        list(read_export(edited(exported, 3, change)))
    assert caught.value.ledger == str(exported)


def test_an_export_that_is_cut_off_is_never_taken_for_a_whole_one(exported: Path) -> None:
    whole = exported.read_bytes()
    for length in range(len(whole)):
        with pytest.raises(LedgerDamaged, match=r"is cut off"):
            list(numbered(BytesIO(whole[:length]), place="people.jsonl"))


def test_nothing_follows_the_end(exported: Path) -> None:
    last = exported.read_text().splitlines(keepends=True)[-1]
    with exported.open("a") as file:
        file.write(last)
    with pytest.raises(LedgerDamaged, match="line 9 follows the end"):
        list(read_export(exported))


def test_an_end_of_something_else_is_named(exported: Path) -> None:
    with pytest.raises(LedgerDamaged, match="line 8 ends another list of entries"):
        list(read_export(edited(exported, 8, with_field("entries", 6))))


def test_what_cannot_be_read_is_unavailable(tmp_path: Path) -> None:
    for place in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(LedgerUnavailable, match="cannot be read"):
            list(read_export(place))
        with pytest.raises(LedgerUnavailable, match="cannot be read"):
            ExportStore(place)


def test_an_export_opens_as_a_ledger_that_is_only_read(memory: Ledger, exported: Path) -> None:
    ledger = Ledger(ExportStore(exported))
    assert lines(ledger) == lines(memory)
    assert (ledger.spent(), ledger.draws()) == (memory.spent(), memory.draws())
    assert dict(ledger.answers()) == dict(memory.answers())
    assert ledger.verify() == 7
    before = exported.read_bytes()
    with pytest.raises(LedgerUnavailable, match="is an export, which is only read"):
        ledger.override(reason="r", against="a")
    with pytest.raises(LedgerUnavailable, match="is an export"):
        ExportStore(exported).commit([])
    assert ExportStore(exported).settled("a") is None
    ledger.close()
    assert exported.read_bytes() == before
    with pytest.raises(LedgerError, match="was closed"):
        ledger.look()


def test_an_export_of_an_export_is_the_same(exported: Path, tmp_path: Path) -> None:
    ledger = Ledger(ExportStore(exported))
    again = written(ledger, tmp_path / "again.jsonl")
    ledger.close()
    assert again.read_bytes() == exported.read_bytes()


def test_a_long_export_opens_though_no_snapshot_can_be_saved(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peekproof.ledger.log._DUE", 2)
    ledger = Ledger(ExportStore(exported))
    assert ledger.verify() == 7
    ledger.close()


def test_exports_are_told_by_their_first_bytes_or_their_name(
    exported: Path, tmp_path: Path
) -> None:
    other = exported.rename(tmp_path / "renamed.txt")
    assert is_export(other)
    (tmp_path / "empty.jsonl").touch()
    assert is_export(tmp_path / "empty.jsonl")
    (tmp_path / "people.csv").write_text("age\n1\n")
    assert not is_export(tmp_path / "people.csv")
    assert not is_export(tmp_path)


def checker() -> str:
    """The program on the page about the format, which knows nothing of Peekproof."""
    (found,) = [
        block
        for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        if "sha256" in block
    ]
    return str(found)


def test_ten_lines_of_python_check_an_export(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = checker()
    assert len(program.splitlines()) <= 10
    assert "peekproof" not in program
    monkeypatch.chdir(exported.parent)
    exec(compile(program, str(PAGE), "exec"), {})
    for number in range(1, 8):
        kept = exported.read_text()
        edited(exported, number, lambda line: line.replace("1", "2", 1))
        with pytest.raises(AssertionError):
            exec(compile(program, str(PAGE), "exec"), {})
        exported.write_text(kept)


# Differences ----------------------------------------------------------------------------------


def chain(*numbers: int) -> list[Entry]:
    entries: list[Entry] = []
    for number in numbers:
        entries.append(follow(entries[-1] if entries else None, "note", {"number": number}))
    return entries


def test_ledgers_are_identical_or_continue_one_another_or_part() -> None:
    short, long, other = chain(1, 2), chain(1, 2, 3, 4), chain(1, 5, 3, 4)
    assert difference(long, list(long)) == Identical(4)
    assert difference(long, short) == FirstContinues(2, 2)
    assert difference(short, long) == SecondContinues(2, 2)
    assert difference(long, other) == Parted(1, long[1], other[1])
    assert difference(short, chain(7)) == Parted(0, short[0], chain(7)[0])
    assert difference([], []) == Identical(0)

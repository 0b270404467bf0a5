"""Ledgers of every format that was ever written: they open, add up and go on, for ever."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

import peekproof
from peekproof.core.answer import Answer
from peekproof.core.errors import LedgerClosed
from peekproof.core.histogram_answer import HistogramAnswer
from peekproof.core.quantile_answer import QuantileAnswer
from peekproof.ledger.export import export, read_export
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import FORMAT
from peekproof.ledger.record import Settled
from peekproof.mechanisms.checking import Checking
from peekproof.session.receipt import receipts
from peekproof.session.replay import replay
from peekproof.session.session import Session
from ledger.formats.data import DATA
from ledger.formats.make import main as make

FOLDER = Path(__file__).parent / "formats"
FIXTURES = sorted(FOLDER.glob("*/*.peekproof"))
KINDS = {"open", "reserve", "settle", "refuse", "share", "override", "close"}
NEW = "income > 20000"

each_fixture = pytest.mark.parametrize(
    "fixture", FIXTURES, ids=lambda path: f"{path.parent.name}-{path.stem}"
)


@pytest.fixture
def copy(fixture: Path, tmp_path: Path) -> Path:
    """A copy to work on: opening migrates a file, and a fixture never changes."""
    return Path(shutil.copy(fixture, tmp_path / fixture.name))


@pytest.fixture
def book(copy: Path) -> Iterator[Ledger]:
    with closing(Ledger.open(str(copy))) as ledger:
        yield ledger


def test_every_format_and_every_kind_of_entry_has_its_ledgers() -> None:
    assert {path.parent.name for path in FIXTURES} == {str(n) for n in range(1, FORMAT + 1)}
    assert all(path.with_suffix(".json").exists() for path in FIXTURES)
    newest = [path for path in FIXTURES if path.parent.name == str(FORMAT)]
    found = {kind for path in newest for kind in json.loads(expected(path))["kinds"]}
    assert found == KINDS


def expected(fixture: Path) -> str:
    return fixture.with_suffix(".json").read_text()


@each_fixture
def test_a_fixture_is_of_the_format_of_its_folder(fixture: Path) -> None:
    place = f"file:{fixture}?mode=ro&immutable=1"
    with closing(sqlite3.connect(place, uri=True)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (text,) = connection.execute("SELECT body FROM entry WHERE sequence = 1").fetchone()
    assert version == json.loads(text)["format"] == int(fixture.parent.name)


@each_fixture
def test_an_old_ledger_verifies_and_replays_to_what_was_recorded(
    fixture: Path, book: Ledger
) -> None:
    recorded = json.loads(expected(fixture))
    assert book.verify() == recorded["entries"]
    assert replay(book).to_dict() == recorded


@each_fixture
def test_an_old_ledger_is_brought_to_the_format_of_today(book: Ledger, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
        assert connection.execute("SELECT count(*) FROM snapshot").fetchone()[0] <= 1


@each_fixture
def test_an_export_of_an_old_ledger_replays_to_the_same(book: Ledger, tmp_path: Path) -> None:
    written = StringIO()
    assert export(book, written) == len(book.entries())
    path = tmp_path / "export.jsonl"
    path.write_text(written.getvalue())
    assert list(read_export(path)) == book.entries()


@each_fixture
def test_every_old_answer_has_a_receipt(fixture: Path, book: Ledger) -> None:
    found = list(receipts(book))
    assert [each.digest for each in found] == list(replay(book).state.answers)
    for each in found:
        kept = [line for line in each.text().splitlines() if fixture.name not in line]
        assert max(map(len, kept)) <= 80


@pytest.mark.parametrize("fixture", [FOLDER / "2" / "shares.peekproof"])
def test_answers_have_one_order_with_a_snapshot_and_without(book: Ledger) -> None:
    assert list(book.answers()) == list(replay(book).state.answers)


def again(data: Session, settled: Settled) -> tuple[Fraction | float, ...]:
    """The answer to a question that was answered before, as released."""
    if settled.text.startswith("the largest of "):
        candidates = settled.text.split(": ", 1)[1].split("; ")
        return (data.best(candidates).index,)
    (found,) = data.respond([settled.text])
    match found:
        case Answer():
            return (found.span.share(found.released),)
        case HistogramAnswer():
            return tuple(cell.released for cell in found)
        case QuantileAnswer():
            return (found.value,)
        case _:
            raise TypeError("of no form that was there")


def as_recorded(settled: Settled) -> tuple[Fraction | float, ...]:
    value = settled.value if isinstance(settled.value, tuple) else (settled.value,)
    if settled.terms.get("kind") == "guess-and-check":
        return value[:1]
    if settled.terms.get("kind") == "quantile":  # of 256 cells from 0 to 100, the upper end
        return (float((value[0] + 1) * 100 / 256),)
    return value


@each_fixture
def test_old_answers_are_free_and_a_new_question_is_answered(copy: Path) -> None:
    with peekproof.open(DATA, ledger=copy) as data:
        draws, known = data.ledger.draws(), dict(data.ledger.answers())
        assert known
        for settled in known.values():
            assert again(data, settled) == as_recorded(settled)
        assert data.ledger.draws() == draws
        if data.ledger.seen.closed:
            with pytest.raises(LedgerClosed):
                data.ask(NEW)
            return
        checking = isinstance(data.plan.mechanism, Checking)
        answer = data.ask(NEW, guess=0.6, tolerance=0.3) if checking else data.ask(NEW)
        assert not answer.replayed
        assert data.ledger.draws() == draws + 1
        assert answer.certificate.verify().radius == answer.certificate.radius
        entries = data.ledger.verify()
    with peekproof.open(DATA, ledger=copy) as data:
        assert data.ask(NEW).released == answer.released
        assert data.ledger.verify() == entries


def test_a_snapshot_of_an_old_ledger_is_in_use() -> None:
    """Of some fixture: otherwise only entries would be tested."""
    place = f"file:{FOLDER / '2' / 'shares.peekproof'}?mode=ro&immutable=1"
    with closing(sqlite3.connect(place, uri=True)) as connection:
        assert connection.execute("SELECT sequence FROM snapshot").fetchall() == [(10,)]


def test_ledgers_are_made_with_every_kind_of_entry_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    make(folder)
    kinds = set()
    for path in folder.iterdir():
        with closing(Ledger.open(str(path))) as ledger:
            ledger.verify()
            kinds |= {entry.kind for entry in ledger.entries()}
    assert kinds == KINDS
    assert sorted(path.name for path in folder.iterdir()) == [
        path.name for path in FIXTURES if path.parent.name == str(FORMAT)
    ]
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SystemExit, match="are made once"):
        make(folder)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before

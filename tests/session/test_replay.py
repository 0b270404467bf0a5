from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import peekproof
from ledger.books import chained, overwrite
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.ledger import Ledger
from peekproof.session.replay import replay

DATA = {"age": [float(18 + (7 * i) % 70) for i in range(2000)]}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger with a histogram, a quantile and a choice, and a snapshot after them."""
    path = tmp_path / "people.peekproof"
    with peekproof.open(DATA, questions=200, ledger=path, mechanisms=[peekproof.Gaussian]) as data:
        data.histogram("histogram(age, (30, 50))")
        data.quantile("quantile(age, 0.5, 0, 100)", loss=0.2)
        data.best(["age > 20", "age > 80"], loss=0.2)
    monkeypatch.setattr("peekproof.ledger.log._DUE", 4)
    Ledger.open(str(path)).close()
    monkeypatch.undo()
    return path


def replayed(place: Path) -> dict[str, object]:
    with closing(Ledger.open(str(place))) as ledger:
        return replay(ledger).to_dict()


def test_a_replay_from_nothing_agrees_with_the_snapshot(place: Path) -> None:
    with closing(Ledger.open(str(place))) as ledger:
        found = replay(ledger)
        assert found.entries == 4
        assert found.state.spent == ledger.spent()
        assert found.state.answers == dict(ledger.answers())
        assert found.certificates == 3


def test_progress_is_told_in_steps(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peekproof.session.replay._STEP", 2)
    told: list[tuple[int, int]] = []
    with closing(Ledger.open(str(place))) as ledger:
        replay(ledger, progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 4), (4, 4)]


def test_a_forged_snapshot_does_not_survive_a_replay(place: Path) -> None:
    """One that gives the whole budget back, with a digest that fits."""
    with closing(sqlite3.connect(place)) as connection, connection:
        (text,) = connection.execute("SELECT body FROM snapshot").fetchone()
        (last,) = connection.execute("SELECT digest FROM entry WHERE sequence = 4").fetchone()
        body = {**json.loads(text), "spent": "0", "draws": 0}
        forged = json.dumps(body, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(last + forged.encode()).digest()
        connection.execute("UPDATE snapshot SET body = ?, digest = ?", (forged, digest))
    with closing(Ledger.open(str(place))) as ledger:
        assert ledger.draws() == 0
        with pytest.raises(LedgerDamaged, match="opens with another state than its entries give"):
            replay(ledger)


def test_what_is_written_during_a_replay_is_not_damage(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Ledger.open(str(place))) as ledger:
        entries = ledger.entries()
        monkeypatch.setattr(ledger, "stream", lambda: iter(entries))
        ledger.override(reason="meanwhile", against="pp1-0")
        assert replay(ledger).entries == 4


def test_a_ledger_without_entries_is_damaged(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Ledger.open(str(place))) as ledger:
        monkeypatch.setattr(ledger, "stream", list)
        with pytest.raises(LedgerDamaged, match="has no entries"):
            replay(ledger)


Change = Callable[[list[dict[str, Any]]], None]


def told(entry: int, value: object) -> Change:
    """Another answer in entry `entry`."""

    def change(bodies: list[dict[str, Any]]) -> None:
        (question,) = bodies[entry - 1]["questions"]
        question["value"] = value

    return change


def cheaper(bodies: list[dict[str, Any]]) -> None:
    """The quantile for half of its price, with all sums as they should be."""
    half = Fraction(bodies[2]["cost"]) / 2
    bodies[2]["cost"] = str(half)
    for body in bodies[2:]:
        body["spent"] = str(Fraction(body["spent"]) - half)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (told(2, ["1/2", "1/4"]), "not as many as were drawn"),
        (told(2, ["1/2", "1/4", "5/4"]), "it is no share"),
        (told(2, "1/2"), "not as many as were drawn"),
        (told(3, "256"), "it is no place in the list"),
        (told(3, "1/2"), "it is no place in the list"),
        (told(3, ["1", "1"]), "it is no place in the list"),
        (told(4, "2"), "it is no place in the list"),
        (told(4, "-1"), "it is no place in the list"),
        (cheaper, "paid otherwise than it costs"),
    ],
)
def test_a_sound_chain_of_what_cannot_be_is_damage(
    change: Change, problem: str, place: Path
) -> None:
    with closing(Ledger.open(str(place))) as ledger:
        entries = ledger.entries()
    bodies = [json.loads(entry.text) for entry in entries]
    change(bodies)
    overwrite(place, chained(list(zip((entry.kind for entry in entries), bodies, strict=True))))
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("DELETE FROM snapshot")
        connection.execute("DELETE FROM settled")
    with closing(Ledger.open(str(place))) as ledger:
        ledger.verify()
    with pytest.raises(LedgerDamaged, match=problem):
        replayed(place)


def test_a_check_that_cannot_have_come_out_so_is_damage(tmp_path: Path) -> None:
    place = tmp_path / "guesses.peekproof"
    with peekproof.open(DATA, questions=20, ledger=place, mechanisms=[peekproof.Checking]) as data:
        data.ask("age > 50", guess=0.5, tolerance=0.2)
    assert replayed(place)["certificates"] == 1
    with closing(Ledger.open(str(place))) as ledger:
        entries = ledger.entries()
    bodies = [json.loads(entry.text) for entry in entries]
    told(2, ["2/5", "0"])(bodies)  # a guess that passed is the answer, and it was 1/2
    overwrite(place, chained(list(zip((entry.kind for entry in entries), bodies, strict=True))))
    with pytest.raises(LedgerDamaged, match="a draw that cannot be"):
        replayed(place)

"""`peekproof ledger restore`: what it makes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peekproof
from cli.running import Run


@pytest.fixture
def place(run: Run, people: Path) -> Path:
    """A ledger of twenty questions, two of them asked."""
    for question in ("age < 30", "age < 60"):
        asked = ("--questions", "20") if question == "age < 30" else ()
        assert run("ask", str(people), question, *asked).code == 0
    return Path(f"{people}.peekproof")


def damage(place: Path, text: bytes, *, bits: int = 1) -> None:
    content = bytearray(place.read_bytes())
    found = content.index(text)
    for number in range(bits):
        content[found + 2 * number] ^= 1
    place.write_bytes(content)


def test_a_flipped_bit_costs_nothing_and_certificates_say_it(
    run: Run, people: Path, place: Path
) -> None:
    damage(place, b"age < 60")
    assert run("ask", str(people), "age < 90").code == 4
    done = run("ledger", "restore", str(people))
    assert done.code == 0, done.err
    assert "restored from a damaged file, 3 entries" in done.out
    assert "nothing that was seen is lost" in done.out
    assert len(list(place.parent.glob("*.damaged-*Z"))) == 1
    with peekproof.open(people) as data:
        assert data.remaining == 18
        answer = data.ask("age < 90")
        assert any(
            "the ledger was restored from" in each for each in answer.certificate.assumptions
        )
        assert answer.certificate.verify() == answer.certificate
    for command in ("verify", "replay", "show", "receipt"):
        assert run("ledger", command, str(people)).code == 0
    assert "restored from a damaged file" in run("ledger", "receipt", str(people), "1").out


def test_what_is_lost_counts_as_spent(run: Run, people: Path, place: Path) -> None:
    with peekproof.open(people) as data:
        known = data.ask("age < 30").value
    damage(place, b"age < 60", bits=2)
    said = json.loads(run("ledger", "restore", str(place), "--json").out)
    assert (said["entries"], said["lost"]) == (2, 1)
    assert json.loads(run("ledger", "show", str(people), "--json").out)["remaining"] == 0
    with peekproof.open(people) as data:
        assert data.remaining == 0
        assert data.ask("age < 30").value == known
        with pytest.raises(peekproof.LedgerClosed, match="an entry or more could not be"):
            data.ask("age < 60")


def test_an_export_brings_back_a_lost_ledger(run: Run, people: Path, place: Path) -> None:
    export = people.with_name("people.jsonl")
    assert run("ledger", "export", str(people), "--out", str(export)).code == 0
    place.unlink()
    assert run("ledger", "restore", str(export)).code == 2
    done = run("ledger", "restore", str(export), "--to", str(people))
    assert done.code == 0, done.err
    assert people.read_text().startswith("age")
    with peekproof.open(people) as data:
        assert data.remaining == 18


def test_without_a_witness_a_reason_is_needed_and_recorded(
    run: Run, people: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(place, b"age < 60")
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    refused = run("ledger", "restore", str(place))
    assert refused.code == 2
    assert "nothing tells what was asked since" in refused.err
    assert run("ledger", "restore", str(place), "--reason", " ").code == 2
    assert run("ledger", "restore", str(place), "--reason", "only I ask").code == 0
    with peekproof.open(people) as data:
        assert any("only I ask" in each for each in data.plan.certificate.assumptions)


def test_what_no_witness_saw_is_not_said_to_be_complete(
    run: Run, people: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = people.with_name("people.jsonl")
    assert run("ledger", "export", str(people), "--out", str(export)).code == 0
    place.unlink()
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    done = run("ledger", "restore", str(export), "--to", str(place), "--reason", "only I ask")
    assert done.code == 0, done.err
    assert "nothing that was seen" not in done.out
    told = " ".join(done.out.split())
    assert "no witness tells whether anything was written after entry" in told


@pytest.mark.parametrize("arguments", [("postgresql://h/d",), ("X", "--to", "postgresql://h/d")])
def test_databases_are_refused(run: Run, place: Path, arguments: tuple[str, ...]) -> None:
    given = [str(place) if each == "X" else each for each in arguments]
    done = run("ledger", "restore", *given)
    assert done.code == 2
    assert "ledger move" in done.err

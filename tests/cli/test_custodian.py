"""Commands of a ledger's custodian: shares, who asked, closing."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cli.running import Run


@pytest.fixture
def book(run: Run, people: Path) -> str:
    assert run("ask", str(people), "age < 1", "--questions", "20", "--analyst", "ann").code == 0
    return f"{people}.peekproof"


def test_shares_are_set_moved_and_taken_back(run: Run, people: Path, book: str) -> None:
    first = json.loads(run("ledger", "share", book, "ann=1/4", "bob=0.5", "--json").out)
    second = json.loads(run("ledger", "share", str(people), "bob=", "eve=1/10", "--json").out)

    assert first["rest"] == "1/4"
    assert {each["analyst"]: each["share"] for each in first["analysts"]} == {
        "ann": "1/4",
        "bob": "1/2",
    }
    assert second["rest"] == "13/20"
    assert {each["analyst"]: each["questions_left"] for each in second["analysts"]} == {
        "ann": 4,
        "eve": 2,
    }


def test_a_share_is_kept_by_every_command(run: Run, people: Path, book: str) -> None:
    run("ledger", "share", book, "ann=1/10", "bob=9/10")
    asked = run("ask", str(people), "age < 2", "--analyst", "ann")
    refused = run("ask", str(people), "age < 3", "--analyst", "ann")
    nobody = run("ask", str(people), "age < 3")

    assert asked.code == 0
    assert "0 new questions left" in asked.out
    assert (refused.code, refused.out) == (3, "")
    assert "left in ann's share" in refused.err
    assert nobody.code == 3
    told = run("ledger", "analysts", book).out
    assert [line.split()[:4] for line in told.splitlines()[1:4]] == [
        ["ann", "1/10", "2", "10.0%"],
        ["bob", "9/10", "0", "0.0%"],
        ["0.0%", "of", "the", "budget"],
    ]
    assert "0.0% of the budget is for all who have no share of their own" in told


@pytest.mark.parametrize(
    "text", ["ann", "=1/2", "ann=much", "ann=1/0", "ann=2", "ann=-1", "a\nb=1"]
)
def test_absurd_shares_are_refused(text: str, run: Run, book: str) -> None:
    done = run("ledger", "share", book, text)
    assert (done.code, done.out) == (2, "")
    assert "must be" in done.err


def test_closing_asks_first_and_is_for_good(
    run: Run, people: Path, book: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))
    assert run("ledger", "close", book).code != 0
    assert run("ask", str(people), "age < 2").code == 0
    assert "questions asked: 2" in run("ledger", "close", book, "--yes").out
    closed = run("ask", str(people), "age < 3")
    assert (closed.code, closed.out) == (4, "")
    assert run("ask", str(people), "age < 2").code == 0

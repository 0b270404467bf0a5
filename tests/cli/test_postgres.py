"""Commands whose ledger is in PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cli.running import Run
from ledger.postgres_server import Database

AGES = np.random.default_rng(6).uniform(0, 100, 3000)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "\n".join(str(age) for age in AGES))
    return path


def test_commands_take_a_database_for_a_ledger(run: Run, csv: Path, database: Database) -> None:
    place = database.place("people")
    done = run("ask", str(csv), "age > 50", "--questions", "20", "--ledger", place, "--json")
    assert done.code == 0, done.err
    shown = json.loads(run("ledger", "show", place, "--json").out)
    assert shown["draws"] == 1
    assert run("ledger", "verify", place).code == 0
    assert run("ledger", "share", place, "ann=1/2").code == 0
    assert run("ledger", "replay", place).code == 0
    assert run("ledger", "receipt", place, "1").code == 0
    assert run("ask", str(csv), "age > 60", "--ledger", place, "--analyst", "ann").code == 0
    unnamed = run("ask", str(csv), "age > 60", "--ledger", database.uri)
    assert unnamed.code == 4
    assert "ledger=people" in unnamed.err


def test_a_ledger_moves_and_the_file_says_where(run: Run, csv: Path, database: Database) -> None:
    assert run("ask", str(csv), "age > 50", "--questions", "20").code == 0
    place = database.place("people")
    done = run("ledger", "move", str(csv), place)
    assert done.code == 0, done.err
    assert "5 entries" in done.out
    old = run("ask", str(csv), "age > 60")
    assert old.code == 4
    assert "was moved" in old.err
    assert "ledger=people" in old.err
    assert run("ledger", "verify", str(csv)).code == 0
    asked = run("ask", str(csv), "age > 60", "--ledger", place, "--json")
    assert asked.code == 0, asked.err
    assert json.loads(run("ledger", "show", place, "--json").out)["draws"] == 2
    back = str(csv.with_name("back.peekproof"))
    assert json.loads(run("ledger", "move", place, back, "--json").out)["entries"] == 9
    assert run("ask", str(csv), "age > 70", "--ledger", place).code == 4
    assert run("ask", str(csv), "age > 70", "--ledger", back).code == 0
    assert run("ledger", "replay", back).code == 0

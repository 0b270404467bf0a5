import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import peekproof
from cli.running import Run
from peekproof.core.errors import EvaluationFailed
from peekproof.data.table import Table
from peekproof.noise.entropy import Seeded


@pytest.fixture
def book(run: Run, people: Path) -> str:
    """A ledger with two answers of a budget of five."""
    assert run("ask", str(people), "smoker", "age < 30", "--questions", "5").code == 0
    return f"{people}.peekproof"


def alter(book: str, statement: str) -> None:
    with closing(sqlite3.connect(book, isolation_level=None)) as connection:
        changed = connection.execute(statement).rowcount
    assert changed == 1


def lose_one(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pay for a question whose answer is never drawn."""

    def fail(*_: object) -> object:
        raise EvaluationFailed

    with monkeypatch.context() as patch:
        patch.setattr(Table, "count", fail)
        assert run("ask", str(people), "age < 40").code != 0


def test_show_lists_answers_and_what_is_left(run: Run, book: str) -> None:
    done = run("ledger", "show", book)

    assert (done.code, done.err) == (0, "")
    assert "4,000 rows" in done.out
    assert "confidence 0.95" in done.out
    assert "2 of 5 questions asked, 3 more as planned" in done.out
    assert "never answered" not in done.out
    assert [line.split(maxsplit=3)[3] for line in done.out.splitlines()[-2:]] == [
        "smoker",
        "age < 30",
    ]
    assert "seed" not in done.out


def test_show_repeats_the_lines_of_ask(run: Run, people: Path, book: str) -> None:
    asked = run("ask", str(people), "smoker", "age < 30").out.splitlines()[1:3]
    shown = run("ledger", "show", book).out.splitlines()[-2:]

    assert [line.split()[:3] for line in shown] == [line.split()[:3] for line in asked]


def test_show_says_that_noise_was_seeded(run: Run, people: Path) -> None:
    with peekproof.open(people, questions=5, entropy=Seeded(3)) as data:
        data.ask("smoker")

    assert "noise from seed 3: for tests only" in run("ledger", "show", str(people)).out


def test_the_data_file_stands_for_the_ledger_beside_it(run: Run, people: Path, book: str) -> None:
    for command in ("show", "verify"):
        for form in ([], ["--json"]):
            beside = run("ledger", command, str(people), *form)
            direct = run("ledger", command, book, *form)

            assert beside == direct
            assert beside.code == 0


def test_show_in_json_repeats_the_answers_as_given(run: Run, people: Path, book: str) -> None:
    again = json.loads(run("ask", str(people), "smoker", "age < 30", "--json").out)
    done = run("ledger", "show", book, "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (0, "")
    assert found["ledger"] == book
    assert found["rows"] == 4_000
    assert found["questions"] == 5
    assert float(Fraction(found["confidence"])) == 0.95
    assert (found["draws"], found["unanswered"], found["remaining"]) == (2, 0, 3)
    assert Fraction(found["spent"]) * 5 == Fraction(found["budget"]) * 2
    names = ("question", "value", "low", "high")
    assert [[each[name] for name in names] for each in found["answers"]] == [
        [each[name] for name in names] for each in again["answers"]
    ]
    assert found["radius"] == again["certificate"]["radius"]


def test_a_new_ledger_has_no_table(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_one(run, people, monkeypatch)
    done = run("ledger", "show", str(people))

    assert done.code == 0
    assert len(done.out.splitlines()) == 4
    assert "value" not in done.out


def test_a_question_paid_for_but_never_answered_is_shown(
    run: Run, people: Path, book: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_one(run, people, monkeypatch)
    done = run("ledger", "show", book)
    found = json.loads(run("ledger", "show", book, "--json").out)

    assert "3 of 5 questions asked, 2 more as planned" in done.out
    assert "1 paid for but never answered" in done.out
    assert (found["draws"], found["unanswered"], found["remaining"]) == (3, 1, 2)
    assert len(found["answers"]) == 2
    assert run("ledger", "verify", book).code == 0


def test_verify_counts_the_entries(run: Run, book: str) -> None:
    done = run("ledger", "verify", book)
    found = json.loads(run("ledger", "verify", book, "--json").out)

    # One entry opens the ledger, one charges for both questions and answers them.
    assert (done.code, done.err) == (0, "")
    assert "2 entries" in done.out
    assert "intact" in done.out
    assert found == {"ledger": book, "entries": 2, "intact": True}


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE entry SET body = replace(body, '5', '6') WHERE sequence = 1", "entry 1 breaks"),
        ("UPDATE entry SET kind = 'answered' WHERE sequence = 2", "entry 2 breaks"),
        ("UPDATE entry SET digest = zeroblob(32) WHERE sequence = 2", "entry 2 breaks"),
        ("DELETE FROM entry WHERE sequence = 2", "lacks entry 2"),
        ("DELETE FROM entry WHERE sequence = 1", "lacks entry 1"),
    ],
)
def test_a_tampered_ledger_exits_4_everywhere(
    run: Run, people: Path, book: str, statement: str, problem: str
) -> None:
    assert run("ask", str(people), "age < 33").code == 0
    alter(book, statement)
    commands = (
        ["ledger", "verify", book],
        ["ledger", "show", book],
        ["ask", str(people), "smoker"],
    )
    for command in commands:
        done = run(*command)
        in_json = run(*command, "--json")

        assert (done.code, done.out) == (4, "")
        assert problem in done.err
        assert (in_json.code, in_json.err) == (4, "")
        assert json.loads(in_json.out)["error"] == "LedgerDamaged"


@pytest.mark.parametrize("command", ["show", "verify"])
@pytest.mark.parametrize("name", ["nothing.csv", "."])
def test_no_ledger_at_the_path_exits_4_and_names_it(
    run: Run, tmp_path: Path, command: str, name: str
) -> None:
    path = tmp_path / name
    done = run("ledger", command, str(path))

    assert (done.code, done.out) == (4, "")
    assert str(path) in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_data_file_nobody_asked_about_is_not_called_damaged(
    run: Run, people: Path, command: str
) -> None:
    done = run("ledger", command, str(people))

    assert (done.code, done.out) == (4, "")
    assert f"{people}.peekproof does not exist" in done.err
    assert "damaged" not in done.err
    assert "backup" not in done.err


def test_a_ledger_that_is_no_database_any_more_is_damaged(run: Run, book: str) -> None:
    Path(book).write_bytes(b"x" * 5_000)
    done = run("ledger", "show", book)

    assert done.code == 4
    assert "is damaged" in done.err


def test_another_database_is_not_a_ledger(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entry (sequence INTEGER)")
    before = path.read_bytes()
    done = run("ledger", "show", str(path))

    assert (done.code, done.out) == (4, "")
    assert "not a ledger" in done.err
    assert path.read_bytes() == before

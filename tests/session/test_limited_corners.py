"""Sessions that failures end, in corners: what is refused, forgeries, the command."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.errors import InvalidInput, LedgerDamaged, LedgerMismatch, VacuousPlan
from peekproof.ledger.entry import Body
from session.forging import forged
from session.limited import DATA, QUESTIONS, fail, limited, promised


@pytest.fixture(autouse=True)
def _unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a witness, which would notice a forgery before anyone looks at what it says."""
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")


# What is refused -------------------------------------------------------------------------------


def test_a_question_has_no_tolerance_or_radius_of_its_own() -> None:
    with limited(tolerance=0.03) as session:
        for refused, named in (
            (lambda: session.ask("x > 0.5", guess=0.5, tolerance=0.03), "tolerance"),
            (lambda: session.ask("x > 0.5", guess=0.5, radius=0.1), "radius"),
            (lambda: session.ask("x > 0.5"), "guess"),
            (lambda: session.ask("x > 0.5", guess=1.5), "guess"),
            (lambda: session.price(0.1), "radius"),
            (lambda: session.histogram("histogram(x, (0.5))"), "question"),
        ):
            with pytest.raises(InvalidInput) as caught:
                refused()
            assert caught.value.argument == named
        assert session.remaining == QUESTIONS


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"failures": None}, "failures"),
        ({"failures": 0}, "failures"),
        ({"failures": True}, "failures"),
        ({"failures": 2.0}, "failures"),
        ({"failures": None, "tolerance": 0.1}, "tolerance"),
        ({"tolerance": 0.5}, "tolerance"),
        ({"tolerance": 0}, "tolerance"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"tolerance": Fraction(10**3_000 + 1, 3 * 10**3_000)}, "tolerance"),
        ({"tolerance": 1e-5}, "tolerance"),  # finer than a row
        ({"mechanisms": None}, "failures"),
        ({"mechanisms": [peekproof.Checking]}, "failures"),
        ({"mechanisms": [peekproof.OpenEnded], "questions": None}, "mechanisms"),
    ],
)
def test_what_cannot_be_opened_is_named(arguments: dict[str, object], named: str) -> None:
    given: dict[str, object] = {
        "failures": 3, "mechanisms": [peekproof.LimitedChecking], "questions": 10, **arguments,
    }  # fmt: skip
    with pytest.raises(InvalidInput) as caught:
        peekproof.open(DATA, **given)  # type: ignore[arg-type]
    assert caught.value.argument == named


def test_a_promise_that_says_nothing_is_refused_with_what_would_do() -> None:
    few = {"x": np.random.default_rng(1).random(300)}
    for tolerance in (None, 0.2):
        with pytest.raises(VacuousPlan) as caught:
            peekproof.open(
                few, mechanisms=[peekproof.LimitedChecking], failures=20, tolerance=tolerance
            )
        needed = {"x": np.random.default_rng(1).random(caught.value.rows_needed)}
        with peekproof.open(
            needed, mechanisms=[peekproof.LimitedChecking], failures=20, tolerance=tolerance
        ) as session:
            assert session.plan.radius < 0.5


def test_a_ledger_keeps_its_number_of_failures(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, tolerance=0.03, ledger=place):
        pass
    for failures, tolerance in ((4, None), (3, 0.04)):
        with pytest.raises(LedgerMismatch):
            peekproof.open(DATA, ledger=place, failures=failures, tolerance=tolerance)
    with pytest.raises(LedgerMismatch):
        peekproof.open(DATA, ledger=place, mechanisms=[peekproof.Checking])
    for given, exact in ((None, None), (3, None), (3, Fraction(3, 100))):
        with peekproof.open(DATA, ledger=place, failures=given, tolerance=exact) as session:
            assert promised(session).failures == 3
    other = tmp_path / "other.peekproof"
    with peekproof.open(DATA, mechanisms=[peekproof.Checking], ledger=other):
        pass
    with pytest.raises(LedgerMismatch, match="without a limit"):
        peekproof.open(DATA, ledger=other, failures=3)


# Forgeries -------------------------------------------------------------------------------------


def _fewer_failures(kind: str, body: Body) -> None:
    if kind == "open":
        body["mechanism"]["failures"] = "1"


def _no_failures(kind: str, body: Body) -> None:
    if kind == "open":
        body["mechanism"]["failures"] = "0"


def _other_tolerance(kind: str, body: Body) -> None:
    if kind == "open":
        body["mechanism"]["tolerance"] = "1/50"


def _fewer_passes(kind: str, body: Body) -> None:
    if kind == "answer":
        low, high = map(int, body["terms"]["passes"].split(":"))
        body["terms"]["passes"] = f"{low}:{high - 1}"


def _fewer_bins(kind: str, body: Body) -> None:
    if kind == "answer":
        body["terms"]["bins"] = "2"


def _passed(kind: str, body: Body) -> None:
    if kind == "answer":
        for each in body["questions"]:
            each["value"][1] = "0"


def _off_the_middle(kind: str, body: Body) -> None:
    if kind == "answer":
        for each in body["questions"]:
            each["value"][0] = "1/7"


@pytest.mark.parametrize(
    "change",
    [
        _fewer_failures,
        _no_failures,
        _other_tolerance,
        _fewer_passes,
        _fewer_bins,
        _passed,
        _off_the_middle,
    ],
)
def test_a_record_that_cannot_be_is_damage(
    tmp_path: Path, change: Callable[[str, Body], None]
) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, tolerance=0.03, ledger=place) as session:
        fail(session, 1, 2)
        session.ask("x > 0.1001").certificate.verify()
    forged(place, change)
    with pytest.raises(LedgerDamaged), peekproof.open(DATA, ledger=place) as session:
        session.ask("x > 0.1001").certificate.verify()


@pytest.mark.parametrize("change", [_other_tolerance, _fewer_passes, _fewer_bins])
def test_a_check_of_another_promise_is_not_even_repeated(
    tmp_path: Path, change: Callable[[str, Body], None]
) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, tolerance=0.03, ledger=place) as session:
        session.ask("x > 0.5", guess=0.5)
    forged(place, change)
    with pytest.raises(LedgerDamaged), peekproof.open(DATA, ledger=place) as session:
        session.ask("x > 0.5")


def _no_bins(kind: str, body: Body) -> None:
    if kind == "answer":
        del body["terms"]["bins"]


def test_a_check_that_is_cut_short_is_damage_to_all_who_look(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, ledger=place) as session:
        fail(session, 1)
    forged(place, _no_bins)
    with pytest.raises(LedgerDamaged):
        peekproof.open(DATA, ledger=place)
    assert run("ledger", "show", str(place)) == 4


def test_a_changed_entry_breaks_the_chain(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, ledger=place) as session:
        fail(session, 1)
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute(
            'UPDATE entry SET body = replace(body, \'"failures":"3"\', \'"failures":"9"\')'
        )
    with pytest.raises(LedgerDamaged):
        peekproof.open(DATA, ledger=place)


# The command -----------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_the_command_opens_continues_and_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.csv"
    file.write_text("x\n" + "\n".join(str(each) for each in DATA["x"][:5000]))
    ask = ["ask", str(file)]
    opening = ["--mechanism", "limited-checking", "--failures", "2", "--tolerance", "0.03"]

    assert run(*ask, "x > 0.5", "--guess", "0.5", "--mechanism", "limited-checking") == 2
    assert run(*ask, "x > 0.5", *opening) == 2  # without a guess
    assert not Path(f"{file}.peekproof").exists()
    assert run(*ask, "x > 0.5", "--guess", "0.5", *opening) == 0
    assert "0 of at most 2 guesses failed so far, 999 new" in capsys.readouterr().out
    assert run(*ask, "x > 0.2", "--guess", "0.5") == 0
    assert run(*ask, "x > 0.6", "--guess", "0.5", "--tolerance", "0.1") == 2
    assert run(*ask, "x > 0.6", "--guess", "0.5", "--failures", "7") == 4
    assert run("ledger", "show", str(file)) == 0
    assert "1 of at most 2 guesses failed" in capsys.readouterr().out
    assert run(*ask, "x > 0.1", "--guess", "0.5", "--failures", "2") == 0
    assert run(*ask, "x > 0.7", "--guess", "0.3") == 3
    assert "failed guesses are used up" in capsys.readouterr().err
    assert run(*ask, "x > 0.2", "x > 0.5", "--explain") == 0
    assert "T-check-halt" in capsys.readouterr().out
    assert run("ledger", "show", str(file), "--json") == 0
    assert json.loads(capsys.readouterr().out)["remaining"] == 0

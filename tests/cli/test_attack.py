"""`peekproof attack`, at sizes for tests."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.running import Run, on_terminal
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.fight import Decisive, Outcome, fight
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.controls import Plain
from peekproof.cli import attack
from peekproof.cli.attack import _cells

SMALL = ("--rows", "400", "--questions", "30")


@pytest.fixture(autouse=True)
def _one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peekproof.audit.fight.os.cpu_count", lambda: 1)


def row(out: str, name: str) -> list[str]:
    """The cells of a line of a table, which are two spaces apart."""
    (line,) = [line for line in out.splitlines() if line.startswith(f"{name}  ")]
    return re.split(r"\s{2,}", line)


def test_an_attack_is_shown_with_the_control_beside_what_is_planned(run: Run) -> None:
    done = run("attack", "correlation", *SMALL, "--seed", "3")

    assert (done.code, done.err) == (0, "")
    said = done.out.splitlines()
    assert said[0] == "Asks how often each feature agrees with the label, and then about their " + (
        "weighted vote."
    )
    assert said[1].startswith("400 rows, up to 30 questions, confidence 0.95")
    assert said[1].endswith("seed 3.")
    predicted = Correlation.sized(rows=400, questions=30).predicted
    assert f"by about {predicted:.4f}" in said[2]
    assert re.split(r"\s{2,}", said[4]) == [
        "mechanism", "claims", "interval", "truth", "error", "holds", "answered", "missed",
    ]  # fmt: skip
    name, claims, interval, truth, error, holds, answered, missed = row(done.out, "plain")
    low, high = map(float, interval.split(" to "))
    assert low < float(claims) < high
    assert (name, truth, answered) == ("plain", "0.5000", "30 of 30")
    assert float(error) == pytest.approx(abs(float(claims) - 0.5), abs=2e-4)
    assert holds == ("yes" if low <= 0.5 <= high else "NO")
    assert missed == ("0" if holds == "yes" else "1")
    assert row(done.out, "planned")[5:] == ["yes", "30 of 30", "0"]


def test_mechanisms_are_those_that_are_named_and_the_control(run: Run) -> None:
    done = run(
        "attack", "freedman", *SMALL, "--mechanism", "ladder", "--mechanism", "laplace",
        "--mechanism", "ladder",
    )  # fmt: skip

    assert (done.code, done.err) == (0, "")
    assert row(done.out, "plain")[3] == "0.0000"
    assert row(done.out, "ladder")[1] == "does not apply"
    assert row(done.out, "laplace")[1] == "refused"
    assert "ladder does not answer such questions." in done.out
    assert "laplace would not begin: n = 400 rows and 30 questions" in done.out
    assert "planned" not in done.out


def test_a_session_that_ends_before_the_last_question_shows_how_far_it_went(run: Run) -> None:
    name = "fresh-rows-in-rounds"
    done = run("attack", "correlation", *SMALL, "--mechanism", name, "--mechanism", "ladder")

    assert row(done.out, name) == [name, "refused", "10 of 30", "0"]
    assert "ladder claims the best of all that was submitted." in done.out


def test_runs_have_seeds_of_their_own_and_are_counted(run: Run) -> None:
    words = ("attack", "correlation", *SMALL, "--seed", "5", "--runs", "3")
    done, parsed = run(*words), json.loads(run(*words, "--json").out)

    assert "in runs with the seeds 5 to 7:" in done.out
    assert parsed["seeds"] == [5, 6, 7]
    assert [each["seed"] for each in parsed["outcomes"]] == [5, 5, 6, 6, 7, 7]
    plain = [each for each in parsed["outcomes"] if each["mechanism"] == "plain"]
    assert len({each["decisive"]["value"] for each in plain}) == 3
    held = sum(each["covered"] for each in plain)
    assert f"  plain: {held} of 3 (nothing is promised)" in done.out
    assert "  planned: 3 of 3\n" in done.out


def test_json_says_what_the_table_says(run: Run) -> None:
    words = ("attack", "boosting", *SMALL, "--confidence", "0.9")
    parsed = json.loads(run(*words, "--json").out)
    shown = run(*words).out

    assert (parsed["attack"], parsed["rows"], parsed["questions"]) == ("boosting", 400, 30)
    assert (parsed["confidence"], parsed["seeds"]) == (0.9, [1])
    assert "confidence 0.9 for all intervals" in shown
    for each in parsed["outcomes"]:
        assert row(shown, each["mechanism"])[1] == f"{each['decisive']['value']:.4f}"


def test_the_matrix_has_a_row_for_every_mechanism_and_a_column_for_every_attack(run: Run) -> None:
    chosen = ("plain", "laplace", "ladder")
    # Sessions of so few rows refuse; the control and the ladder never do.
    words = ["attack", "all", *SMALL, *(word for name in chosen for word in ("--mechanism", name))]
    done, parsed = run(*words), json.loads(run(*words, "--json").out)

    assert (done.code, done.err) == (0, "")
    heads = [line for line in done.out.splitlines() if line.lstrip().startswith("correl.")]
    assert heads[0].split() == [
        "correl.", "boosting", "reconst.", "digits", "freedman", "holdout", "fingerp.", "averag.",
    ]  # fmt: skip
    assert parsed["attacks"] == list(ANALYSTS)
    assert parsed["mechanisms"] == list(chosen)
    for name in chosen:
        cells = row(done.out, name)[1:]
        outcomes = [each for each in parsed["outcomes"] if each["mechanism"] == name]
        assert len(cells) == len(outcomes) == 8
        for cell, each in zip(cells, outcomes, strict=True):
            if each["refusal"]:
                assert cell == "refused"
            elif not each["applies"]:
                assert cell == "–"
            else:
                error, held = cell.split()
                assert float(error) == pytest.approx(each["forced"], abs=5.1e-4)
                assert held == ("✓" if each["covered"] else "✗")
    broken = len(parsed["broken"]["plain"])
    assert broken > 0
    assert f"Without a certificate: {broken} of 8 conversations ended with intervals that" in (
        done.out
    )
    assert "With one: all intervals held in all 6 conversations." in done.out
    assert "Refused before they began: 8." in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_a_certificate_that_fails_is_told_and_is_no_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One may fail with the probability that it names, by right."""
    monkeypatch.setitem(OPPONENTS, "liar", Plain("liar", certified=True))
    done = run("attack", "all", "--rows", "400", "--questions", "60", "--mechanism", "liar")

    assert (done.code, done.err) == (0, "")
    found = re.search(r"With one: (\d) of 8 conversations .* \((.*)\), which each may", done.out)
    assert found is not None
    assert "liar under correlation" in found[2]
    assert found[2].count("liar under") == int(found[1])
    assert "with probability 0.05." in done.out


def test_all_names_are_listed_with_a_line(run: Run) -> None:
    done, parsed = run("attack", "list"), json.loads(run("attack", "list", "--json").out)

    assert (done.code, done.err) == (0, "")
    assert [each["name"] for each in parsed["attacks"]] == list(ANALYSTS)
    assert [each["name"] for each in parsed["mechanisms"]] == list(OPPONENTS)
    for each in parsed["attacks"]:
        assert (
            f"\n{each['name']}: {each['does']}\n    {each['forces']}; {each['after']}" in done.out
        )
    assert "; Dinur and Nissim (2003)" in done.out
    for each in parsed["mechanisms"]:
        assert re.search(rf"^  {each['name']} +{re.escape(each['does'])}$", done.out, re.MULTILINE)
    controls = done.out.partition("Controls:")[2].partition("Certified mechanisms:")[0]
    assert controls.split()[0] == "plain"
    assert "\n  noise-only" in controls
    assert "planned" not in controls


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nope",), "NAME must be all, list or one of correlation, boosting"),
        (("correlation", "--mechanism", "gauss"), "--mechanism must be one of plain, noise-only"),
        (("all", "--mechanism", "gauss"), "--mechanism must be one of plain"),
        (("correlation", "--rows", "0"), "rows must be an integer of at least 1, got 0"),
        (("all", "--rows", "-3"), "rows must be an integer of at least 1, got -3"),
        (("correlation", "--questions", "1"), "questions must be at least 2 for correlation"),
        (("all", "--questions", "12"), "questions must be at least 13 for reconstruction, got 12"),
        (("digits", "--rows", "1000000"), "rows times questions must be at most 100,000,000"),
        (("correlation", "--confidence", "1"), "confidence must be strictly between 0 and 1"),
        (("correlation", "--plot", "picture.gif"), "--plot must be a .png, .svg or .pdf file"),
        (("all", "--plot", "no/such/folder.png"), "--plot must be"),
        (("all", "--runs", "2"), "--runs must be 1 with all, got 2"),
        (("list", "--rows", "5"), "--rows must be left out with list, got 5"),
        (("list", "--mechanism", "plain"), "--mechanism must be left out with list"),
        (("correlation", "--runs", "0"), "--runs"),
        (("correlation", "--seed", "-1"), "--seed"),
    ],
    ids=" ".join,
)
def test_bad_input_is_found_before_any_work(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr("peekproof.cli.attack.settle", None)
    monkeypatch.setattr("peekproof.audit.matrix.settle", None)
    done = run("attack", *words)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_errors_can_be_read_by_programs(run: Run) -> None:
    done = run("attack", "nope", "--json")

    assert (done.code, done.err) == (2, "")
    assert json.loads(done.out)["fields"]["given"] == "nope"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        (
            "correlation",
            "peekproof attack correlation --mechanism ladder --rows 400 --questions 30 "
            "--confidence 0.9 --seed 2 --plot FILE",
        ),
        (
            "all",
            "peekproof attack all --mechanism ladder --rows 400 --questions 30 --seed 2 "
            "--confidence 0.9 --plot FILE",
        ),
    ],
)
def test_a_picture_names_the_command_that_draws_it_again(
    run: Run, tmp_path: Path, name: str, command: str
) -> None:
    pytest.importorskip("matplotlib")
    words = ("--mechanism", "ladder", "--seed", "2", "--confidence", "0.9")
    path = tmp_path / "attack.svg"
    done = run("attack", name, *SMALL, *words, "--plot", str(path))

    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"Figure: {path}\n")
    said = " ".join("".join(node.itertext()) for node in ElementTree.parse(path).iter())
    assert command in " ".join(said.split())


def test_a_terminal_shows_a_bar() -> None:
    words = ("-m", "peekproof", "attack", "correlation", "--rows", "60", "--questions", "13")
    shown = on_terminal(*words)

    assert shown.code == 0
    assert "conversations" in shown.out
    assert "2/2" in shown.out


def test_defaults_are_those_of_the_matrix() -> None:
    given = {each.name: each.default for each in attack.attack.params}

    assert (given["rows"], given["questions"], given["seed"], given["runs"]) == (20_000, 500, 1, 1)


def test_a_miss_by_less_than_is_shown_is_shown_with_more_places() -> None:
    claim = Decisive(value=0.6, low=0.500004, high=0.7, truth=0.5, holds=False)
    outcome = Outcome.of(
        fight(Plain(), Correlation(rows=30, features=3), confidence=Fraction(1, 2), seed=1),
        seed=1,
        predicted=0.1,
    )
    cells = _cells(replace(outcome, decisive=claim))

    assert cells[2:4] == ["0.500004 to 0.700000", "0.500000"]
    assert cells[5] == "NO"
    held = _cells(replace(outcome, decisive=replace(claim, low=0.4, holds=True)))
    assert held[2:4] == ["0.4000 to 0.7000", "0.5000"]


@pytest.mark.parametrize(("columns", "tables"), [(60, 2), (80, 2), (20, 8), (100, 1)])
def test_a_narrow_terminal_gets_the_matrix_in_parts(
    columns: int, tables: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peekproof.cli.render.width", lambda: columns)
    out = run("attack", "all", "--rows", "9", "--questions", "25", "--mechanism", "plain").out

    lines = [line for line in out.splitlines() if line.startswith("plain  ")]
    assert len(lines) == tables
    assert len(re.findall("[✓✗]", "".join(lines))) == len(ANALYSTS)
    assert columns < 50 or max(map(len, lines)) <= columns


@pytest.mark.parametrize("command", [("attack", "correlation", *SMALL), ("monitor",)])
def test_a_picture_that_cannot_be_written_is_refused_before_any_work(
    command: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peekproof.cli.attack.attack_one", None)
    monkeypatch.setattr("peekproof.cli.monitor.measure", None)
    folder = tmp_path / "folder.png"
    folder.mkdir()
    done = run(*command, "--plot", str(folder))

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("--plot must be a file that can be written, got ")


def test_several_runs_say_which_is_shown_and_who_never_began(run: Run) -> None:
    sizes = ("--rows", "60", "--questions", "5")
    out = run("attack", "correlation", *sizes, "--mechanism", "laplace", "--runs", "2").out

    assert "of the last question of the run with seed 1;" in out
    assert "  laplace: there was no conversation" in out.splitlines()

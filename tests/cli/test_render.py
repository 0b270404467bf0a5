import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from cli.running import ESCAPE, in_pipe, on_terminal
from peekproof.cli import render
from peekproof.core.errors import InvalidInput, VacuousPlan

COLUMNS = ["share", "question"]
ROWS = [["0.5", "a [bold]quite[/bold] long question"], ["0.25", "ä"]]

BARS = """
from peekproof.cli import render
with render.progress() as progress:
    progress("counting rows", 1, 4)
    progress("counting rows", 4, 4)
"""


def test_a_table_in_a_pipe_is_aligned_and_has_no_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.table(COLUMNS, ROWS)

    assert capsys.readouterr().out.splitlines() == [
        "share  question",
        "0.5    a [bold]quite[/bold] long question",
        "0.25   ä",
    ]


def test_a_table_in_a_pipe_never_wraps(capsys: pytest.CaptureFixture[str]) -> None:
    long = " and ".join(f"x{number} > 0" for number in range(500))
    render.table(COLUMNS, [["0.5", long]])

    assert capsys.readouterr().out.splitlines()[1] == f"0.5    {long}"


def test_a_table_on_a_terminal_has_a_bold_head_and_literal_cells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    render.table(COLUMNS, ROWS)
    head, *lines = capsys.readouterr().out.splitlines()

    assert f"{ESCAPE}1m" in head
    assert [line.rstrip() for line in lines] == [
        "0.5    a [bold]quite[/bold] long question",
        "0.25   ä",
    ]


def test_a_long_cell_is_folded_to_the_width_of_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    words = [f"word{number}" for number in range(30)]
    render.table(COLUMNS, [["0.5", " ".join(words)]])
    lines = capsys.readouterr().out.splitlines()[1:]

    assert len(lines) > 1
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(lines).split() == ["0.5", *words]


def test_lines_and_headings_are_literal_and_never_wrapped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    long = "[i]" + "word " * 100 + "1 'text' True"
    render.line(long)
    render.line()
    render.heading("[b]Title.[/b]", long)

    assert capsys.readouterr().out == f"{long}\n\n\n[b]Title.[/b] {long}\n"


@pytest.mark.parametrize("force", ["", "1"])
def test_codes_in_a_text_are_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, force: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", force)
    monkeypatch.setenv("COLUMNS", "60")
    render.line("a\x1b[31mb\nc\r\x9b")
    render.table(COLUMNS, [["0.5", "d\x1b[31m\ne"]])
    render.error(InvalidInput(argument="f\x07", accepted="g", given="h"), json_wanted=False)
    captured = capsys.readouterr()

    assert "a\\x1b[31mb\nc\\x0d\\x9b\n" in captured.out
    assert "d\\x1b[31m e" in captured.out
    assert "f\\x07 must be g, got h" in captured.err


def test_json_keeps_letters_and_writes_what_json_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    render.as_json({"größe": Fraction(1, 4), "path": Path("a") / "b"})
    out = capsys.readouterr().out

    assert "größe" in out
    assert json.loads(out) == {"größe": 0.25, "path": str(Path("a") / "b")}


def test_json_never_holds_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        render.as_json({"radius": float("nan")})


def test_an_error_is_words_or_json_but_never_both(capsys: pytest.CaptureFixture[str]) -> None:
    problem = InvalidInput(argument="[red]rows[/red]", accepted="positive", given="-5")
    render.error(problem, json_wanted=False)
    words = capsys.readouterr()
    render.error(problem, json_wanted=True)
    document = capsys.readouterr()

    assert (words.out, words.err) == ("", f"{problem}\n")
    assert document.err == ""
    assert json.loads(document.out) == {
        "error": "InvalidInput",
        "message": str(problem),
        "fields": problem.fields(),
    }


def test_an_error_with_exact_fields_can_be_json(capsys: pytest.CaptureFixture[str]) -> None:
    problem = VacuousPlan(
        rows=1, questions=2, confidence=Fraction(19, 20), rows_needed=3, questions_affordable=0
    )
    render.error(problem, json_wanted=True)

    assert json.loads(capsys.readouterr().out)["fields"]["confidence"] == 0.95


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with render.progress() as progress:
        progress("counting rows", 1, 4)
        progress("counting rows", 4, 4)

    assert capsys.readouterr() == ("", "")


def test_progress_stays_out_of_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with render.progress() as progress:
        progress("counting rows", 4, 4)
    captured = capsys.readouterr()

    assert captured.out == ""
    assert "counting rows" in captured.err


def test_progress_bars_appear_on_a_terminal_and_only_there() -> None:
    shown = on_terminal("-c", BARS)
    piped = in_pipe("-c", BARS)

    assert shown.code == 0
    assert "counting rows" in shown.out
    assert "4/4" in shown.out
    assert ESCAPE in shown.out
    assert (piped.code, piped.out, piped.err) == (0, "", "")


def test_colours_appear_on_a_terminal_and_only_there() -> None:
    good, bad = ("plan", "--rows", "50000"), ("plan", "--rows", "-5")
    shown, piped = (where("-m", "peekproof", *good) for where in (on_terminal, in_pipe))
    alarm, quiet = (where("-m", "peekproof", *bad) for where in (on_terminal, in_pipe))

    assert (shown.code, piped.code, alarm.code, quiet.code) == (0, 0, 2, 2)
    assert f"{ESCAPE}1m" in shown.out
    assert f"{ESCAPE}31m" in alarm.out
    for each in (piped, quiet):
        assert ESCAPE not in each.out + each.err


def test_a_terminal_that_wants_no_colour_gets_none() -> None:
    shown = on_terminal("-m", "peekproof", "plan", "--rows", "-5", NO_COLOR="1")

    assert shown.code == 2
    assert "rows must be" in shown.out
    assert f"{ESCAPE}31m" not in shown.out


def test_json_on_a_terminal_is_only_json() -> None:
    shown = on_terminal("-m", "peekproof", "plan", "--rows", "50000", "--json")

    assert json.loads(shown.out)["rows"] == 50_000


def test_names_and_numbers_of_a_table_are_never_broken() -> None:
    script = (
        "from peekproof.cli import render\n"
        "names = ['mechanism', 'interval', 'truth', 'digest']\n"
        "render.table(names, [['limited-checking', '0.3797 to 0.6626', '0.5000', 'f' * 64]])"
    )
    shown = on_terminal("-c", script, COLUMNS="60").out

    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines())) <= 60
    for whole in ("limited-checking", "0.3797", "0.6626", "0.5000", "mechanism", "digest"):
        assert whole in shown
    assert "f" * 64 not in shown

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction

import click
import pytest

import peekproof
from cli.running import Run, in_pipe
from peekproof.cli.main import cli, exit_code, main
from peekproof.core.errors import (
    BudgetExhausted,
    DataError,
    InvalidInput,
    LedgerDamaged,
    LedgerTooNew,
    PeekproofError,
    QuestionError,
    VacuousPlan,
)


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that lead to it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


COMMANDS = list(commands(cli))


def test_there_are_these_commands() -> None:
    assert {" ".join(path) for path, _ in COMMANDS} == {
        "",
        "board",
        "board create",
        "board submit",
        "board show",
        "board choose",
        "board close",
        "board export",
        "board verify",
        "board program",
        "board program codabench",
        "plan",
        "ask",
        "best",
        "score",
        "holdout",
        "holdout create",
        "holdout list",
        "holdout show",
        "holdout forget",
        "ledger",
        "ledger show",
        "ledger verify",
        "ledger analysts",
        "ledger share",
        "ledger close",
        "ledger export",
        "ledger replay",
        "ledger diff",
        "ledger receipt",
        "ledger adopt",
        "ledger move",
        "ledger restore",
        "account",
        "account compose",
        "account growth",
        "account convert",
        "account calibrate",
        "account tables",
        "account loss",
        "demo",
        "attack",
        "monitor",
        "serve",
        "token",
        "token create",
        "token list",
        "token rotate",
        "token revoke",
    }


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=str)
def test_help_describes_every_option(
    run: Run, path: tuple[str, ...], command: click.Command, flag: str
) -> None:
    done = run(*path, flag)
    shown = done.out.split()

    assert (done.code, done.err) == (0, "")
    assert command.help is not None
    for option in command.params:
        if isinstance(option, click.Option):
            assert not option.hidden
            assert option.help
            assert all(name in shown for name in option.opts)
        else:
            assert option.human_readable_name.upper() in done.out
    for name in getattr(command, "commands", {}):
        assert name in shown


@pytest.mark.parametrize("words", [("ask",), ("ask", "x.csv"), ("ledger", "show"), ("advise",)])
def test_usage_errors_exit_2_and_leave_standard_output_empty(
    run: Run, words: tuple[str, ...]
) -> None:
    done = run(*words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: peekproof ")
    assert "Error: " in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ask", "--json"), "Missing argument 'FILE'"),
        (("plan", "--json", "--rows", "few"), "'few' is not a valid integer"),
        (("plan", "--json", "--colour"), "No such option"),
        (("advise", "--json"), "No such command 'advise'"),
    ],
)
def test_usage_errors_are_json_for_who_reads_json(
    run: Run, words: tuple[str, ...], message: str
) -> None:
    done = run(*words)
    told = json.loads(done.out)

    assert (done.code, done.err, told["error"]) == (2, "", "UsageError")
    assert message in told["message"]
    assert told["fields"]["usage"].startswith("Usage: peekproof ")


def test_a_question_that_is_not_confirmed_aborts_the_same_with_json(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    plain = run("board", "close", "cats")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    assert run("board", "close", "cats", "--json") == plain
    assert (plain.code, plain.err) == (1, "Aborted!\n")


def test_the_version_is_the_package_version(run: Run) -> None:
    done = run("--version")

    assert done.code == 0
    assert done.out.split()[-1] == peekproof.__version__


def test_the_module_runs_the_same_command_line(run: Run) -> None:
    for arguments in (["plan", "--rows", "50000"], ["plan", "--rows", "-5"], ["--help"]):
        assert in_pipe("-m", "peekproof", *arguments) == run(*arguments)


def test_arguments_come_from_the_process_by_default(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["peekproof", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 0
    assert peekproof.__version__ in capsys.readouterr().out


def test_a_stream_with_few_letters_gets_escapes_instead_of_a_failure() -> None:
    done = in_pipe("-m", "peekproof", "plan", "--rows", "50000", PYTHONIOENCODING="ascii")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("\\xb10.")


def reader_leaves(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command with a pipe as output that is closed before anything is written to it."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "peekproof", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    return done


def test_a_reader_that_leaves_before_an_answer_is_no_trouble() -> None:
    done = reader_leaves("plan", "--rows", "50000", "--json")

    assert (done.returncode, done.stderr) == (1, b"")


def test_a_reader_that_leaves_before_an_error_is_no_trouble() -> None:
    done = reader_leaves("plan", "--rows", "10", "--json")

    assert (done.returncode, done.stderr) == (3, b"")


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (InvalidInput(argument="a", accepted="b", given="c"), 2),
        (QuestionError(problem="p", text="t", position=0), 2),
        (DataError(source="s", problem="p", hint="h"), 2),
        (BudgetExhausted(asked=1, remaining=0, questions=1), 3),
        (
            VacuousPlan(
                rows=1,
                questions=1,
                confidence=Fraction(1, 2),
                rows_needed=2,
                questions_affordable=0,
            ),
            3,
        ),
        (LedgerDamaged(ledger="l", problem="p"), 4),
        (LedgerTooNew(ledger="l", found=2, supported=1), 4),
    ],
    ids=lambda each: type(each).__name__,
)
def test_each_kind_of_trouble_has_its_exit_code(problem: PeekproofError, code: int) -> None:
    assert exit_code(problem) == code

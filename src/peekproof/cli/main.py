"""The `peekproof` command.

Exit codes: 0 done, 2 bad input, 3 refused (nothing was spent), 4 trouble with a ledger,
5 the engine failed after the question had been paid for, 6 answered, but not what was required.
"""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import final

import click

from peekproof import __version__
from peekproof.cli import render
from peekproof.core.errors import (
    DataChanged,
    EvaluationFailed,
    LedgerError,
    PeekproofError,
    Refusal,
)

BAD_INPUT, REFUSED, LEDGER_TROUBLE, ENGINE_FAILED = 2, 3, 4, 5

# In the order of the help; each is a module of this package with a command of the same name.
_COMMANDS = (
    "plan", "ask", "best", "score", "holdout", "board", "ledger", "account", "demo", "attack",
    "monitor", "serve", "token",
)  # fmt: skip


@final
class _OnDemand(click.Group):
    """Imports a command when it is used: planning need not wait for the data engine."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(import_module(f"peekproof.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None


@click.group(cls=_OnDemand, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Answers to adaptively chosen questions about data, with intervals for the population."""


def exit_code(problem: PeekproofError) -> int:
    """The code a script can act on."""
    match problem:
        case Refusal():
            return REFUSED
        case LedgerError():
            return LEDGER_TROUBLE
        case EvaluationFailed() | DataChanged():
            return ENGINE_FAILED
        case _:
            return BAD_INPUT


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # ± and column names must not fail where the terminal knows fewer letters.
        sys.stdout.reconfigure(errors="backslashreplace")
    json_wanted = "--json" in given
    try:
        # Alone, click tells of a wrong command line in words, and exits.
        code = cli.main(given, prog_name="peekproof", standalone_mode=not json_wanted) or 0
    except PeekproofError as problem:
        with _reader_may_leave():
            render.error(problem, json_wanted=json_wanted)
        code = exit_code(problem)
    except click.ClickException as problem:
        with _reader_may_leave():
            render.usage_error(problem)
        code = problem.exit_code
    except click.Abort:
        click.echo("Aborted!", err=True)
        code = 1
    sys.exit(code)


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """What is left in a pipe that nobody reads must not complain when Python flushes at exit."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

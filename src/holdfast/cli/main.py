"""The `holdfast` command.

Exit codes: 0 done, 2 bad input, 3 refused (nothing was spent), 4 trouble with a ledger.
"""

import sys
from collections.abc import Sequence

import click

from holdfast import __version__
from holdfast.cli import render
from holdfast.cli.ask import ask
from holdfast.cli.demo import demo
from holdfast.cli.ledger import ledger
from holdfast.cli.plan import plan
from holdfast.core.errors import HoldfastError, LedgerError, Refusal

BAD_INPUT, REFUSED, LEDGER_TROUBLE = 2, 3, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Answers to adaptively chosen questions about data, with intervals for the population."""


for command in (plan, ask, ledger, demo):
    cli.add_command(command)


def exit_code(problem: HoldfastError) -> int:
    """The code a script can act on."""
    match problem:
        case Refusal():
            return REFUSED
        case LedgerError():
            return LEDGER_TROUBLE
        case _:
            return BAD_INPUT


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        cli.main(given, prog_name="holdfast")
    except HoldfastError as problem:
        render.error(problem, json_wanted="--json" in given)
        sys.exit(exit_code(problem))

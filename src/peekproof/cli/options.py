"""Options that several commands share."""

import click

from peekproof.accounting.events import Neighbours

RELATIONS = {"replace": Neighbours.REPLACE_ONE, "add-or-remove": Neighbours.ADD_OR_REMOVE_ONE}

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")

confidence = click.option(
    "--confidence", type=float, help="Chance that all intervals hold together. [default: 0.95]"
)

analyst = click.option(
    "--analyst",
    default="",
    metavar="NAME",
    help="Who asks, within what share.",
)


def _declared(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[str]]:
    found = {}
    for each in given:
        name, sign, values = each.partition("=")
        if not sign or not name.strip():
            raise click.BadParameter(f"write COLUMN=VALUE,VALUE,… (got {each!r})")
        found[name.strip()] = [value.strip() for value in values.split(",")]
    return found


categories = click.option(
    "--categories",
    multiple=True,
    callback=_declared,
    metavar="COLUMN=VALUE,…",
    help="Which values a text column has, for histograms and groups; may be repeated.",
)


def _listed(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name.strip() for each in given for name in each.split(",")]


complete = click.option(
    "--complete",
    multiple=True,
    callback=_listed,
    metavar="COLUMN,…",
    help="Columns with a value in every row, or '*' for all: their means cost one question.",
)

delta = click.option("--delta", default="1e-6", show_default=True, help="The δ to account for.")

neighbours = click.option(
    "--neighbours",
    type=click.Choice(list(RELATIONS)),
    default="replace",
    show_default=True,
    help="How the data may differ: what sensitivities are about.",
)

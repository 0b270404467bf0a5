"""Options that several commands share."""

import click

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")

confidence = click.option(
    "--confidence", type=float, help="Chance that all intervals hold together. [default: 0.95]"
)

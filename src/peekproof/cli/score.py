"""`peekproof score`: what predictions are worth on a holdout, for people and for scripts."""

import sys

import click

from peekproof.cli import options, render
from peekproof.cli.holdout_opening import LabelOptions, Ready, opened_holdout
from peekproof.cli.score_results import Asked, compared, scored
from peekproof.core.errors import InvalidInput
from peekproof.learn.metric import Wants
from peekproof.learn.metrics.named import measure_of
from peekproof.learn.prediction_file import STANDARD_INPUT, Wanted, read_predictions

NOT_REACHED = 6


@click.command()
@click.argument("predictions")
@click.option(
    "--holdout",
    required=True,
    metavar="NAME",
    help="A name, a file of labels, or the address of a gateway.",
)
@click.option("--against", metavar="FILE", help="Other predictions, to be compared with.")
@click.option(
    "--column", multiple=True, help="Which column has the predictions; several are a matrix."
)
@click.option("--id", "id_", metavar="COLUMN", help="Which column has the ids of the rows.")
@click.option(
    "--guess",
    type=float,
    help="What is expected, as from cross-validation. [default: the last score, else 0.5]",
)
@click.option("--trained-on", type=int, metavar="N", help="How many rows the guess is from.")
@click.option("--tolerance", type=float, help="How far the guess may be off.")
@click.option("--metric", help="What is scored. [default: that of the holdout]")
@click.option("--where", metavar="CONDITION", help="Only rows for which it holds.")
@options.analyst
@click.option(
    "--require",
    type=float,
    metavar="LOW",
    help="Exit with 6 if the interval begins below (where less is better: ends above).",
)
@click.option("--label", metavar="COLUMN", help="Of a file of labels: which column has them.")
@click.option("--group", multiple=True, metavar="COLUMN", help="Of a file: one to group rows by.")
@click.option("--ledger", metavar="PLACE", help="Of a file: its ledger. [default: FILE.peekproof]")
@options.confidence
@click.option("--questions", type=int, help="Of a file: how many scores a new ledger allows.")
@click.option("--dataset", metavar="NAME", help="Of a gateway: which of its data sets.")
@options.as_json
def score(
    predictions: str,
    holdout: str,
    against: str | None,
    column: tuple[str, ...],
    id_: str | None,
    guess: float | None,
    trained_on: int | None,
    tolerance: float | None,
    metric: str | None,
    where: str | None,
    analyst: str,
    require: float | None,
    label: str | None,
    group: tuple[str, ...],
    ledger: str | None,
    confidence: float | None,
    questions: int | None,
    dataset: str | None,
    json_wanted: bool,
) -> None:
    """Score PREDICTIONS (CSV, Parquet or NPY; - reads standard input) on a holdout.

    The same predictions again are free, so a command that was interrupted can be run again.

    \b
    peekproof score model.csv --holdout churn --guess 0.81
    peekproof score new.csv --against old.csv --holdout churn
    peekproof score model.csv --holdout churn --require 0.75 && ./deploy

    \b
    Exit codes: 0 answered, 1 interrupted, 2 bad input (nothing was spent), 3 refused: the budget
    is spent, 4 trouble with the ledger, 5 failed after it was paid for, 6 answered, but the
    interval does not reach what --require asks for.
    """
    if against == STANDARD_INPUT and predictions == STANDARD_INPUT:
        raise InvalidInput(argument="--against", accepted="another file", given="'-' twice")
    _check_comparison(against, where=where, trained_on=trained_on, tolerance=tolerance)
    asked = Asked(
        metric=metric,
        guess=guess,
        tolerance=tolerance,
        trained_on=trained_on,
        where=where,
        require=require,
    )
    labels = LabelOptions(
        label=label,
        id=id_,
        groups=group,
        ledger=ledger,
        confidence=confidence,
        questions=questions,
    )
    ready = opened_holdout(holdout, options=labels, analyst=analyst, dataset=dataset)
    names = [predictions] if against is None else [predictions, against]
    wanted = _wanted(ready, metric, id_, column)
    values = [_read(each, wanted) for each in names]
    with ready.open() as opened:
        result = (
            scored(opened, ready.title, values[0], asked)
            if against is None
            else compared(opened, ready.title, values, names, asked)
        )
    if json_wanted:
        render.as_json(result.document)
    else:
        render.line(result.line)
    if result.reached is False:
        sys.exit(NOT_REACHED)


def _wanted(ready: Ready, metric: str | None, id_: str | None, columns: tuple[str, ...]) -> Wanted:
    named = measure_of(metric or ready.metric)
    return Wanted(
        rows=ready.rows,
        ids=ready.ids,
        id_column=id_ or ready.id_column,
        columns=columns,
        text=ready.text and named.wants is Wants.LABEL,
        others=ready.others,
    )


def _read(path: str, wanted: Wanted) -> object:
    given = sys.stdin.buffer.read() if path == STANDARD_INPUT else b""
    return read_predictions(path, wanted, given=given)


def _check_comparison(against: str | None, **more: object) -> None:
    for name, value in more.items():
        if against is not None and value is not None:
            raise InvalidInput(
                argument=f"--{name.replace('_', '-')}",
                accepted="left out with --against",
                given=repr(value)[:80],
            )

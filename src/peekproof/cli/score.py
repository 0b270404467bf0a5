"""`peekproof score`: what predictions are worth on a holdout, for people and for scripts."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, cast, final

import click

from peekproof.cli import options, render
from peekproof.cli.holdout import LabelOptions, Ready, opened_holdout
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up
from peekproof.derive.derived import Derived
from peekproof.learn.holdout import Holdout
from peekproof.learn.metric import Wants
from peekproof.learn.metrics.named import measure_of
from peekproof.learn.prediction_file import STANDARD_INPUT, Wanted, read_predictions

_FAILED = "T-check-failed"


class _Compared(Protocol):
    """What is read of a comparison."""

    @property
    def difference(self) -> Derived: ...
    @property
    def winner(self) -> str | None: ...
    @property
    def tied(self) -> bool: ...
    def to_dict(self) -> dict[str, object]: ...


class _Scores(Protocol):
    """What is asked of a holdout; options that were not given are left to it."""

    def score(self, what: object, **given: object) -> Answer | Derived: ...
    def compare(self, a: object, b: object, **given: object) -> _Compared: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says about a score; None is left to the holdout."""

    metric: str | None
    guess: float | None
    tolerance: float | None
    trained_on: int | None
    where: str | None
    require: float | None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An answer as it is shown; `reached` is None if nothing was required."""

    line: str
    document: dict[str, object]
    reached: bool | None


def scored(holdout: Holdout, title: str, values: object, asked: Asked) -> Result:
    """The score of predictions, with its interval."""
    metric = holdout.metric if asked.metric is None else measure_of(asked.metric)
    guess = asked.guess
    if guess is None and asked.where is None:
        guess = holdout.last(metric)
    given = _given(asked, guess)
    answer = cast(_Scores, holdout).score(values, **given)
    confirmed = _FAILED not in _theorems(answer)
    replayed = isinstance(answer, Answer) and answer.replayed
    if replayed:  # another guess may have been checked: a confirmed one is the answer
        guess = answer.value if confirmed else None
    elif guess is None and confirmed:
        guess = answer.value
    reached = _reached(answer, asked.require, higher=metric.higher)
    now = holdout.desk.standing()
    digest = holdout.digest(values, metric=metric) if isinstance(answer, Answer) else None
    document = {
        "holdout": title,
        "metric": metric.text,
        **_interval(answer),
        "guess": guess,
        "confirmed": confirmed,
        "replayed": replayed,
        "remaining": now.left,
        "failures": now.failures,
        "digest": digest,
        "require": asked.require,
        "reached": reached,
    }
    outcome = "guess confirmed" if confirmed else "guess failed"
    cost = ", asked before" if replayed else ""
    line = (
        f"{_shown(answer)}  {metric.text}; {outcome}{cost}; {holdout.remaining}"
        f"{_requirement(asked.require, reached, higher=metric.higher)}"
    )
    return Result(line=line, document=document, reached=reached)


def compared(
    holdout: Holdout, title: str, values: Sequence[object], names: Sequence[str], asked: Asked
) -> Result:
    """Which of two predictions is better, and by how much."""
    metric = holdout.metric if asked.metric is None else measure_of(asked.metric)
    first, second = values
    given = {**_given(asked, asked.guess), "names": _called(names)}
    found = cast(_Scores, holdout).compare(first, second, **given)
    reached = _reached(found.difference, asked.require, higher=metric.higher)
    now = holdout.desk.standing()
    document = {
        "holdout": title,
        "metric": metric.text,
        "predictions": list(names),
        **_interval(found.difference),
        "winner": found.winner,
        "tied": found.tied,
        "remaining": now.left,
        "failures": now.failures,
        "comparison": found.to_dict(),
        "require": asked.require,
        "reached": reached,
    }
    line = (
        f"{found}; {metric.text}; {holdout.remaining}"
        f"{_requirement(asked.require, reached, higher=metric.higher)}"
    )
    return Result(line=line, document=document, reached=reached)


def _called(names: Sequence[str]) -> tuple[str, str]:
    """What the two are called in the answer: the same file twice is told apart."""
    first, second = names
    return (first, second) if first != second else (f"{first} (a)", f"{second} (b)")


def _given(asked: Asked, guess: float | None) -> dict[str, object]:
    said = {
        "guess": guess,
        "tolerance": asked.tolerance,
        "trained_on": asked.trained_on,
        "metric": asked.metric,
        "where": asked.where,
    }
    return {name: value for name, value in said.items() if value is not None}


def _theorems(answer: Answer | Derived) -> tuple[str, ...]:
    if isinstance(answer, Answer):
        return answer.certificate.theorems
    return tuple(answer.joint.theorems)


def _interval(answer: Answer | Derived) -> dict[str, object]:
    ends = {"low": answer.low, "high": answer.high, "radius": answer.radius}
    return {
        "value": answer.value,
        **{name: end if isfinite(end) else None for name, end in ends.items()},
        "confidence": answer.confidence,
    }


def _shown(answer: Answer | Derived) -> str:
    if isinstance(answer, Answer):
        places = answer.span.places
        low = decimal_down(answer.low, places=places)
        high = decimal_up(answer.high, places=places)
        return f"{answer.value:.{places}f}  [{low}, {high}]"
    return f"{answer.value:.4f}  {answer.interval}"


def _reached(answer: Answer | Derived, require: float | None, *, higher: bool) -> bool | None:
    if require is None:
        return None
    return answer.low >= require if higher else answer.high <= require


def _requirement(require: float | None, reached: bool | None, *, higher: bool) -> str:
    if require is None:
        return ""
    end = "at least" if higher else "at most"
    return f"; {'' if reached else 'not '}shown to be {end} {require:g}"


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

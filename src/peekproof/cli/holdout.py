"""`peekproof holdout`: names for files of labels on which models are scored.

`--holdout` may be such a name, a file of labels, or the address of a gateway.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import click

from peekproof.cli import options, render
from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.numerics import decimal_up
from peekproof.learn.holdout import Holdout
from peekproof.learn.label_file import LabelColumns, LabelFile, only_label, read_labels
from peekproof.learn.metrics.named import measure_of
from peekproof.learn.registry import (
    Kept,
    Registered,
    Registry,
    check_free,
    check_name,
    open_labels,
    open_registered,
)
from peekproof.learn.words import counted, counted_rows, next_radius
from peekproof.ledger.places import shown

_REMOTE = ("http://", "https://")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """What is said of a file of labels on the command line; None is what a name knows itself."""

    label: str | None = None
    id: str | None = None
    groups: tuple[str, ...] = ()
    ledger: str | None = None
    confidence: float | None = None
    questions: int | None = None

    def check_unused(self, name: str) -> None:
        """Refuse options that would be passed over."""
        said = {
            "--label": self.label,
            "--group": self.groups or None,
            "--ledger": self.ledger,
            "--confidence": self.confidence,
            "--questions": self.questions,
        }
        for option, value in said.items():
            if value is not None:
                raise InvalidInput(
                    argument=option,
                    accepted="given only with a file of labels",
                    given=f"it with {name}",
                    hint="peekproof holdout create has it for a name",
                )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A holdout that can be opened, and what predictions for it must look like.

    It is opened only when they are read: a slip must not fix the promise of a new ledger.
    """

    title: str
    rows: int
    text: bool
    metric: str
    open: Callable[[], Holdout]
    ids: tuple[str, ...] | None = field(default=None, repr=False)
    id_column: str | None = None
    others: tuple[str, ...] = ()


def opened_holdout(
    name: str, *, options: LabelOptions, analyst: str = "", dataset: str | None = None
) -> Ready:
    """The holdout that is meant: at a gateway, registered under a name, or in a file."""
    if name.startswith(_REMOTE):
        options.check_unused("the address of a gateway")
        return _at_gateway(name, analyst=analyst, dataset=dataset)
    if dataset is not None:
        raise InvalidInput(
            argument="--dataset",
            accepted="given only with the address of a gateway",
            given=f"it with {name}",
        )
    registry = Registry()
    known = registry.find(name)
    if known is None and Path(name).is_file():
        return _in_file(Path(name), options, registry, analyst=analyst)
    if known is None:
        known = registry.known(name)
    options.check_unused(f"the name {name}")
    return _named(name, known, registry, analyst=analyst)


def labels_of_name(name: str, known: Registered) -> LabelFile:
    """The labels of a name, or an error that says how to tell where they went."""
    path = Path(known.file)
    if not path.is_file():
        raise DataError(
            source=known.file,
            problem=f"with the labels of {name} is gone",
            hint=f"put it back, or say where it is now: peekproof holdout create {name} LABELS "
            f"{known.columns}",
        )
    return read_labels(path, known.columns, classes=known.classes)


def _named(name: str, known: Registered, registry: Registry, *, analyst: str) -> Ready:
    labels = labels_of_name(name, known)

    def opened() -> Holdout:
        kept = open_registered(name, known, labels, registry=registry, analyst=analyst)
        return _front(kept, known.metric)

    return _ready(name, labels, known.metric, opened)


def _in_file(path: Path, options: LabelOptions, registry: Registry, *, analyst: str) -> Ready:
    besides = (*([options.id] if options.id is not None else []), *options.groups)
    label = options.label or only_label(path, besides=besides)
    columns = LabelColumns(label=label, id=options.id, groups=options.groups)
    labels = read_labels(path, columns)

    def opened() -> Holdout:
        kept = open_labels(
            labels,
            registry=registry,
            ledger=options.ledger,
            confidence=options.confidence,
            questions=options.questions,
            analyst=analyst,
        )
        return _front(kept, "accuracy")

    return _ready(str(path), labels, "accuracy", opened)


def _at_gateway(url: str, *, analyst: str, dataset: str | None) -> Ready:
    from peekproof.client.connecting import connect  # noqa: PLC0415 (only for gateways)

    if analyst:
        raise InvalidInput(
            argument="--analyst",
            accepted="left out with a gateway, whose token says who asks",
            given=repr(analyst)[:80],
        )
    shown = url.partition("#")[0]  # what follows may be a token
    found: object = connect(url, dataset=dataset)
    if not isinstance(found, Holdout):
        getattr(found, "close", lambda: None)()
        raise InvalidInput(
            argument="--holdout",
            accepted="the address of a gateway that serves a holdout",
            given=f"{shown}, whose data set is none",
            hint="--dataset names one of several",
        )
    holdout = found
    labels = holdout.desk.labels
    return Ready(
        title=shown,
        rows=labels.rows,
        text=labels.text,
        metric=holdout.metric.text,
        open=lambda: holdout,
    )


def _front(kept: Kept, metric: str) -> Holdout:
    try:
        return Holdout.at(kept.desk, metric=metric)
    except BaseException:
        kept.desk.close()
        raise


def _ready(title: str, labels: LabelFile, metric: str, opened: Callable[[], Holdout]) -> Ready:
    return Ready(
        title=title,
        rows=labels.rows,
        text=labels.text,
        metric=metric,
        open=opened,
        ids=labels.ids,
        id_column=labels.columns.id,
        others=labels.others,
    )


_MIDDLE = 0.5  # of the guesses of which nothing is known, the one with the widest interval


@click.group()
def holdout() -> None:
    """Name files of labels, to score predictions on them."""


@holdout.command()
@click.argument("name")
@click.argument("labels")
@click.option("--label", required=True, metavar="COLUMN", help="Which column has the labels.")
@click.option("--id", "id_", metavar="COLUMN", help="Which column tells rows apart.")
@click.option(
    "--group", multiple=True, metavar="COLUMN", help="One to group rows by; may be repeated."
)
@click.option(
    "--classes",
    metavar="A,B,…",
    help="The labels that there can be, which are public: predictions of others are refused.",
)
@click.option("--metric", help="What is scored if nothing else is said. [default: accuracy]")
@options.confidence
@click.option("--questions", type=int, help="How many scores a new ledger allows. [default: 10000]")
@click.option("--ledger", metavar="PLACE", help="Ledger. [default: LABELS.peekproof]")
@options.as_json
def create(
    name: str,
    labels: str,
    label: str,
    id_: str | None,
    group: tuple[str, ...],
    classes: str | None,
    metric: str | None,
    confidence: float | None,
    questions: int | None,
    ledger: str | None,
    json_wanted: bool,
) -> None:
    """Give the LABELS in a CSV or Parquet file a NAME.

    Rows that have a budget go on with it, under another NAME and in another file, too.
    """
    registry = Registry()
    before = registry.find(check_name(name))
    scored = measure_of(metric or (before.metric if before else "accuracy")).text
    path = Path(labels).absolute()
    columns = LabelColumns(label=label, id=id_, groups=group)
    declared = before.classes if classes is None and before else _listed(classes)
    found = read_labels(path, columns, classes=declared)
    fingerprint = found.held().fingerprint
    check_free(name, before, fingerprint)
    kept = open_labels(
        found, registry=registry, ledger=ledger, confidence=confidence, questions=questions
    )
    try:
        made = Registered(
            file=str(path),
            columns=columns,
            metric=scored,
            ledger=kept.ledger,
            fingerprint=fingerprint,
            rows=found.rows,
            classes=declared,
        )
        registry.put(name, made)
        said = _described(name, made, Holdout.at(kept.desk, metric=scored))
    finally:
        kept.desk.close()
    if json_wanted:
        render.as_json({**said, "continued": kept.before})
        return
    if kept.before:
        render.line(
            f"these rows have a budget already, in {said['ledger']}: {name} goes on with it"
        )
    else:
        render.line(f"{name} has {found.rows:,} rows; its budget is in {said['ledger']}")
    render.line(f"{said['words']}, all together with confidence {said['confidence']}")


@holdout.command("list")
@options.as_json
def list_(json_wanted: bool) -> None:
    """List all names, and where their labels and ledgers are."""
    found = Registry().every()
    if json_wanted:
        render.as_json([_place(name, each) for name, each in found.items()])
        return
    render.table(
        ["name", "rows", "metric", "file", "ledger"],
        [
            [name, f"{each.rows:,}", each.metric, each.file, shown(each.ledger)]
            for name, each in found.items()
        ],
    )


@holdout.command()
@click.argument("name")
@options.as_json
def show(name: str, json_wanted: bool) -> None:
    """Say what is left of the budget of NAME, and how wide the next interval is."""
    registry = Registry()
    known = registry.known(name)
    kept = open_registered(name, known, labels_of_name(name, known), registry=registry)
    with Holdout.at(kept.desk, metric=known.metric) as opened:
        said = _described(name, known, opened)
    if json_wanted:
        render.as_json(said)
        return
    render.line(f"{name}: {known.rows:,} rows of {known.file} ({known.columns})")
    render.line(f"{known.metric}, all together with confidence {said['confidence']}")
    render.line(str(said["words"]))
    if said["next_radius"] is not None:
        render.line(
            f"±{decimal_up(float(str(said['next_radius'])))} for the next score, if a guess of "
            f"{said['next_guess']:.4g} from {counted_rows(known.rows)} is confirmed"
        )
    render.line(f"ledger {shown(kept.ledger)}")


@holdout.command()
@click.argument("name")
@options.as_json
def forget(name: str, json_wanted: bool) -> None:
    """Forget the NAME, and only that: the budget stays in its ledger."""
    known = Registry().forget(name)
    if json_wanted:
        render.as_json({"name": name, "forgotten": True, "ledger": shown(known.ledger)})
        return
    render.line(f"{name} is forgotten; its budget stays in {shown(known.ledger)}")


def _listed(classes: str | None) -> tuple[str, ...] | None:
    """Classes as they are written between commas; quotation marks hold those with commas."""
    return None if classes is None else tuple(next(csv.reader([classes], skipinitialspace=True)))


def _place(name: str, known: Registered) -> dict[str, object]:
    return {
        "name": name,
        "file": known.file,
        "label": known.columns.label,
        "id": known.columns.id,
        "groups": list(known.columns.groups),
        "rows": known.rows,
        "metric": known.metric,
        "classes": None if known.classes is None else list(known.classes),
        "ledger": shown(known.ledger),
        "fingerprint": known.fingerprint,
    }


def _described(name: str, known: Registered, opened: Holdout) -> dict[str, object]:
    now = opened.desk.standing()
    guess = opened.last()
    return {
        **_place(name, known),
        "confidence": now.confidence,
        "questions": now.questions,
        "asked": now.asked,
        "remaining": now.left,
        "failures": now.failures,
        "words": counted(now),
        "next_guess": _MIDDLE if guess is None else guess,
        "next_radius": next_radius(opened.desk, opened.metric, guess),
    }

"""What `--holdout` may be: a name, a file of labels, or a gateway."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.holdout import Holdout
from peekproof.learn.keeping import Kept, open_labels, open_registered
from peekproof.learn.label_file import LabelColumns, LabelFile, only_label, read_labels
from peekproof.learn.registry import Registered, Registry

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

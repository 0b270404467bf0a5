"""The rows of a holdout given as rows to guess from: then guesses would be looks at its labels."""

import numpy as np
import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.data.fingerprint import fingerprint
from peekproof.data.normal import normalised
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.desk import Desk, LocalDesk
from peekproof.learn.guesses import Expected, Trained
from peekproof.learn.held import LABEL, ROW
from peekproof.learn.naming import digests, row_names


def refuse_own_rows(desk: Desk, trained: Trained | None) -> None:
    """Refuse training rows that are those of the holdout, or some of them, with their labels."""
    if trained is None or not isinstance(desk, LocalDesk):
        return
    if _among(desk, trained):
        raise _own("training")
    if not _alike(desk, trained.labels):
        return
    names = row_names(trained.features, rows=trained.labels.rows)
    rows = pl.DataFrame({LABEL: trained.labels.values, ROW: names})
    if fingerprint(normalised(rows)) == desk.held.fingerprint:
        raise _own("training")


def refuse_own_answers(desk: Desk, seen: Expected, predicted: Predictions) -> None:
    """Refuse labels of other rows that are the labels of the holdout, with its predictions."""
    if not isinstance(desk, LocalDesk) or not _alike(desk, seen.labels):
        return
    same = np.array_equal(seen.labels.values, desk.labels.values)
    if same and seen.predicted.digest == predicted.digest:
        raise _own("validation")


def _among(desk: LocalDesk, trained: Trained) -> bool:
    """Whether all are rows of the holdout, which must differ for that to be told.

    Of other rows the first one tells as a rule, so it costs nothing where it is asked for often.
    """
    held, names = desk.held.labels_by_name, digests(trained.features)
    if not held or names is None or not trained.labels.rows:
        return False
    rows = zip(names, trained.labels.values, strict=False)
    return all(each in held and held[each] == label for each, label in rows)


def _alike(desk: LocalDesk, labels: Labels) -> bool:
    """Whether there are as many of each label; what it costs to see that is little."""
    held = desk.labels
    if labels.rows != held.rows or labels.text != held.text:
        return False
    return np.array_equal(np.sort(labels.values), np.sort(held.values))


def _own(argument: str) -> InvalidInput:
    return InvalidInput(
        argument=argument,
        accepted="other rows than those of the holdout",
        given="the same ones",
        hint="a guess that was made from the labels it is checked with is always confirmed, and "
        "nothing that is promised would be true: give rows that models may be trained on",
    )

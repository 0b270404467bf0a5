"""Which columns a question needs, so that an engine reads no others."""

from peekproof.query.form import (
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.tree import Predicate, columns


def mentioned(form: Form) -> set[str]:
    """The names of all columns on which the answer depends."""
    match form:
        case Share(predicate):
            return columns(predicate)
        case Mean(operand) | Quantile(operand):
            return columns(operand)
        case Histogram(by, weight) | Grouped(by, weight):
            return _cells(by) | _weight(weight)
        case Given(of, condition):
            return mentioned(of) | columns(condition)


def _weight(weight: Predicate | Mean | None) -> set[str]:
    match weight:
        case None:
            return set()
        case Mean(operand):
            return columns(operand)
        case predicate:
            return columns(predicate)


def _cells(by: Edges | Values) -> set[str]:
    return columns(by.operand if isinstance(by, Edges) else by.column)

"""What all metrics share: a number from 0 to 1 for every row, from its label and its prediction.

The mean of such a number is a question like any other, so all that is promised for questions is
promised for scores. What is not a mean over rows (a quotient, a rank) is made of several of them.
"""

from enum import Enum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from peekproof.learn.column import Labels, Predictions

Rows = npt.NDArray[np.float64]


class Wants(Enum):
    """What a model is asked for; the names of the methods that scikit-learn's models have."""

    LABEL = "predict"
    PROBABILITY = "predict_proba"
    NUMBER = "decision_function"


class Metric(Protocol):
    """A frozen value: two metrics with the same `text` are the same."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 (a constant of most of them)

    @property
    def flag(self) -> bool:
        """Whether each row counts 0 or 1."""

    @property
    def higher(self) -> bool:
        """Whether more is better."""

    @property
    def wants(self) -> Wants:
        """What a model is asked for."""

    @property
    def span(self) -> float:
        """What a row that is worth 1 stands for: scores are told from 0 to here, in its units."""

    @property
    def charge_first(self) -> bool:
        """Whether that evaluating it fails could tell of labels: of functions of somebody's own."""

    @property
    def text(self) -> str:
        """The metric as it is written and recorded: "accuracy", "pinball(0.9, 0, 100)"."""

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Refuse what cannot be scored, by its kind and shape: what is public of labels."""

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        """What each row is worth, from 0 to 1; evaluated only after it was paid for."""


def innermost(metric: object) -> object:
    """The metric itself, of what is left by it or gained."""
    while (inner := getattr(metric, "of", getattr(metric, "metric", None))) is not None:
        metric = inner
    return metric

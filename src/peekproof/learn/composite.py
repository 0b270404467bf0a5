"""Metrics that are no means over rows: functions of several means, which hold together."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Metric, Wants
from peekproof.learn.metrics.ranked import Ranked


class Asking(Protocol):
    """Where a composite asks for its parts. What they are guessed at besides is not its business.

    A guess is what other rows say of the part, where there are some; else what a composite makes
    of the guess at the whole. A wrong one costs a failure, never the promise.
    """

    @property
    def whole(self) -> float:
        """What the composite itself is guessed to be."""

    def part(self, metric: Metric, otherwise: Callable[[], float]) -> Answer:
        """The answer for a mean of the predictions, guessed `otherwise` if nothing is known."""

    def label_part(self, metric: Metric, otherwise: float) -> Answer:
        """The answer for a mean of labels alone, the same for all predictions."""

    def pairs(
        self, metric: Ranked, otherwise: Callable[[], float], *, again: bool = False
    ) -> Answer:
        """The answer for a mean over pairs, guessed `otherwise` if other rows say nothing of it.

        With `again` what was answered for predictions before may be the guess, too.
        """

    def empty(
        self, over: Metric | Ranked, rest: Metric | Ranked, *, share: float, weight: float = 1.0
    ) -> InvalidInput | None:
        """Why a quotient over/(over + rest) says nothing if its parts are as guessed, if so.

        Before they are asked for. `share` is what both are together, or the most that they can be,
        if the rest counts once; it may have another weight.
        """

    def hidden(self, metric: Metric, otherwise: float) -> bool:
        """Whether a part would not be known to be more than 0 if it is as guessed.

        Before it is asked for; not where that cannot be told, nor if it was answered before.
        """

    def unknown(self, metric: Metric) -> bool:
        """Whether nothing is known of a part, so that it is guessed by what the composite says."""

    def class_share(self, positive: float | str, *, classes: int = 2) -> float:
        """About how much of all rows is of a class, from an answer of its own."""


@runtime_checkable
class Composite(Protocol):
    """A frozen value: two composites with the same `text` are the same."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 (as metrics have it)

    @property
    def higher(self) -> bool:
        """Whether more is better."""

    @property
    def wants(self) -> Wants:
        """What a model is asked for."""

    @property
    def least(self) -> float:
        """The lowest that it can be; the highest is 1."""

    @property
    def grouped(self) -> bool:
        """Whether it can be asked for among some rows by asking for its parts among them."""

    @property
    def text(self) -> str:
        """The composite as it is written: "f1(1)"."""

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Refuse what cannot be scored, by its kind and shape: what is public of labels."""

    def found(self, asking: Asking) -> Derived:
        """What follows from the answers for its parts."""

"""Which of two models is better, by the rows in which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.shown import visible
from peekproof.derive.derived import Derived, Range
from peekproof.derive.linear import difference
from peekproof.learn.column import Predictions
from peekproof.learn.desk import Desk
from peekproof.learn.differing import Differing
from peekproof.learn.html import comparison_html
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.classification import Gain
from peekproof.learn.scoring import Scoring


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two models, and by how much the score of the first exceeds that of the second.

    `gain` is what the first scores beyond the second, in the rows where it scores higher, and
    `loss` what the second does in its: small shares, whose intervals are narrower than those of
    the scores. Their difference is that of the scores, and holds together with all other answers.
    """

    names: tuple[str, str]
    metric: str
    higher: bool
    gain: Answer
    loss: Answer
    difference: Derived

    @property
    def winner(self) -> str | None:
        """Which is better in the population; None if that is not known."""
        if self.tied:
            return None
        return self.names[0 if (self.difference.low > 0) == self.higher else 1]

    @property
    def tied(self) -> bool:
        """Whether either could be better."""
        return self.difference.low <= 0 <= self.difference.high

    @property
    def confidence(self) -> float:
        return self.difference.confidence

    def __str__(self) -> str:
        found = self.difference
        if self.tied:
            return f"a tie: the difference is within {found.interval}"
        apart = found.interval
        if found.low < 0:
            apart = Range(low=-found.high, high=-found.low)
        return f"{visible(str(self.winner))} is better by {abs(found.value):.4f} {apart}"

    def __repr__(self) -> str:
        return f"<Comparison: {self}>"

    def _repr_html_(self) -> str:
        """The comparison for a notebook."""
        return comparison_html(
            said=str(self),
            ends=(self.difference.low, self.difference.value, self.difference.high),
            rows=[
                (f"{self.names[0]} above {self.names[1]}", self.gain),
                (f"{self.names[1]} above {self.names[0]}", self.loss),
            ],
            metric=self.metric,
            confidence=self.confidence,
        )

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`."""
        return self.difference.to_dicts()

    def to_dict(self) -> dict[str, object]:
        return {
            "names": list(self.names),
            "metric": self.metric,
            "higher_is_better": self.higher,
            "winner": self.winner,
            "difference": self.difference.to_dict(),
            "gain": self.gain.to_dict(),
            "loss": self.loss.to_dict(),
        }


def compare(
    desk: Desk,
    metric: Metric,
    pair: Sequence[Predictions],
    expected: Differing,
    *,
    names: tuple[str, str],
) -> Comparison:
    """Two questions, of which each is free if it was asked before, in either order of models."""
    first, second = pair
    gain = Scoring.of(Gain(metric), desk.labels, first, second)
    loss = Scoring.of(Gain(metric), desk.labels, second, first)
    above, below = desk.ask(gain, expected.gain), desk.ask(loss, expected.loss)
    label = f"{metric.text} of {names[0]} − {metric.text} of {names[1]}"
    return Comparison(
        names=names,
        metric=metric.text,
        higher=metric.higher,
        gain=above,
        loss=below,
        difference=replace(difference(above, below), label=label),
    )

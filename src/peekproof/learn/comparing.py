"""Which of two models is better, by the rows in which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.shown import visible
from peekproof.derive.derived import Derived, Range
from peekproof.derive.linear import difference
from peekproof.learn.column import Predictions, predictions_of
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.html import comparison_html
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.classification import Gain
from peekproof.learn.model import Trained, is_model, predicted_by, remembered
from peekproof.learn.score import MeanScore


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
    expected: "Differing",
    *,
    names: tuple[str, str],
) -> Comparison:
    """Two questions, of which each is free if it was asked before, in either order of models."""
    first, second = pair
    gain = MeanScore.of(Gain(metric), desk.labels, first, second)
    loss = MeanScore.of(Gain(metric), desk.labels, second, first)
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


# What to expect of a comparison before the holdout is looked at.

# Models that learned the same thing err in the same rows: of what independent ones would differ
# in beyond their scores, this part. Where rows are not right or wrong, they differ by less.
_FLAGS, _NUMBERS = 0.5, 0.25


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """By how much the first scores higher where it does, and the second where that one does."""

    gain: Guessed
    loss: Guessed


def from_scores(first: float, second: float, metric: Metric) -> Differing:
    """From two scores alone.

    How often the models disagree could be counted in the holdout's rows without their labels, but
    then answers would tell of its features, and no longer hold for the population.
    """
    part, span = _FLAGS if metric.flag else _NUMBERS, metric.span
    one, other = first / span, second / span
    least = max(0.0, one - other)
    gain = least + part * max(0.0, one * (1 - other) - least)
    loss = gain - (one - other)
    return Differing(gain=Guessed(share=_cut(gain) * span), loss=Guessed(share=_cut(loss) * span))


def from_training(models: Sequence[object], metric: Metric, trained: Trained) -> Differing:
    """From what both models say about the training rows."""
    rows, compared = trained.labels.rows, Gain(metric)
    first, second = (
        predictions_of(predicted_by(each, trained.features, metric), rows=rows) for each in models
    )
    compared.check(trained.labels, first, second)
    gain, loss = (
        Guessed(
            share=_cut(float(compared.values(trained.labels, *pair).mean())) * metric.span,
            trained_on=rows,
        )
        for pair in ((first, second), (second, first))
    )
    return Differing(gain=gain, loss=loss)


def expected_difference(
    guess: object,
    models: Sequence[object],
    metric: Metric,
    *,
    trained: Trained | None,
    last: float,
) -> Differing:
    """From what is given, else from training rows, else from what models remember, else a tie.

    A difference alone is taken to be one of scores about the last one.
    """
    if guess is not None:
        return from_scores(*_scores(guess, last, metric.span), metric)
    if trained is not None and all(is_model(each) for each in models):
        return from_training(models, metric, trained)
    known = [remembered(each, metric) if is_model(each) else None for each in models]
    first, second = known
    if first is None or second is None:
        return from_scores(last, last, metric)
    return from_scores(first, second, metric)


def _scores(guess: object, last: float, span: float) -> tuple[float, float]:
    """The two scores that a guess says, or a difference around the last score."""
    try:
        if isinstance(guess, Sequence) and len(guess) == 2:
            first, second = (float(each) for each in guess)
            if 0 <= first <= span and 0 <= second <= span:
                return first, second
        elif not isinstance(guess, Sequence):
            apart = float(guess)  # type: ignore[arg-type]
            if -span <= apart <= span:
                middle = min(max(last, abs(apart) / 2), span - abs(apart) / 2)
                return middle + apart / 2, middle - apart / 2
    except (TypeError, ValueError):
        pass
    raise InvalidInput(
        argument="guess",
        accepted=f"the first score less the second, or a pair of scores from 0 to {span:g}",
        given=repr(guess)[:80],
    )


def _cut(share: float) -> float:
    return min(1.0, max(0.0, share))

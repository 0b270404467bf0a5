"""The best of many models, with an interval for its score."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import InvalidInput
from peekproof.core.shown import visible
from peekproof.derive.derived import Derived, Range
from peekproof.derive.linear import affine
from peekproof.learn.column import Predictions
from peekproof.learn.desk import Desk
from peekproof.learn.html import best_html
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.quotients import Rest
from peekproof.learn.score import MeanScore


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The model that scores best on the rows, and an interval for its score.

    `answer` is its score in the population: it holds together with all other answers although the
    model was chosen for it. No other model is better there by more than `gap`.
    """

    name: str
    index: int
    candidates: tuple[str, ...]
    metric: str
    answer: Answer | Derived
    choice: Choice

    @property
    def gap(self) -> float:
        return self.choice.gap

    @property
    def confidence(self) -> float:
        return self.answer.confidence

    def __str__(self) -> str:
        interval = Range(low=self.answer.low, high=self.answer.high)
        of = f"{visible(self.name)} is the best of {len(self.candidates):,}"
        return f"{of}: {self.metric} {self.answer.value:.4f} {interval}"

    def __repr__(self) -> str:
        return f"<Best: {self}>"

    def _repr_html_(self) -> str:
        """The choice for a notebook."""
        answer = self.answer
        return best_html(
            said=str(self),
            ends=(answer.low, answer.value, answer.high),
            confidence=self.confidence,
        )

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`."""
        return self.answer.to_dicts()

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "index": self.index,
            "candidates": list(self.candidates),
            "metric": self.metric,
            "answer": self.answer.to_dict(),
            "gap": self.gap,
        }


def named(models: object) -> dict[str, object]:
    """Models by their names; those of a list are called after their places."""
    if isinstance(models, Mapping):
        found = {str(name): model for name, model in models.items()}
    elif isinstance(models, Iterable) and not isinstance(models, str | bytes):
        found = {f"model {place}": model for place, model in enumerate(models)}
    else:
        raise InvalidInput(
            argument="models",
            accepted="a list of models, or a dictionary of them by their names",
            given=f"a {type(models).__name__}",
        )
    if not isinstance(models, Mapping) or len(found) == len(models):
        return found
    raise InvalidInput(argument="models", accepted="under different names", given="one name twice")


def best(desk: Desk, metric: Metric, predicted: Mapping[str, Predictions]) -> Best:
    """The largest, or of errors the smallest; models that predict the same are one candidate."""
    asked = metric if metric.higher else Rest(metric)
    scores: dict[str, tuple[int, MeanScore]] = {}
    for place, each in enumerate(predicted.values()):
        score = MeanScore.of(asked, desk.labels, each)
        scores.setdefault(score.digest, (place, score))
    if len(scores) < 2:
        raise InvalidInput(
            argument="models",
            accepted="at least two that do not predict the same in every row",
            given=f"{len(predicted):,}, of which {len(scores):,} differ",
            hint="score the one there is" if scores else "",
        )
    places, candidates = zip(*scores.values(), strict=True)
    choice = desk.best(candidates)
    names, index = tuple(predicted), places[choice.index]
    return Best(
        name=names[index],
        index=index,
        candidates=names,
        metric=metric.text,
        answer=_scored(choice, metric, names[index]),
        choice=choice,
    )


def _scored(choice: Choice, metric: Metric, name: str) -> Answer | Derived:
    """The score of the winner by the metric itself."""
    winner = choice.winner
    if winner is None:
        raise InvalidInput(
            argument="desk", accepted="one that certifies what it chose", given="another"
        )
    if metric.higher:
        return winner
    score = affine(winner, scale=-1, shift=Fraction(metric.span))
    return replace(score, label=f"{metric.text} of {name}")

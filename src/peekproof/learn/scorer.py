"""A holdout as the `scoring` of scikit-learn's searches and cross-validations."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, final

from peekproof.core.errors import InvalidInput
from peekproof.learn.composite import Composite
from peekproof.learn.metric import Metric

if TYPE_CHECKING:
    from peekproof.learn.holdout import Holdout, ScoreAnswer

VALIDATION: Literal["validation"] = "validation"
Guess = Literal["validation"] | Callable[[object, object, object], float] | None


@final
class HoldoutScorer:
    """Scores a fitted model on the holdout. Call it as `scorer(model, X, y)`.

    The rows X, y that it is called with, a fold that the model was not trained on, only give the
    guess. What it returns is the holdout's answer, and greater is better: losses are negated.
    A model that was scored before, as for `return_train_score`, is not charged again.
    """

    def __init__(
        self,
        holdout: "Holdout",
        *,
        metric: Metric | Composite,
        guess: Guess,
        tolerance: float | None,
    ) -> None:
        if guess is not None and guess != VALIDATION and not callable(guess):
            raise InvalidInput(
                argument="guess",
                accepted=f"{VALIDATION!r}, None, or a function of a model, X and y",
                given=repr(guess)[:80],
            )
        self.holdout = holdout
        self.metric = metric
        self._guess = guess
        self._tolerance = tolerance
        self._answers: list[ScoreAnswer] = []

    def __call__(
        self,
        estimator: object,
        X: object,  # noqa: N803 (what everybody calls it)
        y: object = None,
        *,
        sample_weight: object = None,
    ) -> float:
        if sample_weight is not None:
            raise _unweighted("sample_weight")
        asked, guess = self.holdout, None
        if callable(self._guess):
            guess = self._guess(estimator, X, y)
        elif self._guess is not None and y is not None:
            asked = asked.trained_on(X, y)  # a fold is as good as training rows to guess from
        answer = asked.score(estimator, guess=guess, tolerance=self._tolerance, metric=self.metric)
        self._answers.append(answer)
        return self._sign * answer.value

    @property
    def answers(self) -> "tuple[ScoreAnswer, ...]":
        """What it was answered in this process, call by call; `holdout.answers()` has all."""
        return tuple(self._answers)

    @property
    def last(self) -> "ScoreAnswer | None":
        """The answer to the last call in this process, with its interval; losses as they are."""
        return self._answers[-1] if self._answers else None

    def set_score_request(self, **requests: object) -> "HoldoutScorer":
        """Part of scikit-learn's metadata routing: refused if the scorer is to get something."""
        for name, wanted in requests.items():
            if wanted is True or isinstance(wanted, str):
                raise _unweighted(name)
        return self

    # By these names scikit-learn asks its own scorers.

    @property
    def _sign(self) -> int:
        return 1 if self.metric.higher else -1

    @property
    def _response_method(self) -> str:
        return self.metric.wants.value

    def _accept_sample_weight(self) -> bool:
        return False

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.holdout, self.metric, self._guess, self._tolerance)

    def __copy__(self) -> "HoldoutScorer":
        return self

    def __deepcopy__(self, _: object) -> "HoldoutScorer":
        return self  # searches copy it with their other parameters

    def __repr__(self) -> str:
        negated = "" if self.metric.higher else ", greater_is_better=False"
        return f"HoldoutScorer({self.metric.text!r}{negated}, guess={self._guess!r})"


def _made(
    holdout: "Holdout", metric: Metric | Composite, guess: Guess, tolerance: float | None
) -> HoldoutScorer:
    return HoldoutScorer(holdout, metric=metric, guess=guess, tolerance=tolerance)


def _unweighted(name: str) -> InvalidInput:
    return InvalidInput(
        argument=name,
        accepted="left out of scoring: the rows of a holdout count the same",
        given="one",
        hint=f"give it to fit alone, as by set_fit_request({name}=True)",
    )

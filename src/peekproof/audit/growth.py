"""How the rows needed grow with the number of questions: by chains of stability, and by ours."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.certificate import OnAverage, OneQuestion, Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.plan import rows_needed
from peekproof.theory.generalization.chains import Goal, rows_by_privacy, rows_by_variation

# Laplace noise of scale b has standard deviation √2·b; just below 1/√2.
_SCALE_TO_DEVIATION = Fraction(7071, 10_000)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RowsNeeded:
    """The rows that each way of planning needs; None is beyond 10¹⁸.

    The chains end in weaker statements than the certificate, which alone is simultaneous.
    """

    questions: int
    average_by_variation: int | None
    average_by_privacy: int | None
    one_by_variation: int | None
    one_by_privacy: int | None
    certified: int | None

    def to_dict(self) -> dict[str, int | None]:
        return {
            "questions": self.questions,
            "average_by_variation": self.average_by_variation,
            "average_by_privacy": self.average_by_privacy,
            "one_by_variation": self.one_by_variation,
            "one_by_privacy": self.one_by_privacy,
            "certified": self.certified,
        }


def growth(*, target: Target, radius: float) -> RowsNeeded:
    """The rows that the chains and the certificate need for `radius`.

    The chains split it: half for the drift of their goal, half for the standard deviation of
    the noise. That favours them, since the largest of many noises is several deviations.
    """
    if not check.positive_float(radius=radius) <= VACUOUS:
        raise InvalidInput(
            argument="radius",
            accepted="at most 0.5 (wider intervals say nothing)",
            given=repr(radius),
        )
    half = Fraction(radius) / 2
    certified = _within_reach(lambda: rows_needed(target=target, radius=radius))
    average = OnAverage.of(float(half))
    one = OneQuestion.of(float(half), beta=target.beta)
    return RowsNeeded(
        questions=target.questions,
        average_by_variation=_by_variation(average, target.questions, half),
        average_by_privacy=_by_privacy(average, target.questions, half),
        one_by_variation=_by_variation(one, target.questions, half),
        one_by_privacy=_by_privacy(one, target.questions, half),
        certified=certified,
    )


def _by_variation(goal: Goal, questions: int, deviation: Fraction) -> int | None:
    return _within_reach(lambda: rows_by_variation(goal, questions=questions, sigma=deviation))


def _by_privacy(goal: Goal, questions: int, deviation: Fraction) -> int | None:
    scale = deviation * _SCALE_TO_DEVIATION
    return _within_reach(lambda: rows_by_privacy(goal, questions=questions, scale=scale))


def _within_reach(rows: Callable[[], int]) -> int | None:
    """The rows, or None if the search for them ended in vain: all arguments were checked before."""
    try:
        return rows()
    except InvalidInput:
        return None

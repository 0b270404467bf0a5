"""The mechanisms that are asked in turn, as cases of the suite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, final

from laws.case_parts import FAR, AnyCase, on_grid, rebuilt_as
from peekproof.core.charge import PureDP
from peekproof.mechanisms.base import recorded_mechanism
from peekproof.mechanisms.ladder import Improved, Ladder, Unimproved
from peekproof.mechanisms.sparse import AboveThreshold, NumericSparse, Verdict
from peekproof.mechanisms.thresholdout import Corrected, Stands, Thresholdout, ThresholdoutRun
from peekproof.noise.entropy import Entropy
from peekproof.testing.mechanisms import interactive

THRESHOLD = 3


def misjudged(count: int, verdict: Verdict) -> int:
    """Above means at least threshold − radius, below means less than threshold + radius."""
    return THRESHOLD - count if verdict is Verdict.ABOVE else count - THRESHOLD + 1


def misanswered(count: int, released: int | None) -> int:
    if released is None:
        return misjudged(count, Verdict.BELOW)
    return max(misjudged(count, Verdict.ABOVE), abs(released - count))


CONVERSATIONS: dict[str, Any] = {
    "typical": ((2, 2, 4, 9, 0), (0, 0, 0, 0, 0), (4, 5, 2)),
    "extreme": ((-FAR, -FAR, FAR, -FAR, 0, 0, 0), (FAR,) * 6, (-FAR,) * 6),
    "neighbours": (((1, 5, 1, 5), (3, 3, 3, 3)),),
}


def above_threshold() -> AnyCase:
    return interactive(
        AboveThreshold(threshold=THRESHOLD, epsilon=Fraction(4), questions=5, sensitivity=2),
        rebuild=rebuilt_as(
            AboveThreshold, {}, threshold=int, epsilon=Fraction, questions=int, sensitivity=int
        ),
        outputs=lambda released: isinstance(released, Verdict),
        error=misjudged,
        **CONVERSATIONS,
    )


def numeric_sparse() -> AnyCase:
    mechanism = NumericSparse(
        threshold=THRESHOLD,
        epsilon=Fraction(16),
        answers=2,
        questions=5,
        sensitivity=2,
        comparing=Fraction(1, 2),
    )
    return interactive(
        mechanism,
        rebuild=rebuilt_as(
            NumericSparse,
            {},
            threshold=int,
            epsilon=Fraction,
            answers=int,
            questions=int,
            sensitivity=int,
            comparing=Fraction,
        ),
        outputs=lambda released: released is None or type(released) is int,
        error=misanswered,
        **CONVERSATIONS,
    )


ROWS = 20


@final
@dataclass(frozen=True, slots=True)
class WholeRuns:
    """A holdout whose runs are whole conversations, and not those of a session."""

    within: Thresholdout

    kind: ClassVar[str] = Thresholdout.kind

    def cost(self) -> PureDP:
        return self.within.cost()

    def radius(self, *, beta: Fraction) -> float:
        return self.within.radius(beta=beta)

    def start(self, *, rng: Entropy) -> ThresholdoutRun:
        return self.within.start_run(rng=rng)


def stands_or_is_corrected(released: object) -> bool:
    return isinstance(released, Stands | Corrected) and on_grid(Fraction(1, ROWS))(released.share)


def thresholdout() -> AnyCase:
    """Every guess is one half, ten rows."""
    mechanism = Thresholdout(
        rows=ROWS,
        threshold=THRESHOLD,
        epsilon=Fraction(16),
        corrections=2,
        questions=5,
        comparing=Fraction(1, 2),
    )
    case = interactive(
        WholeRuns(mechanism),
        rebuild=lambda record: recorded_mechanism(record, rows=ROWS),
        outputs=stands_or_is_corrected,
        error=lambda count, released: abs(released.share - Fraction(count, ROWS)),
        typical=((9, 11, 14, 19, 10), (10,) * 5, (15, 4, 10)),
        extreme=((-FAR, FAR, FAR), (FAR,) * 6, (-FAR,) * 6),
        neighbours=(((12, 14, 12, 14), (13, 13, 13, 13)),),
    )
    return replace(case, mechanism=mechanism)


def behind_the_ladder(count: int, released: Improved | Unimproved) -> Fraction:
    """How far a new best is from its score, and an old one below a score that did not beat it."""
    ahead = Fraction(count, ROWS) - released.best
    return abs(ahead) if isinstance(released, Improved) else max(Fraction(0), ahead)


def ladder() -> AnyCase:
    step = Fraction(1, 10)
    return interactive(
        Ladder(rows=ROWS, step=step, questions=5),
        rebuild=rebuilt_as(Ladder, {"rows": ROWS}, step=Fraction, questions=int),
        outputs=lambda released: (
            isinstance(released, Improved | Unimproved) and on_grid(step)(released.best)
        ),
        error=behind_the_ladder,
        typical=((9, 11, 14, 19, 10), (0,) * 5, (15, 4, 10)),
        extreme=((-FAR, FAR, FAR), (FAR,) * 6, (-FAR,) * 6),
        neighbours=(((11, 13, 11, 13), (12, 12, 12, 12)),),
    )

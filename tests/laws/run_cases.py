"""The mechanisms that are asked in turn, as cases of the suite."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from holdfast.mechanisms.above_threshold import AboveThreshold, Verdict
from holdfast.mechanisms.numeric_sparse import NumericSparse
from holdfast.testing.case import interactive
from laws.case_parts import FAR, AnyCase, rebuilt_as

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

"""Oracles for mechanisms that choose: exact laws, and a count of operations."""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from types import FrameType
from typing import Any

from mpmath import exp, inf, mpf, mpmathify, quad
from mpmath import log as ln

Law = Callable[[Sequence[int], Fraction], list[mpf]]


def softmax(scores: Sequence[int], scale: Fraction) -> list[mpf]:
    """P(y) ∝ e^{score_y/scale}, as it is written."""
    sizes = [exp(mpmathify(Fraction(score) / scale)) for score in scores]
    return [size / sum(sizes) for size in sizes]


def flipped(scores: Sequence[int], scale: Fraction) -> list[mpf]:
    """Permute and flip, literally: over all orders, the first candidate whose coin shows heads."""
    coins = [exp(mpmathify(Fraction(score - max(scores)) / scale)) for score in scores]
    chosen = [mpf(0)] * len(scores)
    for order in permutations(range(len(scores))):
        reached = mpf(1)
        for y in order:
            chosen[y] += reached * coins[y]
            reached *= 1 - coins[y]
    return [mass / factorial(len(scores)) for mass in chosen]


def largest(
    scores: Sequence[int],
    scale: Fraction,
    *,
    density: Callable[[mpf], mpf],
    cdf: Callable[[mpf], mpf],
) -> list[mpf]:
    """The law of the largest score + scale·noise, by quadrature over the noise of the winner."""
    law = []
    for y, own in enumerate(scores):
        leads = [
            mpmathify(Fraction(own - other) / scale) for z, other in enumerate(scores) if z != y
        ]

        def wins(x: mpf, leads: list[mpf] = leads) -> mpf:
            value = density(x)
            for lead in leads:
                value *= cdf(x + lead)
            return value

        kinks = sorted({mpf(0), *(-lead for lead in leads)})
        law.append(quad(wins, [-inf, *kinks, inf]))
    return law


def laplace_largest(scores: Sequence[int], scale: Fraction) -> list[mpf]:
    return largest(
        scores,
        scale,
        density=lambda x: exp(-abs(x)) / 2,
        cdf=lambda x: exp(x) / 2 if x < 0 else 1 - exp(-x) / 2,
    )


def exponential_largest(scores: Sequence[int], scale: Fraction) -> list[mpf]:
    return largest(
        scores,
        scale,
        density=lambda x: exp(-x) if x >= 0 else mpf(0),
        cdf=lambda x: 1 - exp(-x) if x > 0 else mpf(0),
    )


def worst_loss(law: Law, scores: Sequence[int], scale: Fraction, *, sensitivity: int) -> mpf:
    """The largest log-ratio between a law and that of any neighbour at the extremes."""
    base = law(scores, scale)
    worst = mpf(0)
    for moves in product((-sensitivity, 0, sensitivity), repeat=len(scores)):
        moved = law([score + move for score, move in zip(scores, moves, strict=True)], scale)
        worst = max(worst, *(abs(ln(p / q)) for p, q in zip(base, moved, strict=True)))
    return worst


def operations(action: Callable[[], object]) -> int:
    """How many bytecodes of the package an action executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Callable[[FrameType, str, Any], Any]:
        nonlocal count
        frame.f_trace_opcodes = "peekproof" in frame.f_code.co_filename
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    # Python 3.12 only reports bytecodes if some frame wanted them when tracing began.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count

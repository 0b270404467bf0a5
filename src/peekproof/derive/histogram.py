"""Answers that constrain each other: cells of a histogram, and shares of nested questions.

No cell is negative, and together they are 1, or at most 1. The shares of nested questions cannot
fall from one to the next.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Fact, Range, Source, bounded_facts, nearest_float
from peekproof.derive.joint import Joint, contradiction, number


def project(answers: Iterable[Source], *, total: float | Fraction = 1) -> list[Derived]:
    """The answers for population values t ≥ 0 that are known to add up to `total`.

        low_i ← max(low_i, 0, total − Σ_{j≠i} high_j),  high_i ← min(high_i, total − Σ_{j≠i} low_j)
        value = the point nearest to the released values v among all x ≥ 0 that are within the
                intervals and add up to `total`

    Sound by T-joint-function: t_i = total − Σ_{j≠i} t_j. Both ends of each interval are attained,
    so nothing narrower follows. Where the intervals do not bind, the values are the projection of
    v on the simplex.

    The L2 error does not grow, when the intervals hold: the x that are allowed form a convex set
    with t in it, so that its point P nearest to v has ⟨v − P, P − t⟩ ≥ 0, and
    |v − t|² = |v − P|² + 2⟨v − P, P − t⟩ + |P − t|² ≥ |P − t|².

    Intervals that no such values fit are an InvalidInput. Rounds: intervals outward, from exact
    sums; the values are exact, and add up to `total`.
    """
    cells = _Cells(answers, total)
    if not cells.least <= cells.total <= cells.most:
        raise cells.misfit("add up to")
    missing, spare = cells.total - cells.most, cells.total - cells.least
    return cells.derived(
        [
            (max(low, high + missing), min(high, low + spare))
            for low, high in zip(cells.lows, cells.highs, strict=True)
        ],
        shift=_shift(cells),
    )


def project_at_most(answers: Iterable[Source], *, total: float | Fraction = 1) -> list[Derived]:
    """The answers for population values t ≥ 0 that are known to add up to at most `total`.

        low_i ← max(low_i, 0),    high_i ← min(high_i, total − Σ_{j≠i} low_j)

    For cells that exclude each other but need not cover everything; otherwise as `project`, with
    the same proofs: the x that are allowed form a convex set here too.
    """
    cells = _Cells(answers, total)
    if cells.least > cells.total:
        raise cells.misfit("add up to at most")
    spare = cells.total - cells.least
    fits = sum(cells.moved(Fraction(0)), Fraction(0)) <= cells.total
    return cells.derived(
        [(low, min(high, low + spare)) for low, high in zip(cells.lows, cells.highs, strict=True)],
        shift=Fraction(0) if fits else _shift(cells),
    )


@final
class _Cells:
    """The answers with all ends exact, and none below 0."""

    def __init__(self, answers: Iterable[Source], total: float | Fraction) -> None:
        self.total = check.positive_fraction(total=number(total=total))
        self.facts: Sequence[Fact] = bounded_facts(answers)
        self.joint = Joint.of(each.joint for each in self.facts)
        self.lows = [max(each.low, Fraction(0)) for each in self.facts]
        self.highs = [each.high for each in self.facts]
        if min(self.highs) < 0:
            raise self.misfit("may add up to")
        self.least, self.most = sum(self.lows, Fraction(0)), sum(self.highs, Fraction(0))

    def moved(self, shift: Fraction) -> list[Fraction]:
        """Every value lowered by `shift`, but kept in its interval."""
        return [
            min(max(each.value - shift, low), high)
            for each, low, high in zip(self.facts, self.lows, self.highs, strict=True)
        ]

    def derived(
        self, ends: Sequence[tuple[Fraction, Fraction]], *, shift: Fraction
    ) -> list[Derived]:
        return [
            each.derived(Range.outward(*pair), value=value, joint=self.joint)
            for each, pair, value in zip(self.facts, ends, self.moved(shift), strict=True)
        ]

    def misfit(self, what: str) -> InvalidInput:
        low = nearest_float(sum((each.low for each in self.facts), Fraction(0)))
        high = nearest_float(sum(self.highs, Fraction(0)))
        return contradiction(
            "answers",
            accepted=f"shares of at least 0 that {what} {self.total}",
            given=f"intervals whose lows add up to {low:.6g} and highs to {high:.6g}",
            joint=self.joint,
        )


def _shift(cells: _Cells) -> Fraction:
    """The λ for which the values lowered by λ, but kept in their intervals, add up to the total.

    The nearest x to v under Σ x = total and low ≤ x ≤ high is v − λ, kept in its interval, by the
    conditions of Karush, Kuhn and Tucker, which suffice for a convex problem. The sum falls in λ,
    linearly between the points at which a cell leaves its high or reaches its low; they are
    visited in order.
    """
    points = sorted(
        [(each.value - high, 1) for each, high in zip(cells.facts, cells.highs, strict=True)]
        + [(each.value - low, -1) for each, low in zip(cells.facts, cells.lows, strict=True)]
    )
    at, amount, moving = points[0][0], cells.most, 0
    for point, change in points:
        after = amount - moving * (point - at)
        if after <= cells.total:
            break
        at, amount, moving = point, after, moving + change
    return at + (amount - cells.total) / moving if moving else at


def isotonic(answers: Iterable[Source]) -> list[Derived]:
    """The answers for population values t that are known not to decrease along the list.

        low_i ← max_{j ≤ i} low_j,    high_i ← min_{k ≥ i} high_k
        value_i = max_{j ≤ i} min_{k ≥ i} (v_j + … + v_k)/(k − j + 1), moved into [low_i, high_i]

    Sound by T-joint-function: low_j ≤ t_j ≤ t_i ≤ t_k ≤ high_k. Both ends are attained (by the
    running maximum of the lows and the running minimum of the highs), so nothing narrower
    follows. The values do not decrease: neither do the two ends they are moved between.

    No error grows. The values before the move are the Euclidean projection of v on the cone of
    sequences that do not decrease. L2: the cone is convex and t is in it, so the projection P
    has ⟨v − Pv, t − Pv⟩ ≤ 0, hence |Pv − t|² ≤ |v − t|² − |v − Pv|². L∞: let |v_i − t_i| ≤ r for
    all i. Taking j = i, value_i ≥ min_{k ≥ i} mean(v_i … v_k) ≥ min_k mean(t_i … t_k) − r
    ≥ t_i − r, since means of later t are at least t_i; and value_i ≤ t_i + r alike, because the
    formula is the same with min_{k ≥ i} max_{j ≤ i}. The move brings each value to the nearest
    point of an interval that holds t_i, so no further from it, when the intervals hold.

    Intervals that no such values fit are an InvalidInput. Rounds: not at all.
    """
    found = bounded_facts(answers)
    joint = Joint.of(each.joint for each in found)
    lows = list(accumulate((each.span.low for each in found), max))
    highs = list(accumulate((each.span.high for each in reversed(found)), min))[::-1]
    for each, low, high in zip(found, lows, highs, strict=True):
        if low > high:
            raise contradiction(
                "answers",
                accepted="in an order in which shares do not decrease",
                given=f"a share of at least {low:.6g} before one of at most {high:.6g} "
                f"around {each.label}",
                joint=joint,
            )
    values = _pooled([each.value for each in found])
    return [
        each.derived(Range(low=low, high=high), value=value, joint=joint)
        for each, low, high, value in zip(found, lows, highs, values, strict=True)
    ]


def _pooled(values: Sequence[Fraction]) -> list[Fraction]:
    """The nearest sequence that does not decrease: neighbours that fall are pooled, linear time."""
    blocks: list[tuple[Fraction, int]] = []  # the sum and the size of each run of equal values
    for value in values:
        amount, size = value, 1
        while blocks and blocks[-1][0] * size >= amount * blocks[-1][1]:
            before, width = blocks.pop()
            amount, size = before + amount, width + size
        blocks.append((amount, size))
    return [amount / size for amount, size in blocks for _ in range(size)]

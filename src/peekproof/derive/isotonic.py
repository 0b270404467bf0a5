"""Answers to nested questions, whose shares cannot fall from one to the next."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate

from peekproof.derive.derived import Derived, Source, bounded_facts
from peekproof.derive.joint import Joint
from peekproof.derive.knowledge import contradiction
from peekproof.derive.range import Range


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

"""Discrete Laplace laws and the transcripts of sparse vector runs, summed without sampling.

Nothing here calls the package: probabilities are written out from the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp, floor, fsum, inf, log

import numpy as np
import pytest
from numpy.typing import NDArray


def at_least(m: int, scale: float) -> float:
    """Pr[N ≥ m] for the discrete Laplace law; scale 0 is no noise at all."""
    if scale == 0:
        return float(m <= 0)
    p = exp(-1 / scale)
    return p**m / (1 + p) if m > 0 else 1 - p ** (1 - m) / (1 + p)


def mass(z: int, scale: float) -> float:
    p = exp(-1 / scale)
    return (1 - p) / (1 + p) * p ** abs(z)


def folded_cdf(scale: float) -> Callable[[int], float]:
    """Pr[|N| ≤ i], where a tenth more or less noise shows best."""
    return lambda i: 1 - 2 * at_least(i + 1, scale) if i >= 0 else 0.0


def signed_cdf(scale: float) -> Callable[[int], float]:
    return lambda i: 1 - at_least(i + 1, scale)


def pattern_chance(
    counts: Sequence[int],
    pattern: Sequence[bool],
    *,
    threshold: int,
    threshold_scale: float,
    query_scale: float,
) -> float:
    """Pr[these verdicts] if a run went on after an above, with one noisy threshold."""
    reach = floor(45 * threshold_scale) + 20
    terms = []
    for v in range(-reach, reach + 1):
        term = mass(v, threshold_scale)
        for count, hit in zip(counts, pattern, strict=True):
            needed = threshold + v - count
            term *= at_least(needed, query_scale) if hit else at_least(1 - needed, query_scale)
        terms.append(term)
    return fsum(terms)


def first_above_law(
    counts: Sequence[int], *, threshold: int, threshold_scale: float, query_scale: float
) -> list[float]:
    """Pr[the first above is question i], i = 0, …, k − 1, and at the end Pr[none is above]."""
    reach = floor(45 * threshold_scale) + 20
    v = np.arange(-reach, reach + 1)
    p = exp(-1 / threshold_scale)
    still = (1 - p) / (1 + p) * p ** np.abs(v)
    law = []
    for count in counts:
        law.append(float(np.sum(still * _tails(threshold + v - count, query_scale))))
        still = still * _tails(count + 1 - threshold - v, query_scale)
    return [*law, float(np.sum(still))]


def _tails(m: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """`at_least` for many m."""
    if scale == 0:
        return (m <= 0).astype(float)
    p = exp(-1 / scale)
    tail = p ** np.where(m > 0, m, 1 - m) / (1 + p)
    return np.where(m > 0, tail, 1 - tail)


def largest_loss(one: Sequence[float], other: Sequence[float]) -> float:
    """max |ln(p/q)| over outcomes: the ε that two laws need. Infinite if one can and one cannot."""
    worst = 0.0
    for p, q in zip(one, other, strict=True):
        if p == q == 0:
            continue
        worst = max(worst, inf if min(p, q) == 0 else abs(log(p / q)))
    return worst


def neighbours(k: int, *, reach: int, moved: int = 1) -> Iterator[tuple[list[int], list[int]]]:
    """All count sequences within `reach` of 0, with all that one record can make of them."""
    for counts in product(range(-reach, reach + 1), repeat=k):
        for moves in product((-moved, 0, moved), repeat=k):
            yield list(counts), [count + move for count, move in zip(counts, moves, strict=True)]


class Script:
    """Takes the place of the sampler: hands out given noise by scale, and remembers what for."""

    def __init__(self, **by_name: tuple[Fraction, Sequence[int]]) -> None:
        self.queues = {scale: list(noises) for scale, noises in by_name.values()}
        self.asked: list[Fraction] = []

    def __call__(self, *, scale: Fraction, rng: object) -> int:
        self.asked.append(scale)
        return self.queues[scale].pop(0)

    def install(self, monkeypatch: pytest.MonkeyPatch, *modules: object) -> Script:
        for module in modules:
            monkeypatch.setattr(module, "discrete_laplace", self)
        return self

"""T-pairs, by all samples of few rows and by the exact law of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import comb

import pytest

from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.pairs import pairs_interval, rows_apart_interval

Kernel = Callable[[int, int], int]


def both(first: int, second: int) -> int:
    return first * second


def above(first: int, second: int) -> int:
    """Not symmetric: a half of the pairs say what the other half does not."""
    return int(first > second)


def differ(first: int, second: int) -> int:
    return int(first != second)


COINS: list[Sequence[Fraction]] = [
    [Fraction(1, 2)] * 7,
    [Fraction(9, 10)] * 6,
    [Fraction(i, 8) for i in range(1, 8)],
    [Fraction(0), Fraction(1), Fraction(1, 5), Fraction(4, 5), Fraction(1, 2), Fraction(1)],
]


def over_pairs(sample: Sequence[int], kernel: Kernel) -> Fraction:
    pairs = list(permutations(sample, 2))
    return Fraction(sum(kernel(*pair) for pair in pairs), len(pairs))


@pytest.mark.parametrize("kernel", [both, above, differ])
@pytest.mark.parametrize("coins", COINS)
def test_a_mean_over_pairs_of_different_rows_is_in_the_interval(
    coins: Sequence[Fraction], kernel: Kernel
) -> None:
    law: dict[Fraction, Fraction] = {}
    for sample in product((0, 1), repeat=len(coins)):
        chance = Fraction(1)
        for head, bias in zip(sample, coins, strict=True):
            chance *= bias if head else 1 - bias
        found = over_pairs(sample, kernel)
        law[found] = law.get(found, Fraction(0)) + chance
    truth = sum((mean * chance for mean, chance in law.items()), Fraction(0))
    for beta in (Fraction(1, 20), Fraction(1, 4), Fraction(9, 10)):
        missed = Fraction(0)
        for mean, chance in law.items():
            interval = pairs_interval(mean, rows=len(coins), beta=beta)
            missed += 0 if interval.low <= truth <= interval.high else chance
        assert missed <= beta


def missing(rows: int, bias: Fraction, *, counted: int, beta: Fraction) -> Fraction:
    """The probability that `both` of many coins is missed, if as many terms are counted."""
    chance = Fraction(0)
    for total in range(rows + 1):
        mean = Fraction(total * (total - 1), rows * (rows - 1))
        interval = rows_apart_interval(mean, rows=counted, beta=beta)
        if not interval.low <= bias**2 <= interval.high:
            chance += comb(rows, total) * bias**total * (1 - bias) ** (rows - total)
    return chance


def test_pairs_are_not_worth_as_many_terms_as_there_are_rows() -> None:
    """The mutant: n in place of ⌊n/2⌋; n(n−1), as if all pairs were independent, is worse."""
    rows, bias, beta = 120, Fraction(9, 10), Fraction(1, 10**6)

    assert missing(rows, bias, counted=rows // 2, beta=beta) <= beta
    assert missing(rows, bias, counted=rows, beta=beta) > beta
    assert missing(rows, bias, counted=rows * (rows - 1), beta=beta) > Fraction(1, 2)


@pytest.mark.parametrize("rows", [2, 3, 10, 11])
def test_half_of_the_rows_count_rounded_down(rows: int) -> None:
    mean, beta = Fraction(1, 3), Fraction(1, 20)

    assert pairs_interval(
        mean, rows=rows, beta=beta, log_count=2.0, within=Fraction(1, 50)
    ) == rows_apart_interval(mean, rows=rows // 2, beta=beta, log_count=2.0, within=Fraction(1, 50))


@pytest.mark.parametrize("rows", [1, 0, -4, True])
def test_one_row_has_no_pairs(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be"):
        pairs_interval(Fraction(1, 2), rows=rows, beta=Fraction(1, 20))

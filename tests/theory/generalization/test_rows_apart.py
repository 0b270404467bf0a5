"""T-rows-apart, by all samples of coins that differ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from peekproof.core.certificate import Interval
from peekproof.theory.generalization.description_length import chernoff_interval
from peekproof.theory.generalization.pairs import rows_apart_interval

LEVELS = [Fraction(1, 100), Fraction(1, 20), Fraction(1, 4), Fraction(3, 5)]
COINS: list[Sequence[Fraction]] = [
    [Fraction(1, 2)] * 12,
    [Fraction(1, 10)] * 6 + [Fraction(9, 10)] * 6,
    [Fraction(i, 13) for i in range(1, 13)],
    [Fraction(1, 50)] * 11 + [Fraction(49, 50)],
    [Fraction(0)] * 4 + [Fraction(1)] * 4 + [Fraction(1, 3)] * 4,
]


def heads(coins: Sequence[Fraction]) -> list[Fraction]:
    """The law of the number of heads, exactly."""
    law = [Fraction(1)]
    for bias in coins:
        law = [
            (law[k] if k < len(law) else 0) * (1 - bias) + (law[k - 1] if k else 0) * bias
            for k in range(len(law) + 1)
        ]
    return law


def missed(intervals: Sequence[Interval], law: Sequence[Fraction], truth: Fraction) -> Fraction:
    return sum(
        (
            chance
            for interval, chance in zip(intervals, law, strict=True)
            if not interval.low <= truth <= interval.high
        ),
        Fraction(0),
    )


def intervals(rows: int, beta: Fraction) -> list[Interval]:
    return [
        rows_apart_interval(Fraction(total, rows), rows=rows, beta=beta)
        for total in range(rows + 1)
    ]


def test_the_law_of_heads_is_that_of_all_samples() -> None:
    coins = COINS[2][:7]
    law = [Fraction(0)] * 8
    for sample in product((0, 1), repeat=7):
        chance = Fraction(1)
        for head, bias in zip(sample, coins, strict=True):
            chance *= bias if head else 1 - bias
        law[sum(sample)] += chance

    assert law == heads(coins)


@pytest.mark.parametrize("beta", LEVELS)
@pytest.mark.parametrize("coins", COINS)
def test_the_mean_of_different_coins_is_in_the_interval(
    coins: Sequence[Fraction], beta: Fraction
) -> None:
    truth = sum(coins, Fraction(0)) / len(coins)

    assert missed(intervals(len(coins), beta), heads(coins), truth) <= beta


def test_another_mixture_of_the_same_kinds_of_rows_is_not_meant() -> None:
    """The mutant: q(P) read as the mean where both kinds of coins are as frequent."""
    coins = [Fraction(1, 10)] * 60 + [Fraction(9, 10)] * 20
    found = intervals(80, Fraction(1, 20))
    law = heads(coins)

    assert (
        missed(found, law, Fraction(3, 10)) <= Fraction(1, 20) < missed(found, law, Fraction(1, 2))
    )


def test_rows_that_repeat_others_are_not_independent() -> None:
    """The mutant: each coin was thrown once and written down eight times."""
    law = heads([Fraction(1, 2)] * 10)
    found = intervals(80, Fraction(1, 20))[::8]

    assert missed(found, law, Fraction(1, 2)) > Fraction(1, 20)


def test_it_is_the_interval_of_one_population() -> None:
    for said in ({}, {"log_count": 3.0}, {"within": Fraction(1, 30)}):
        mean, beta = Fraction(2, 7), Fraction(1, 20)
        assert rows_apart_interval(mean, rows=70, beta=beta, **said) == chernoff_interval(
            mean, rows=70, beta=beta, **said
        )

"""Words cut from one purchase: every bit in its place, uniform below any bound."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noise.exhaustion import choose_words, masses
from peekproof.noise import entropy as wordy
from peekproof.noise.entropy import (
    FEW,
    MANY,
    WIDEST,
    Entropy,
    Pool,
    Seeded,
    belows,
    gather,
    unbounded_belows,
    words,
)


class Purchase:
    """One purchase of known bits."""

    description = "purchase"

    def __init__(self, value: int) -> None:
        self.value, self.bought = value, 0

    def bits(self, count: int) -> int:
        assert self.bought == 0
        self.bought = count
        return self.value & ((1 << count) - 1)


@given(width=st.integers(1, WIDEST), count=st.integers(1, 5), value=st.integers(0, 2**320 - 1))
def test_words_are_disjoint_pieces_of_the_purchase(width: int, count: int, value: int) -> None:
    rng = Purchase(value)
    drawn = words(width, count, rng=rng)
    size = rng.bought // count

    assert size in (8, 16, 32, 64)
    assert size >= width
    for i, word in enumerate(drawn.tolist()):
        piece = rng.value >> (i * size) & (2**size - 1)
        assert word == piece >> (size - width)


def test_no_bits_are_bought_for_nothing() -> None:
    rng = Purchase(0)

    assert words(0, 3, rng=rng).tolist() == [0, 0, 0]
    assert words(5, 0, rng=rng).tolist() == []
    assert belows(1, 2, rng=rng).tolist() == [0, 0]
    assert rng.bought == 0


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 8])
def test_pairs_below_a_bound_are_uniform(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Word by word, because whole bytes have too many values to run through.
    monkeypatch.setattr(wordy, "words", choose_words)

    def draw(rng: Entropy) -> tuple[int, ...]:
        return tuple(belows(bound, 2, rng=rng).tolist())

    decided, left = masses(draw, runs=1000)
    share = Fraction(1, bound**2)

    assert len(decided) == bound**2
    assert all(mass <= share <= mass + left for mass in decided.values())
    assert left < Fraction(1, 4)


@given(bound=st.integers(1, 2**WIDEST), seed=st.integers(0, 50))
def test_draws_stay_below_the_bound(bound: int, seed: int) -> None:
    drawn = belows(bound, 20, rng=Seeded(seed)).tolist()

    assert all(0 <= value < bound for value in drawn)
    wide = unbounded_belows(bound**2 + 2**WIDEST, 20, rng=Seeded(seed)).tolist()
    assert all(0 <= value < bound**2 + 2**WIDEST for value in wide)


@pytest.mark.parametrize("count", [1, FEW - 1, FEW, FEW + 1, 1000, 2 * MANY + 3])
def test_gathering_gives_as_many_as_asked_for_in_order(count: int) -> None:
    turns = Counter[str]()
    numbers = iter(range(10**7))

    def many(proposals: int) -> list[int]:
        turns["many"] += 1
        assert FEW <= proposals <= MANY
        return [next(numbers) for _ in range(proposals * 2 // 3)]

    def one(pool: Pool) -> int:
        turns["one"] += 1
        return next(numbers)

    assert gather(count, many=many, one=one, rng=Seeded(1)) == list(range(count))
    assert turns["one"] < FEW
    assert (turns["many"] > 0) == (count >= FEW)

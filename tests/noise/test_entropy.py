"""Bits: fresh from the system, repeatable from a seed, uniform below any bound."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.noise.entropy import Entropy, Pool, Seeded, SystemEntropy, below
from peekproof.testing.statistics import statistical


class Scripted:
    """Serves the given draws in order and insists on their widths."""

    description = "scripted"

    def __init__(self, *draws: tuple[int, int]) -> None:
        self.draws = list(draws)

    def bits(self, count: int) -> int:
        width, value = self.draws.pop(0)
        assert width == count
        return value


def test_a_seed_repeats_itself_and_says_that_it_promises_nothing() -> None:
    first, again, other = Seeded(7), Seeded(7), Seeded(8)
    stream = [first.bits(64) for _ in range(20)]

    assert stream == [again.bits(64) for _ in range(20)]
    assert stream != [other.bits(64) for _ in range(20)]
    assert first.description == "seed 7: for tests only, promises nothing"


@statistical(false_alarm=3 * 2.0**-256)
def test_the_system_never_repeats_itself() -> None:
    draws = [SystemEntropy().bits(256) for _ in range(3)]

    assert len(set(draws)) == 3
    assert SystemEntropy().description == "system"


WIDTHS = (1, 2, 63, 64, 65, 1000)


@statistical(false_alarm=len(WIDTHS) * 2 * 2.0**-63)
def test_bits_fill_their_width() -> None:
    sources: tuple[Entropy, ...] = (SystemEntropy(), Seeded(1))
    for rng in sources:
        assert rng.bits(0) == 0
        for width in WIDTHS:
            draws = [rng.bits(width) for _ in range(64)]

            assert all(0 <= draw < 2**width for draw in draws)
            # 64 leading bits are all alike with probability 2⁻⁶³.
            assert {draw >> (width - 1) for draw in draws} == {0, 1}


@given(bound=st.integers(1, 10**30), seed=st.integers(0, 100))
def test_draws_stay_below_the_bound(bound: int, seed: int) -> None:
    assert 0 <= below(bound, rng=Seeded(seed)) < bound


@pytest.mark.parametrize("bound", range(1, 70))
def test_every_value_comes_from_exactly_one_word(bound: int) -> None:
    """Uniform by exhaustion: each value has one word, every other word is drawn anew."""
    width = (bound - 1).bit_length()
    answers = Counter[int]()
    rejected = 0
    for word in range(2**width):
        rng = Scripted((width, word), (width, 0))
        answers[below(bound, rng=rng)] += 1
        rejected += not rng.draws

    answers[0] -= rejected  # the second draw was 0
    assert answers == Counter(range(bound))
    assert rejected == 2**width - bound
    assert rejected < bound  # so a draw is accepted more often than not


class Beacon:
    """Zeros everywhere but one bit, counted over all the bits that were ever asked for."""

    description = "beacon"

    def __init__(self, position: int) -> None:
        self.position, self.served = position, 0

    def bits(self, count: int) -> int:
        offset = self.position - self.served
        self.served += count
        return 1 << offset if 0 <= offset < count else 0


@pytest.mark.parametrize(
    "counts",
    [
        [1],
        [64] * 40,
        [1, 2, 64, 64, 1, 3, 0, 700, 300, 64, 5],
        [Pool.WHOLESALE, 1, Pool.WHOLESALE + 1, 7],
    ],
    ids=["one bit", "words", "mixed", "more than the pool"],
)
def test_a_pool_hands_out_every_bit_once(counts: list[int]) -> None:
    """Each bit handed out is one bit bought, and no bit is handed out twice.

    The pool only shifts and masks, so following single bits through it says it all.
    """
    plain = Beacon(-1)
    pool = Pool(plain)
    for count in counts:
        assert pool.bits(count) == 0  # nothing is made up
    origins: dict[tuple[int, int], int] = {}
    for position in range(plain.served):
        pool = Pool(Beacon(position))
        words = list(enumerate(pool.bits(count) for count in counts))
        lit = [
            (draw, bit) for draw, word in words for bit in range(counts[draw]) if word >> bit & 1
        ]

        assert sum(word.bit_count() for _, word in words) == len(lit) <= 1
        for place in lit:
            assert origins.setdefault(place, position) == position
    assert len(origins) == sum(counts)


def test_a_pool_buys_wholesale_and_says_where() -> None:
    source = Beacon(-1)
    pool = Pool(source)
    assert source.served == 0
    for _ in range(Pool.WHOLESALE):
        pool.bits(1)

    assert source.served == Pool.WHOLESALE
    assert pool.description == "beacon"
    assert Pool(Seeded(7)).description == Seeded(7).description

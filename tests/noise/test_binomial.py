"""Binomial draws: every word as by hand, bits that say nothing of the chance, and the law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.noise import binomial as module
from peekproof.noise.binomial import LARGEST_IN_WORDS, binomial
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9


class Words:
    """The given 64-bit words in order, and how many were asked for at a time."""

    description = "words"

    def __init__(self, *words: int) -> None:
        self.left = list(words)
        self.asked: list[int] = []

    def bits(self, count: int) -> int:
        self.asked.append(count)
        taken, self.left = self.left[: count // 64], self.left[count // 64 :]
        assert len(taken) * 64 == count
        return sum(word << 64 * place for place, word in enumerate(taken))


class Recorded:
    """Bits of another source, with the sizes and values of all that was drawn."""

    description = "recorded"

    def __init__(self, seed: int) -> None:
        self.rng, self.drawn = Seeded(seed), list[tuple[int, int]]()

    def bits(self, count: int) -> int:
        self.drawn.append((count, self.rng.bits(count)))
        return self.drawn[-1][1]

    @property
    def words(self) -> list[int]:
        return [
            value >> 64 * place & (2**64 - 1)
            for count, value in self.drawn
            for place in range(count // 64)
        ]


@given(denominator=st.integers(1, LARGEST_IN_WORDS), data=st.data())
def test_words_at_the_edges_are_heads_tails_or_drawn_again(
    denominator: int, data: st.DataObject
) -> None:
    heads = data.draw(st.integers(0, denominator))
    scale = (2**64 - 1) // denominator
    kept, hit = scale * denominator, scale * heads  # hit of kept words: exactly heads/denominator

    def one(word: int) -> int:
        spare = (2**64 - 1, kept)  # never kept
        rng = Words(word, *spare, kept - 1)
        found = binomial(trials=1, numerator=heads, denominator=denominator, rng=rng)
        assert len(rng.asked) == (1 if word < kept else 4)
        return found

    last = int(heads == denominator)  # what kept − 1 is
    if heads > 0:
        assert one(0) == one(hit - 1) == 1
    if heads < denominator:
        assert one(hit) == one(kept - 1) == 0
    assert one(kept) == one(2**64 - 1) == last


@given(
    trials=st.integers(1, 300),
    denominator=st.integers(1, 100) | st.integers(1, LARGEST_IN_WORDS),
    share=st.fractions(0, 1),
    seed=st.integers(0, 10**6),
)
def test_many_at_once_are_what_one_word_after_another_gives(
    trials: int, denominator: int, share: Fraction, seed: int
) -> None:
    heads, rng = int(share * denominator), Recorded(seed)
    found = binomial(trials=trials, numerator=heads, denominator=denominator, rng=rng)

    scale = (2**64 - 1) // denominator
    places = [word // scale for word in rng.words]  # uniform among 0, 1, … once kept
    kept = [place for place in places if place < denominator]
    assert len(kept) == trials  # not a word too many is drawn
    assert found == sum(place < heads for place in kept)


@pytest.mark.parametrize("denominator", [7, 10**6, LARGEST_IN_WORDS, 2**70 + 1])
def test_what_is_drawn_does_not_depend_on_the_chance(denominator: int) -> None:
    drawn = []
    for heads in (0, 1, denominator // 2, denominator):
        rng = Recorded(3)
        binomial(trials=200, numerator=heads, denominator=denominator, rng=rng)
        drawn.append(rng.drawn)

    assert all(each == drawn[0] for each in drawn)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # With a chunk of two every word is kept, so the order of words is the same.
    def draw() -> int:
        return binomial(trials=101, numerator=40, denominator=100, rng=Words(*words))

    rng = Seeded(5)
    words = [rng.bits(64) for _ in range(101)]
    at_once = draw()
    monkeypatch.setattr(module, "CHUNK", 2)

    assert draw() == at_once == sum(word // ((2**64 - 1) // 100) < 40 for word in words)


@pytest.mark.parametrize("denominator", [1, 5, 2**62, 2**62 + 1, 2**80])
def test_certain_chances_are_certain_and_others_are_cut_to_them(denominator: int) -> None:
    rng = Seeded(1)
    for beyond in (0, 1, 2**70):
        none = binomial(trials=50, numerator=-beyond, denominator=denominator, rng=rng)
        every = binomial(
            trials=50, numerator=denominator + beyond, denominator=denominator, rng=rng
        )
        assert (none, every) == (0, 50)


@pytest.mark.parametrize(("trials", "denominator"), [(0, 5), (5, 0), (-1, 5), (True, 5), (5, 2.0)])
def test_absurd_sizes_are_refused(trials: int, denominator: int) -> None:
    with pytest.raises(InvalidInput):
        binomial(trials=trials, numerator=1, denominator=denominator, rng=Seeded(1))


def binomial_cdf(trials: int, chance: Fraction) -> Callable[[int], float]:
    """Pr[heads ≤ i], summed exactly."""
    total, table = Fraction(0), []
    for i in range(trials + 1):
        total += comb(trials, i) * chance**i * (1 - chance) ** (trials - i)
        table.append(float(total))
    return lambda i: 0.0 if i < 0 else table[min(i, trials)]


LAWS = [(40, 3, 10, 8000), (7, 1, 2, 8000), (40, 3 * 2**80, 10 * 2**80, 3000)]


@statistical(false_alarm=len(LAWS) * FALSE_ALARM)
def test_draws_follow_the_binomial_law() -> None:
    for seed, (trials, heads, denominator, draws) in enumerate(LAWS):
        rng, chance = Seeded(seed), Fraction(heads, denominator)
        sample = [
            binomial(trials=trials, numerator=heads, denominator=denominator, rng=rng)
            for _ in range(draws)
        ]

        assert fit_p_value(sample, binomial_cdf(trials, chance)) > FALSE_ALARM
        mutants = {
            "a tenth less": (trials, chance * Fraction(9, 10)),
            "a tenth more": (trials, chance * Fraction(11, 10)),
            "fewer votes": (trials * 9 // 10, chance),
        }
        for name, mutant in mutants.items():
            assert fit_p_value(sample, binomial_cdf(*mutant)) < FALSE_ALARM, name

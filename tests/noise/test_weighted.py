"""The weighted choice: weights against mpmath, and the exact law by exhaustion of bits."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, floor, ldexp, mpmathify, workprec

from noise.bits import Brackets, Counted, Digits
from peekproof.noise import gaussian, weighted
from peekproof.noise.entropy import Seeded
from peekproof.noise.weighted import weighted_choice, weights


@given(
    exponent=st.fractions(0, 300) | st.fractions(0, Fraction(1, 10**6)) | st.integers(0, 10**6),
    precision=st.integers(1, 400),
)
def test_an_exponential_lacks_less_than_two_units(exponent: Fraction, precision: int) -> None:
    found = weighted._exponential(Fraction(exponent), precision=precision)
    with workprec(1000):
        exact = ldexp(exp(-mpmathify(Fraction(exponent))), precision)
        assert found <= exact < found + 2


@pytest.mark.parametrize("precision", [1, 2, 7, 64, 128, 192, 5000])
def test_ends_of_the_range_are_safe(precision: int) -> None:
    assert weighted._exponential(Fraction(0), precision=precision) == 2**precision
    assert weighted._exponential(Fraction(precision), precision=precision) == 0
    below = Fraction(precision) - Fraction(1, 10**9)
    assert weighted._exponential(below, precision=precision) <= 1


@given(
    gaps=st.lists(st.integers(0, 10**4) | st.integers(0, 10**30), min_size=1, max_size=6),
    unit=st.fractions(Fraction(1, 10**5), 10) | st.fractions(10, 10**6),
    precision=st.sampled_from((3, 64, 128, 200)),
)
def test_weights_bracket_the_exponentials(gaps: list[int], unit: Fraction, precision: int) -> None:
    found, slack = weights(gaps, unit=unit, precision=precision)
    with workprec(600):
        for weight, gap in zip(found, gaps, strict=True):
            exact = ldexp(exp(-mpmathify(unit) * gap), precision)
            assert weight <= exact <= weight + slack
    assert slack <= 3 * 64


def test_the_best_weighs_exactly_one() -> None:
    assert weights([0, 10**9], unit=Fraction(1, 7), precision=128)[0] == [2**128, 0]


LAWS = [
    ((0,), Fraction(1)),
    ((0, 0, 0), Fraction(1, 3)),
    ((5, 4, 6), Fraction(1, 2)),
    ((0, 40, 39, 40), Fraction(3, 10)),
    ((-7, 3), Fraction(5)),
]


@pytest.mark.parametrize("start", [4])
@pytest.mark.parametrize(("scores", "unit"), LAWS)
def test_the_law_is_exact(
    scores: tuple[int, ...], unit: Fraction, start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With one bit at a time and weights of a few bits, every choice runs into its slack.
    monkeypatch.setattr(gaussian, "CHUNK", 1)
    monkeypatch.setattr(weighted, "PRECISION", start)
    law = Brackets(lambda rng: weighted_choice(scores, unit=unit, rng=rng), depth=26)

    assert law.open < Fraction(1, 2**13)
    with workprec(200):
        sizes = [exp(mpmathify(unit) * score) for score in scores]
        for index, size in enumerate(sizes):
            share = size / sum(sizes)
            assert law.hold(index, share)
            assert law.open < share / 2 or share < 1e-3


@pytest.mark.parametrize("gap", [50, 200, 1000])
@pytest.mark.parametrize("first", [True, False])
def test_candidates_far_behind_keep_their_exact_share(gap: int, first: bool) -> None:
    # The boundary between the two is at e^{−gap}, far below the first 128 bits.
    with workprec(20_000):
        share = exp(-mpmathify(gap)) / (1 + exp(-mpmathify(gap)))
        edge = Fraction(int(floor(ldexp(share, 15_000))), 2**15_000)
    nudge = edge / 2**30
    scores = (0, gap) if first else (gap, 0)
    for offset in (-nudge, nudge):
        digits = Digits(edge + offset if first else 1 - edge - offset)
        chosen = weighted_choice(scores, unit=Fraction(1), rng=digits)
        assert scores[chosen] == (0 if offset < 0 else gap)
        assert digits.served * 0.69 > gap  # it took as many bits as the share has zeros


def test_an_ordinary_choice_needs_no_second_look() -> None:
    rng = Counted(Seeded(3))
    for _ in range(200):
        weighted_choice((3, 10**9, 10**9 - 2, 0), unit=Fraction(1, 100), rng=rng)

    assert rng.served == 200 * weighted.PRECISION


def test_the_same_bits_give_the_same_choice_wherever_the_scores_lie() -> None:
    def choices(offset: int) -> list[int]:
        rng = Seeded(4)
        scores = [offset + score for score in (1, 5, 3)]
        return [weighted_choice(scores, unit=Fraction(1, 2), rng=rng) for _ in range(50)]

    assert choices(0) == choices(10**12) == choices(-(10**12))
    assert len(set(choices(0))) > 1

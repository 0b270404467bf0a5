"""Random maps, second answers and the nearest pure pair, against sums over all that can happen."""

from fractions import Fraction
from itertools import product
from math import nan

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import Pair, chained, nearest_pure, post_processed
from theory.divergence.pairs import DIVERGENCES, any_pairs, few, laws, pairs_of, through

ROUNDING = 1e-13
ratios = st.fractions(1, 20)


def distance(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Fraction:
    return sum((abs(a - b) for a, b in zip(one, other, strict=True)), Fraction(0)) / 2


def delta(pair: Pair, ratio: Fraction) -> Fraction:
    """The larger hockey stick of the two directions, exactly."""
    pq = sum((max(Fraction(0), p - ratio * q) for p, q in zip(pair.p, pair.q, strict=True)), 0)
    qp = sum((max(Fraction(0), q - ratio * p) for p, q in zip(pair.p, pair.q, strict=True)), 0)
    return Fraction(max(pq, qp))


@few
@given(st.data())
def test_a_random_map_raises_no_divergence_and_sums_over_all_ways(data: st.DataObject) -> None:
    pair, width = data.draw(any_pairs), data.draw(st.integers(1, 4))
    channel = data.draw(st.lists(laws(width), min_size=len(pair.p), max_size=len(pair.p)))
    after = post_processed(pair, channel=channel)

    assert after == Pair(p=through(channel, pair.p), q=through(channel, pair.q))
    for divergence in DIVERGENCES.values():
        assert divergence(after) <= divergence(pair) + ROUNDING * abs(divergence(pair))


@few
@given(st.data())
def test_divergences_of_two_answers_add(data: st.DataObject) -> None:
    first, width = data.draw(any_pairs), data.draw(st.integers(1, 4))
    size = len(first.p)
    then = data.draw(st.lists(pairs_of(width), min_size=size, max_size=size))
    both = chained(first, then=then)

    outcomes = list(product(range(size), range(width)))
    assert both.p == tuple(first.p[y] * then[y].p[z] for y, z in outcomes)
    assert both.q == tuple(first.q[y] * then[y].q[z] for y, z in outcomes)
    for name in ("kl", "max", "total variation", "Rényi 1.5", "Rényi 7"):
        divergence = DIVERGENCES[name]
        most = divergence(first) + max(map(divergence, then))
        assert divergence(both) <= most + ROUNDING * abs(most), name


@few
@given(pairs_of(3, least=1), pairs_of(2, least=1))
def test_independent_answers_add_exactly_and_total_variation_adds_less(
    first: Pair, second: Pair
) -> None:
    both = chained(first, then=[second] * 3)
    for name in ("kl", "max", "Rényi 1.5", "Rényi 7"):
        divergence = DIVERGENCES[name]
        assert divergence(both) == pytest.approx(divergence(first) + divergence(second), abs=1e-13)


@few
@given(any_pairs, ratios)
def test_the_nearest_pure_pair_is_pure_and_as_near_as_delta_allows(
    pair: Pair, ratio: Fraction
) -> None:
    found = nearest_pure(pair, ratio=ratio)

    assert all(p <= ratio * q and q <= ratio * p for p, q in zip(found.p, found.q, strict=True))
    allowed = delta(pair, ratio) / (1 + ratio)
    assert distance(pair.p, found.p) == distance(pair.q, found.q) == allowed


@few
@given(pairs_of(3), pairs_of(3), ratios)
def test_no_pure_pair_is_nearer(pair: Pair, other: Pair, ratio: Fraction) -> None:
    pure = nearest_pure(other, ratio=ratio)  # any pure pair is its own
    assert nearest_pure(pure, ratio=ratio) == pure
    nearer = max(distance(pair.p, pure.p), distance(pair.q, pure.q))
    assert nearer >= delta(pair, ratio) / (1 + ratio)


@few
@given(pairs_of(3), ratios)
def test_moving_all_of_delta_on_one_side_would_be_further(pair: Pair, ratio: Fraction) -> None:
    assume(delta(pair, ratio))
    found = nearest_pure(pair, ratio=ratio)
    assert distance(pair.p, found.p) < delta(pair, ratio)


def test_what_does_not_fit_is_refused() -> None:
    pair = Pair.of([0.5, 0.5], [0.25, 0.75])
    with pytest.raises(InvalidInput, match=r"^channel must be 2 laws"):
        post_processed(pair, channel=[[1]])
    with pytest.raises(InvalidInput, match=r"^channel must be 2 laws"):
        post_processed(pair, channel=[[1], [0.5, 0.5]])
    with pytest.raises(InvalidInput, match=r"^channel\[1\] must be probabilities that sum to 1"):
        post_processed(pair, channel=[[1], [0.5]])
    with pytest.raises(InvalidInput, match=r"^then must be 2 pairs"):
        chained(pair, then=[pair])
    with pytest.raises(InvalidInput, match=r"^ratio must be e\^ε, at least 1"):
        nearest_pure(pair, ratio=Fraction(1, 2))
    with pytest.raises(InvalidInput, match=r"^ratio must be a finite number"):
        nearest_pure(pair, ratio=nan)  # type: ignore[arg-type]

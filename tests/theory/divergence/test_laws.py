"""Laws that tie divergences to each other and to what can be done with an observation."""

from fractions import Fraction
from math import exp, expm1, inf, isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.theory.divergence import Pair
from theory.divergence.pairs import (
    DIVERGENCES,
    any_pairs,
    few,
    full_pairs,
    laws,
    mixed,
    pairs_of,
    through,
)

ROUNDING = 1e-14
# The f-divergences. Rényi and max divergences are not jointly convex.
JOINTLY_CONVEX = ("kl", "total variation", "hockey stick 0.3", "chi square", "Hellinger")


@few
@given(st.data())
def test_no_channel_increases_any(data: st.DataObject) -> None:
    pair = data.draw(pairs_of(3))
    width = data.draw(st.integers(1, 3))
    channel = data.draw(st.lists(laws(width), min_size=3, max_size=3))
    after = Pair(p=through(channel, pair.p), q=through(channel, pair.q))

    for name, divergence in DIVERGENCES.items():
        before = divergence(pair)
        assert divergence(after) <= before + ROUNDING * abs(before), name


@few
@given(pair=full_pairs, cut=st.fractions(Fraction(1, 9), Fraction(8, 9)))
def test_splitting_an_outcome_by_a_coin_changes_nothing(pair: Pair, cut: Fraction) -> None:
    split = Pair(
        p=(cut * pair.p[0], (1 - cut) * pair.p[0], *pair.p[1:]),
        q=(cut * pair.q[0], (1 - cut) * pair.q[0], *pair.q[1:]),
    )
    for name, divergence in DIVERGENCES.items():
        assert isclose(divergence(split), divergence(pair), rel_tol=ROUNDING), name


@few
@given(one=pairs_of(3), other=pairs_of(3), share=st.fractions(0, 1))
def test_most_are_jointly_convex(one: Pair, other: Pair, share: Fraction) -> None:
    for name in JOINTLY_CONVEX:
        far, further = DIVERGENCES[name](one), DIVERGENCES[name](other)
        if max(far, further) < inf:
            bound = float(share) * far + float(1 - share) * further
            assert DIVERGENCES[name](mixed(share, one, other)) <= bound * (1 + ROUNDING), name


@few
@given(st.integers(1, 6).flatmap(laws))
def test_equal_laws_are_at_distance_zero_or_below(law: tuple[Fraction, ...]) -> None:
    same = Pair(p=law, q=law)
    below = {"approximate max, 1/10": log(0.9), "hockey stick -0.3": -expm1(-0.3)}
    for name, divergence in DIVERGENCES.items():
        assert isclose(divergence(same), below.get(name, 0), rel_tol=ROUNDING), name


@few
@given(any_pairs)
def test_total_variation_affinity_and_hellinger_do_not_mind_the_direction(pair: Pair) -> None:
    back = pair.swapped()
    assert pair.total_variation() == back.total_variation()
    assert pair.bhattacharyya() == back.bhattacharyya()
    assert pair.hellinger_squared() == back.hellinger_squared()


def test_the_others_do() -> None:
    pair = Pair.of([0.9, 0.1], [0.5, 0.5])
    assert pair.kl() != pytest.approx(pair.swapped().kl(), rel=0.1)
    assert pair.chi_square() != pytest.approx(pair.swapped().chi_square(), rel=0.1)
    assert pair.max_divergence() != pytest.approx(pair.swapped().max_divergence(), rel=0.1)


@few
@given(full_pairs)
def test_renyi_starts_at_kl_and_ends_at_the_maximum(pair: Pair) -> None:
    assert pair.renyi(order=1) == pair.kl()
    assert isclose(pair.renyi(order=1 + Fraction(1, 10**12)), pair.kl(), rel_tol=1e-10)
    assert isclose(pair.renyi(order=10**14), pair.max_divergence(), rel_tol=1e-10)


@few
@given(
    pair=any_pairs,
    lower=st.fractions(1, 20),
    more=st.fractions(Fraction(1, 10**6), 20) | st.just(Fraction(1, 10**200)),
)
def test_renyi_rises_with_its_order(pair: Pair, lower: Fraction, more: Fraction) -> None:
    at_lower, at_higher = pair.renyi(order=lower), pair.renyi(order=lower + more)
    assert at_lower <= at_higher * (1 + ROUNDING)
    assert at_higher <= pair.max_divergence() * (1 + ROUNDING)


@few
@given(full_pairs)
def test_renyi_of_order_two_is_the_logarithm_of_one_plus_chi_square(pair: Pair) -> None:
    assert isclose(exp(pair.renyi(order=2)), 1 + pair.chi_square(), rel_tol=1e-13)


@few
@given(any_pairs)
def test_the_hockey_stick_at_zero_is_total_variation(pair: Pair) -> None:
    assert isclose(pair.hockey_stick(epsilon=0), pair.total_variation(), rel_tol=ROUNDING)


@few
@given(pair=any_pairs, epsilon=st.fractions(-4, 4))
def test_the_hockey_stick_turns_with_the_direction(pair: Pair, epsilon: Fraction) -> None:
    ratio = exp(epsilon)
    turned = 1 - ratio + ratio * pair.swapped().hockey_stick(epsilon=-epsilon)
    assert isclose(pair.hockey_stick(epsilon=epsilon), turned, abs_tol=1e-13)


@few
@given(pair=any_pairs, delta=st.fractions(0, Fraction(99, 100)))
def test_the_approximate_maximum_inverts_the_hockey_stick(pair: Pair, delta: Fraction) -> None:
    epsilon = pair.approximate_max_divergence(delta=delta)
    if epsilon == inf:
        assert pair.hockey_stick(epsilon=10**9) > delta
    else:
        assert isclose(pair.hockey_stick(epsilon=epsilon), delta, abs_tol=1e-13)
        assert pair.hockey_stick(epsilon=epsilon - 0.01) > delta


@few
@given(full_pairs)
def test_the_approximate_maximum_at_zero_is_the_maximum(pair: Pair) -> None:
    assert pair.approximate_max_divergence(delta=0) == pair.max_divergence()


@few
@given(any_pairs)
def test_hellinger_and_pinsker_bound_total_variation(pair: Pair) -> None:
    tv, squared = pair.total_variation(), pair.hellinger_squared()
    assert squared * (1 - ROUNDING) <= tv
    assert tv**2 <= squared * (2 - squared) * (1 + ROUNDING)
    assert 2 * tv**2 <= pair.kl() * (1 + ROUNDING)

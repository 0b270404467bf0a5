"""Advanced composition against mpmath."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import expm1, log, mpf, mpmathify, sqrt, tanh, workdps

from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.composition import (
    advanced,
    advanced_mixed,
    advanced_sharp,
    advanced_within,
)

epsilons = st.fractions(Fraction(1, 10**6), 50) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(0, 40)
)
losses = st.builds(ApproxDP, epsilon=epsilons, delta=st.fractions(0, Fraction(1, 10**6)))
slacks = st.fractions(Fraction(1, 10**12), Fraction(999, 1000)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)


def assert_just_above(claimed: Fraction, exact: mpf) -> None:
    assert exact * (1 + 7 * mpf(MARGIN) / 8) <= mpmathify(claimed)
    assert mpmathify(claimed) <= exact * (1 + 9 * mpf(MARGIN) / 8)


@given(losses, st.integers(1, 10**9), slacks)
def test_the_textbook_form(each: ApproxDP, count: int, slack: Fraction) -> None:
    total = advanced(each, count=count, slack=slack)
    with workdps(80):
        k, eps, s = map(mpmathify, (count, each.epsilon, slack))
        exact = eps * sqrt(-2 * k * log(s)) + k * eps * expm1(eps)
        assert_just_above(total.epsilon, exact)
    assert total.delta == min(1, count * each.delta + slack)


@given(losses, st.integers(1, 10**9), slacks)
def test_the_sharp_form_never_looser(each: ApproxDP, count: int, slack: Fraction) -> None:
    total = advanced_sharp(each, count=count, slack=slack)
    with workdps(80):
        k, eps, s = map(mpmathify, (count, each.epsilon, slack))
        exact = eps * sqrt(-2 * k * log(s)) + k * eps * tanh(eps / 2)
        assert_just_above(total.epsilon, exact)
    textbook = advanced(each, count=count, slack=slack)
    assert total.epsilon <= textbook.epsilon
    assert total.delta == textbook.delta


@given(st.lists(losses, min_size=1, max_size=6), slacks)
def test_mixed_parameters(each: list[ApproxDP], slack: Fraction) -> None:
    total = advanced_mixed(each, slack=slack)
    with workdps(80):
        eps = [mpmathify(loss.epsilon) for loss in each]
        exact = sqrt(-2 * log(mpmathify(slack)) * sum(x * x for x in eps))
        exact += sum(x * tanh(x / 2) for x in eps)
        assert_just_above(total.epsilon, exact)
    assert total.delta == min(1, sum(loss.delta for loss in each) + slack)


@given(losses, st.integers(1, 30), slacks)
def test_equal_parameters_are_mixed_ones(each: ApproxDP, count: int, slack: Fraction) -> None:
    mixed = advanced_mixed([each] * count, slack=slack)
    equal = advanced_sharp(each, count=count, slack=slack)

    assert abs(mixed.epsilon - equal.epsilon) <= equal.epsilon * Fraction(MARGIN)
    assert mixed.delta == equal.delta


@given(
    st.lists(losses, min_size=1, max_size=6),
    st.fractions(Fraction(1, 10**4), Fraction(1, 2)),
    st.fractions(Fraction(1, 100), Fraction(99, 100)),
)
def test_no_other_split_of_delta_is_better(
    each: list[ApproxDP], delta: Fraction, part: Fraction
) -> None:
    best = advanced_within(each, delta=delta)
    spent = sum(loss.delta for loss in each)
    other = advanced_mixed(each, slack=(delta - spent) * part)

    assert best.delta == delta
    assert other.delta < delta
    assert other.epsilon > best.epsilon


def test_deltas_that_leave_no_slack_are_refused() -> None:
    each = [ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 4))] * 2
    for delta in (Fraction(1, 2), Fraction(1, 3)):
        with pytest.raises(InvalidInput, match=r"^delta must be above 0\.5, the sum"):
            advanced_within(each, delta=delta)


@pytest.mark.parametrize("slack", [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(1, 10**301)])
def test_a_slack_without_a_logarithm_is_refused(slack: Fraction) -> None:
    each = ApproxDP(epsilon=Fraction(1), delta=Fraction(0))
    for bound in (advanced, advanced_sharp):
        with pytest.raises(InvalidInput, match=r"^slack must be"):
            bound(each, count=2, slack=slack)
    with pytest.raises(InvalidInput, match=r"^slack must be"):
        advanced_mixed([each], slack=slack)


@pytest.mark.parametrize("count", [0, -1, True])
def test_a_count_below_one_is_refused(count: int) -> None:
    each = ApproxDP(epsilon=Fraction(1), delta=Fraction(0))
    for bound in (advanced, advanced_sharp):
        with pytest.raises(InvalidInput, match=r"^count must be"):
            bound(each, count=count, slack=Fraction(1, 2))


def test_absurd_losses_are_refused_and_none_costs_none() -> None:
    slack, zero = Fraction(1, 10**6), Fraction(0)
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most 700"):
        advanced(ApproxDP(epsilon=Fraction(701), delta=zero), count=1, slack=slack)
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most 1e\+100"):
        advanced_sharp(ApproxDP(epsilon=Fraction(10**400), delta=zero), count=1, slack=slack)
    with pytest.raises(InvalidInput, match=r"^count must be at most"):
        advanced(ApproxDP(epsilon=Fraction(1), delta=zero), count=10**400, slack=slack)
    free = ApproxDP(epsilon=zero, delta=zero)
    assert advanced(free, count=9, slack=slack).epsilon < Fraction(1, 10**300)
    assert advanced_mixed([], slack=slack).epsilon < Fraction(1, 10**300)
    speck = ApproxDP(epsilon=Fraction(1, 10**400), delta=zero)
    assert advanced_sharp(speck, count=9, slack=slack).epsilon > speck.epsilon


def test_a_bound_that_overflows_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be small enough"):
        advanced(
            ApproxDP(epsilon=Fraction(700), delta=Fraction(0)), count=10**9, slack=Fraction(1, 2)
        )

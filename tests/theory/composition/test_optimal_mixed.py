"""Mixed optimal composition against brute force and against equal parameters."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf, mpmathify

from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import advanced_mixed
from peekproof.theory.optimal_composition import optimal, optimal_mixed, optimal_mixed_at
from theory.composition.enumeration import exact_delta

failures = st.just(Fraction(0)) | st.fractions(Fraction(1, 10**9), Fraction(1, 20))
losses = st.lists(
    st.builds(ApproxDP, epsilon=st.fractions(0, 4, max_denominator=60), delta=failures),
    min_size=1,
    max_size=4,
)
deltas = st.fractions(Fraction(1, 10**6), Fraction(9, 10)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)
steps = st.fractions(Fraction(1, 100), Fraction(1, 2), max_denominator=100)


def rounded(each: list[ApproxDP], step: Fraction) -> list[ApproxDP]:
    return [ApproxDP(epsilon=-(-loss.epsilon // step) * step, delta=loss.delta) for loss in each]


@given(losses, st.fractions(0, 20), steps)
def test_delta_is_exact_for_the_rounded_parameters_and_covers_the_given_ones(
    each: list[ApproxDP], epsilon: Fraction, step: Fraction
) -> None:
    claimed = mpmathify(optimal_mixed_at(each, epsilon=epsilon, step=step).delta)
    coarse = exact_delta(rounded(each, step), epsilon)

    assert exact_delta(each, epsilon) <= claimed <= coarse * (1 + mpf("1e-10")) + mpf("1e-12")


@given(losses, deltas, steps)
def test_epsilon_meets_delta_and_is_the_least_of_the_grid(
    each: list[ApproxDP], delta: Fraction, step: Fraction
) -> None:
    alive = Fraction(1)
    for loss in each:
        alive *= 1 - loss.delta
    if delta <= 1 - alive:
        with pytest.raises(InvalidInput, match=r"^delta must be above"):
            optimal_mixed(each, delta=delta, step=step)
        return
    total = optimal_mixed(each, delta=delta, step=step).epsilon
    assert exact_delta(each, total) <= mpmathify(delta)
    summed = sum(loss.epsilon for loss in each)
    less = total - Fraction(1, 10**8)
    assert less < 0 or total == summed or exact_delta(rounded(each, step), less) > delta


@given(losses, deltas)
def test_a_step_that_divides_every_loss_is_exact(each: list[ApproxDP], delta: Fraction) -> None:
    pure = [
        ApproxDP(epsilon=round(x.epsilon * 8) * Fraction(1, 8), delta=Fraction(0)) for x in each
    ]
    total = optimal_mixed(pure, delta=delta, step=Fraction(1, 8)).epsilon

    assert exact_delta(pure, total) <= mpmathify(delta)
    less = total - Fraction(1, 10**8)
    assert less < 0 or exact_delta(pure, less) > mpmathify(delta)


@given(st.integers(1, 20), failures, st.integers(1, 200), deltas)
def test_equal_parameters_are_the_other_algorithm(
    tenths: int, delta: Fraction, count: int, wanted: Fraction
) -> None:
    each = ApproxDP(epsilon=Fraction(tenths, 10), delta=delta / count)
    if wanted > 2 * delta:
        equal = optimal(each, count=count, delta=wanted).epsilon
        mixed = optimal_mixed([each] * count, delta=wanted, step=Fraction(tenths, 10)).epsilon
        assert abs(equal - mixed) <= each.epsilon * count * Fraction(1, 10**8)


@given(losses, deltas, st.integers(1, 30))
def test_a_finer_grid_within_the_coarse_one_is_never_looser(
    each: list[ApproxDP], delta: Fraction, finer: int
) -> None:
    pure = [ApproxDP(epsilon=loss.epsilon, delta=Fraction(0)) for loss in each]
    step = Fraction(1, 7)
    coarse = optimal_mixed(pure, delta=delta, step=step).epsilon
    fine = optimal_mixed(pure, delta=delta, step=step / finer).epsilon

    assert fine <= coarse + Fraction(1, 10**9)


def test_a_thousand_different_losses_beat_the_closed_form() -> None:
    each = [ApproxDP(epsilon=Fraction(i, 10**5), delta=Fraction(0)) for i in range(1, 1001)]
    delta = Fraction(1, 10**6)
    total = optimal_mixed(each, delta=delta, step=Fraction(1, 10**4)).epsilon

    assert total < advanced_mixed(each, slack=delta).epsilon
    # Below the equal composition of the largest, above that of the smallest half's size.
    largest, middle = each[-1], each[499]
    assert total < optimal(largest, count=1000, delta=delta).epsilon
    assert total > optimal(middle, count=500, delta=delta).epsilon


def test_nothing_costs_nothing_and_underflow_is_not_nothing() -> None:
    delta, step = Fraction(1, 10**6), Fraction(1, 100)
    assert optimal_mixed([], delta=delta, step=step).epsilon == 0
    many = [ApproxDP(epsilon=step, delta=Fraction(0))] * 2000
    tail = optimal_mixed_at(many, epsilon=Fraction(19), step=step).delta
    # Each of 2000 sums of up to 1000 weights may have lost half of the least float.
    assert 2000 * 1000 * Fraction(5e-324) / 2 <= tail < Fraction(1, 10**299)
    assert optimal_mixed_at(many, epsilon=Fraction(20), step=step).delta == 0


def test_absurd_input_is_refused() -> None:
    each = [ApproxDP(epsilon=Fraction(1), delta=Fraction(0))]
    for step in (Fraction(0), Fraction(-1)):
        with pytest.raises(InvalidInput, match=r"^step must be a positive Fraction"):
            optimal_mixed(each, delta=Fraction(1, 2), step=step)
    with pytest.raises(InvalidInput, match=r"^step must be coarser"):
        optimal_mixed(each, delta=Fraction(1, 2), step=Fraction(1, 10**12))
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        optimal_mixed(each, delta=Fraction(0), step=Fraction(1, 2))
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        optimal_mixed_at(each, epsilon=Fraction(-1), step=Fraction(1, 2))
    certain = [ApproxDP(epsilon=Fraction(1), delta=Fraction(1))]
    with pytest.raises(InvalidInput, match=r"^delta must be above"):
        optimal_mixed(certain, delta=Fraction(1, 2), step=Fraction(1, 2))
    assert optimal_mixed_at(certain, epsilon=Fraction(1), step=Fraction(1, 2)).delta == 1

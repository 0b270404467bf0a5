"""Optimal composition against brute force, and against binomials at 60 digits for large k."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import exp, loggamma, mpf, mpmathify, workdps
from mpmath import log as ln

from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.optimal_composition import optimal, optimal_at
from theory.composition.enumeration import exact_delta

epsilons = st.fractions(Fraction(1, 1000), 8, max_denominator=1000)
deltas = st.fractions(Fraction(1, 10**9), Fraction(1, 2)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)
failures = st.just(Fraction(0)) | st.fractions(Fraction(1, 10**9), Fraction(1, 20))


def pure(epsilon: Fraction) -> ApproxDP:
    return ApproxDP(epsilon=epsilon, delta=Fraction(0))


def binomial_delta(epsilon: Fraction, count: int, total: Fraction) -> mpf:
    """h(total) for k rounds of randomised response, largest term first."""
    with workdps(60):
        eps, x = mpmathify(epsilon), mpmathify(total)
        below = (count - mpmathify(total / epsilon)) / 2  # losses above `total` have l < below
        first, found = int(below) - (int(below) == below), mpf(0)
        ways = loggamma(count + 1) - loggamma(first + 1) - loggamma(count - first + 1)
        weight = exp(ways + (count - first) * eps - count * ln(1 + exp(eps)))
        odds, shift = exp(eps), exp(x - (count - 2 * first) * eps)
        for lies in range(first, -1, -1):
            term = weight * (1 - shift)
            found += term
            if weight < found * mpf("1e-25"):
                break
            weight *= odds * lies / (count - lies + 1)
            shift /= odds * odds
        return found


@given(epsilons, failures, st.integers(1, 5), st.fractions(0, 1, max_denominator=1000))
def test_delta_is_that_of_brute_force(
    epsilon: Fraction, delta: Fraction, count: int, part: Fraction
) -> None:
    each = ApproxDP(epsilon=epsilon, delta=delta)
    total = epsilon * count * part
    claimed = mpmathify(optimal_at(each, count=count, epsilon=total).delta)
    exact = exact_delta([each] * count, total)

    # Where ε is within an ulp of the largest loss, the rounding of losses shows: 1e-13 of them.
    room = mpmathify(epsilon * count) * mpf("1e-13") if part < 1 else mpf(0)
    assert exact <= claimed <= exact * (1 + mpf("1e-10")) + room


@given(epsilons, failures, st.integers(1, 5), deltas)
def test_epsilon_is_the_least_by_brute_force(
    epsilon: Fraction, delta: Fraction, count: int, wanted: Fraction
) -> None:
    each = ApproxDP(epsilon=epsilon, delta=delta)
    if wanted <= 1 - (1 - delta) ** count:
        with pytest.raises(InvalidInput, match=r"^delta must be above"):
            optimal(each, count=count, delta=wanted)
        return
    total = optimal(each, count=count, delta=wanted).epsilon
    assert exact_delta([each] * count, total) <= mpmathify(wanted)
    if total > 0:
        less = total - count * epsilon / 10**10 - wanted / 10**8
        assert less < 0 or exact_delta([each] * count, less) > mpmathify(wanted)


@settings(max_examples=25)
@given(
    st.fractions(Fraction(1, 10**4), Fraction(3, 2)),
    st.sampled_from([50, 999, 20_000, 10**6]),
    st.sampled_from([Fraction(1, 10**e) for e in (1, 3, 6, 12, 60, 290)]),
)
@example(Fraction(1, 100), 10**6, Fraction(1, 10**6))
@example(Fraction(1, 100), 10**6, Fraction(1, 10**300))
@example(Fraction(12), 10**6, Fraction(1, 10**6))
def test_large_counts_meet_delta_and_no_smaller_epsilon_does(
    epsilon: Fraction, count: int, delta: Fraction
) -> None:
    total = optimal(pure(epsilon), count=count, delta=delta).epsilon
    assert total <= epsilon * count
    if 0 < total < epsilon * count:
        assert binomial_delta(epsilon, count, total) <= mpmathify(delta)
        less = total * (1 - Fraction(1, 10**8))
        assert binomial_delta(epsilon, count, less) > mpmathify(delta)


def test_a_million_small_losses() -> None:
    total = optimal(pure(Fraction(1, 100)), count=10**6, delta=Fraction(1, 10**6))

    assert float(total.epsilon) == pytest.approx(96.716, abs=5e-4)
    assert total.delta == Fraction(1, 10**6)


@given(st.fractions(Fraction(1, 100), 2), failures, st.integers(1, 3000), deltas)
def test_it_is_never_above_the_bounds_it_improves(
    epsilon: Fraction, delta: Fraction, count: int, slack: Fraction
) -> None:
    each = ApproxDP(epsilon=epsilon, delta=delta)
    bound = advanced_sharp(each, count=count, slack=slack)
    # A slack that is lost beside δ in the floats is refused, not rounded in our favour.
    if bound.delta < 1 and slack > delta / 10**9:
        best = optimal(each, count=count, delta=bound.delta)
        assert best.epsilon <= min(bound.epsilon, epsilon * count)


@given(st.fractions(Fraction(1, 100), 2), st.integers(1, 3000), st.integers(1, 3000), deltas)
def test_it_grows_with_the_count(epsilon: Fraction, few: int, more: int, delta: Fraction) -> None:
    smaller = optimal(pure(epsilon), count=few, delta=delta).epsilon
    larger = optimal(pure(epsilon), count=few + more, delta=delta).epsilon

    assert smaller <= larger * (1 + Fraction(1, 10**9))


@given(st.integers(1, 10**9), deltas)
def test_no_loss_costs_nothing_at_any_count(count: int, delta: Fraction) -> None:
    assert optimal(pure(Fraction(0)), count=min(count, 10**5), delta=delta).epsilon == 0


@pytest.mark.parametrize("count", [2000, 5000])
def test_a_tail_below_the_floats_is_not_reported_as_nothing(count: int) -> None:
    # Exactly 2^−count or so: floats end at 2^−1074.
    each = pure(Fraction(1, 10**6))
    claimed = optimal_at(each, count=count, epsilon=each.epsilon * count * Fraction(99, 100)).delta

    # Each of the weights may have lost half of the least float.
    assert count * Fraction(5e-324) / 2 <= claimed <= Fraction(1, 10**299)
    assert optimal_at(each, count=count, epsilon=each.epsilon * count).delta == 0


def test_absurd_input_is_refused() -> None:
    each, delta = pure(Fraction(1)), Fraction(1, 10**6)
    for count in (0, -1, True, 10**9 + 1):
        with pytest.raises(InvalidInput, match=r"^count must be"):
            optimal(each, count=count, delta=delta)
        with pytest.raises(InvalidInput, match=r"^count must be"):
            optimal_at(each, count=count, epsilon=Fraction(1))
    for wrong in (Fraction(0), Fraction(1), Fraction(1, 10**301)):
        with pytest.raises(InvalidInput, match=r"^delta must be"):
            optimal(each, count=3, delta=wrong)
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        optimal_at(each, count=3, epsilon=Fraction(-1))
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most"):
        optimal(pure(Fraction(10**400)), count=3, delta=delta)
    with pytest.raises(InvalidInput, match=r"^delta must be above"):
        optimal(ApproxDP(epsilon=Fraction(1), delta=Fraction(1)), count=3, delta=delta)


@pytest.mark.parametrize("epsilon", [Fraction(10**90), Fraction(1, 10**90), Fraction(1, 10**400)])
def test_extreme_losses_are_never_understated(epsilon: Fraction) -> None:
    delta = Fraction(1, 10**6)
    total = optimal(pure(epsilon), count=10, delta=delta).epsilon

    assert total <= 10 * epsilon
    assert total == 0 if epsilon < 1 else total >= 10 * epsilon * (1 - Fraction(1, 10**9))

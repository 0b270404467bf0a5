"""Finite pairs against naive loops over outcomes and over all events."""

from fractions import Fraction
from itertools import chain, combinations
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, mpmathify, sqrt, workdps
from mpmath import log as ln

from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import Number, Pair
from theory.divergence.pairs import any_pairs, few, full_pairs, near

DIGITS = 50
CLOSE = 1e-15 * 4
deltas = st.fractions(0, 1)
orders = st.fractions(Fraction(1001, 1000), 50)
HALF = (Fraction(1, 2), Fraction(1, 2))


def events(pair: Pair) -> list[tuple[Fraction, Fraction]]:
    """(P(E), Q(E)) for every event E."""
    places = range(len(pair.p))
    subsets = chain.from_iterable(combinations(places, size) for size in range(len(pair.p) + 1))
    return [
        (sum((pair.p[i] for i in event), Fraction(0)), sum((pair.q[i] for i in event), Fraction(0)))
        for event in subsets
    ]


@few
@given(full_pairs)
def test_kl_is_the_mean_logarithm(pair: Pair) -> None:
    with workdps(DIGITS):
        exact = mpf(0)
        for p, q in zip(pair.p, pair.q, strict=True):
            exact += mpmathify(p) * ln(mpmathify(p / q))
        assert near(pair.kl(), exact, CLOSE)


@few
@given(full_pairs, orders)
def test_renyi_is_the_moment_of_the_ratio(pair: Pair, order: Fraction) -> None:
    with workdps(DIGITS):
        a, moment = mpmathify(order), mpf(0)
        for p, q in zip(pair.p, pair.q, strict=True):
            moment += mpmathify(p) ** a * mpmathify(q) ** (1 - a)
        assert near(pair.renyi(order=order), ln(moment) / (a - 1), CLOSE)


@few
@given(full_pairs)
def test_max_divergence_is_the_largest_log_ratio_of_an_event(pair: Pair) -> None:
    with workdps(DIGITS):
        exact = ln(max(mpmathify(p / q) for p, q in events(pair) if q))
        assert near(pair.max_divergence(), exact, CLOSE)


@few
@given(any_pairs, deltas)
def test_approximate_max_divergence_is_the_maximum_over_events(pair: Pair, delta: Fraction) -> None:
    ratios = [(p - delta) / q if q else inf for p, q in events(pair) if p > delta]
    claimed = pair.approximate_max_divergence(delta=delta)
    worst = max(ratios, default=-inf)
    if isinstance(worst, Fraction):
        with workdps(DIGITS):
            assert near(claimed, ln(mpmathify(worst)), CLOSE)
    else:
        assert claimed == worst


@few
@given(any_pairs)
def test_total_variation_is_the_largest_gap_of_an_event(pair: Pair) -> None:
    assert pair.total_variation() == float(max(p - q for p, q in events(pair)))


@few
@given(any_pairs, st.fractions(-5, 5))
def test_hockey_stick_is_the_largest_weighted_gap_of_an_event(
    pair: Pair, epsilon: Fraction
) -> None:
    with workdps(DIGITS):
        ratio = exp(mpmathify(epsilon))
        exact = max(mpmathify(p) - ratio * mpmathify(q) for p, q in events(pair))
        assert near(pair.hockey_stick(epsilon=epsilon), exact, CLOSE)


@few
@given(full_pairs)
def test_chi_square_is_the_variance_of_the_ratio(pair: Pair) -> None:
    exact = sum((p * p / q for p, q in zip(pair.p, pair.q, strict=True)), Fraction(0)) - 1
    assert pair.chi_square() == float(exact)


@few
@given(any_pairs)
def test_affinity_and_hellinger_are_sums_of_roots(pair: Pair) -> None:
    with workdps(DIGITS):
        roots = [
            (sqrt(mpmathify(p)), sqrt(mpmathify(q))) for p, q in zip(pair.p, pair.q, strict=True)
        ]
        affinity = sum(p * q for p, q in roots)
        hellinger = sum((p - q) ** 2 for p, q in roots) / 2
        assert near(pair.bhattacharyya(), affinity, CLOSE)
        assert near(pair.hellinger_squared(), hellinger, CLOSE)


def test_mass_that_only_p_has_is_infinitely_far() -> None:
    pair = Pair.of([0.5, 0.25, 0.25], [0.5, 0.5, 0])

    assert pair.kl() == pair.max_divergence() == pair.renyi(order=2) == pair.chi_square() == inf
    assert pair.approximate_max_divergence(delta=0.24) == inf
    assert pair.approximate_max_divergence(delta=0.25) == 0
    assert pair.hockey_stick(epsilon=10**9) == 0.25
    assert pair.swapped().kl() == log(2) / 2
    assert pair.swapped().max_divergence() == log(2)


def test_laws_with_nothing_in_common() -> None:
    pair = Pair.of([1, 0], [0, 1])

    assert pair.total_variation() == pair.hellinger_squared() == 1
    assert pair.hockey_stick(epsilon=-3) == pair.hockey_stick(epsilon=3) == 1
    assert pair.bhattacharyya() == 0
    assert pair.approximate_max_divergence(delta=1) == -inf


def test_kl_of_nearly_equal_laws_keeps_its_digits() -> None:
    step = Fraction(1, 10**15)
    pair = Pair(p=(HALF[0] + step, HALF[1] - step), q=HALF)

    assert pair.kl() == pytest.approx(2e-30, rel=1e-12, abs=0)
    assert pair.renyi(order=3) == pytest.approx(6e-30, rel=1e-12, abs=0)
    assert pair.hellinger_squared() == pytest.approx(5e-31, rel=1e-12, abs=0)


def test_astronomic_orders_and_exponents_neither_overflow_nor_stall() -> None:
    pair = Pair.of([Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)])

    assert pair.renyi(order=10**30) == pytest.approx(log(2), rel=1e-15)
    assert pair.hockey_stick(epsilon=10**30) == 0
    assert pair.hockey_stick(epsilon=-(10**30)) == 1
    assert Pair.of([1], [1]).chi_square() == 0
    tiny = Fraction(1, 10**400)
    assert Pair(p=HALF, q=(tiny, 1 - tiny)).chi_square() == inf


def test_floats_are_taken_exactly_and_divided_by_their_sum() -> None:
    pair = Pair.of([0.1] * 10, [Fraction(1, 10)] * 10)

    assert Fraction(0.1) * 10 != 1
    assert pair.p == pair.q


@pytest.mark.parametrize(
    ("p", "q", "named"),
    [
        ([0.5, 0.5], [1.0], "q"),
        ([0.5, 0.5], [nan, 1.0], r"q\[0\]"),
        ([0.5, 0.5], [inf, 1.0], r"q\[0\]"),
        ([1.5, -0.5], [0.5, 0.5], r"p\[1\]"),
        ([0.5, 0.5 + 1e-11], [0.5, 0.5], "p"),
        ([0.5, 0.4], [0.5, 0.5], "p"),
        ([], [], "p"),
        ([True, False], [0.5, 0.5], r"p\[0\]"),
    ],
)
def test_what_is_not_a_law_is_refused(p: list[Number], q: list[Number], named: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{named} must be"):
        Pair.of(p, q)


def test_the_constructor_wants_exact_sums() -> None:
    with pytest.raises(InvalidInput, match=r"^q must be Fractions that sum to 1"):
        Pair(p=HALF, q=(Fraction(1, 2), Fraction(1, 3)))
    with pytest.raises(InvalidInput, match=r"^p\[0\] must be"):
        Pair(p=(0.5, 0.5), q=HALF)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [0.5, 0, -1, nan, inf, "2"])
def test_orders_below_one_are_refused(order: Number) -> None:
    with pytest.raises(InvalidInput, match=r"^order must be"):
        Pair(p=HALF, q=HALF).renyi(order=order)


@pytest.mark.parametrize("delta", [-0.1, 1.1, nan])
def test_deltas_outside_the_unit_interval_are_refused(delta: Number) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        Pair(p=HALF, q=HALF).approximate_max_divergence(delta=delta)


@pytest.mark.parametrize("epsilon", [nan, inf, -inf, True])
def test_an_epsilon_that_is_no_number_is_refused(epsilon: Number) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        Pair(p=HALF, q=HALF).hockey_stick(epsilon=epsilon)

"""The statistics that judge the randomised code, against naive loops and mpmath."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, floor, inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import betainc, mpf, workdps

from peekproof.core.errors import InvalidInput
from peekproof.testing import statistics
from peekproof.testing.statistics import (
    declared_false_alarms,
    excess_p_value,
    fit_p_value,
    mean_deviation,
    statistical,
)

samples = st.lists(st.integers(-8, 8), min_size=1, max_size=60)


def uniform_cdf(low: int, high: int) -> Callable[[int], float]:
    """The law that is uniform on low … high."""
    return lambda i: min(1.0, max(0.0, (i - low + 1) / (high - low + 1)))


@given(sample=samples, low=st.integers(-10, 0), width=st.integers(1, 20))
def test_the_distance_is_the_largest_at_any_point(sample: list[int], low: int, width: int) -> None:
    cdf = uniform_cdf(low, low + width)
    size = len(sample)
    distance = max(
        abs(sum(value <= point for value in sample) / size - cdf(point)) for point in range(-40, 41)
    )

    assert fit_p_value(sample, cdf) == pytest.approx(min(1, 2 * exp(-2 * size * distance**2)))


def test_a_perfect_fit_and_a_hopeless_one() -> None:
    sample = list(range(100)) * 100

    assert fit_p_value(sample, uniform_cdf(0, 99)) == 1
    assert fit_p_value(sample, uniform_cdf(0, 109)) < 1e-60
    assert fit_p_value(sample, uniform_cdf(-10, 99)) < 1e-60


def test_mass_missing_between_the_drawn_values_is_seen() -> None:
    # At the drawn values alone, 0 and 9, the two laws agree within a tenth.
    assert fit_p_value([0] * 500 + [9] * 500, uniform_cdf(0, 9)) < 1e-100


def test_a_sample_may_be_read_only_once() -> None:
    assert fit_p_value(iter([0, 1]), uniform_cdf(0, 1)) == 1


def test_without_draws_there_is_nothing_to_judge() -> None:
    with pytest.raises(InvalidInput, match=r"^sample must be at least one draw, got none$"):
        fit_p_value([], uniform_cdf(0, 1))


def test_the_bound_holds_for_every_sample_of_a_small_law() -> None:
    """Pr[p-value ≤ t] ≤ t, summed exactly over all samples of 10 fair coins."""
    size = 10
    chances = []
    binomial = 1
    for heads in range(size + 1):
        sample = [1] * heads + [0] * (size - heads)
        chances.append((fit_p_value(sample, uniform_cdf(0, 1)), Fraction(binomial, 2**size)))
        binomial = binomial * (size - heads) // (heads + 1)
    for threshold, _ in chances:
        assert sum(chance for p, chance in chances if p <= threshold) <= threshold


@given(trials=st.integers(1, 3000), data=st.data())
def test_the_binomial_tail_is_exact(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(1, trials))
    probability = data.draw(st.floats(1e-6, 1 - 1e-6))
    with workdps(50):
        # Pr[Bin(m, p) ≥ h] is the regularised incomplete beta function I_p(h, m − h + 1).
        exact = betainc(hits, trials - hits + 1, 0, mpf(probability), regularized=True)
        tail = excess_p_value(hits, trials=trials, probability=probability)

        assert abs(tail - exact) <= exact * mpf("1e-9") + mpf("1e-300")


@pytest.mark.parametrize("hits", [0, -3])
def test_no_hits_are_no_excess(hits: int) -> None:
    assert excess_p_value(hits, trials=10, probability=0.5) == 1


def test_more_hits_than_trials_cannot_happen() -> None:
    assert excess_p_value(11, trials=10, probability=0.5) == 0


@pytest.mark.parametrize(("probability", "tail"), [(0.0, 0.0), (1.0, 1.0)])
def test_certain_and_impossible_events_have_tails_too(probability: float, tail: float) -> None:
    assert excess_p_value(3, trials=10, probability=probability) == tail


@given(
    trials=st.integers(1, 10**9),
    false_alarm=st.floats(1e-15, 0.999),
    spread=st.floats(1e-3, 1e3),
)
def test_the_deviation_inverts_hoeffding(trials: int, false_alarm: float, spread: float) -> None:
    reach = mean_deviation(trials=trials, false_alarm=false_alarm, spread=spread)

    assert -2 * trials * (reach / spread) ** 2 == pytest.approx(log(false_alarm))


def test_the_deviation_bounds_fair_coins_exactly() -> None:
    trials, false_alarm = 40, 0.01
    reach = mean_deviation(trials=trials, false_alarm=false_alarm)
    needed = floor(trials * (0.5 + reach)) + 1

    assert excess_p_value(needed, trials=trials, probability=0.5) <= false_alarm
    # The mutant that forgets the factor 2 under the root would be wider than need be …
    assert reach < (-log(false_alarm) / trials) ** 0.5
    # … and a reach of half the size would break its promise.
    assert excess_p_value(floor(trials * (0.5 + reach / 2)) + 1, trials=40, probability=0.5) > 0.01


def test_without_trials_a_mean_may_lie_anywhere() -> None:
    assert mean_deviation(trials=0, false_alarm=0.5) == inf


@pytest.fixture
def own_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is declared here must not count against the suite."""
    monkeypatch.setattr(statistics, "_declared", {})


def sample_test() -> str:
    return "ran"


@pytest.mark.usefixtures("own_declarations")
def test_a_declaration_is_recorded_and_leaves_the_test_as_it_was() -> None:
    assert statistical(false_alarm=1e-9)(sample_test) is sample_test
    assert declared_false_alarms() == {f"{__name__}.sample_test": 1e-9}


@pytest.mark.usefixtures("own_declarations")
def test_the_record_handed_out_is_a_copy() -> None:
    declared_false_alarms()["forged"] = 0.5

    assert declared_false_alarms() == {}


@pytest.mark.parametrize("false_alarm", [0, 1, -0.5, 1.5, float("nan")])
def test_a_false_alarm_is_a_probability(false_alarm: float) -> None:
    with pytest.raises(InvalidInput, match=r"^false_alarm must be between 0 and 1, got "):
        statistical(false_alarm=false_alarm)


def test_a_law_that_is_no_number_is_refused_and_fits_nothing() -> None:
    with pytest.raises(InvalidInput, match="cdf"):
        fit_p_value([1, 2, 3] * 100, lambda _: nan)


@pytest.mark.parametrize("probability", [nan, -0.1, 1.1])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(InvalidInput, match="probability"):
        excess_p_value(3, trials=5, probability=probability)

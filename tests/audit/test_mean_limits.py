"""Limits for means: exact coverage by enumeration, a slow oracle, and a bettor who cheats."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, log, prod, sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.audit.evidence import mean_deviation, mean_limits
from peekproof.core.errors import InvalidInput

LAWS = [
    {0.0: 0.5, 1.0: 0.5},
    {0.0: 0.9, 1.0: 0.1},
    {0.0: 0.2, 0.5: 0.6, 1.0: 0.2},
    {0.4: 0.7, 0.6: 0.2, 1.0: 0.1},
]
CAP = 0.9
units = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def paths(law: dict[float, float], count: int) -> Iterator[tuple[tuple[float, ...], float]]:
    for values in product(law, repeat=count):
        yield values, prod(law[each] for each in values)


def mean_of(law: dict[float, float]) -> float:
    return sum(value * chance for value, chance in law.items())


def most_wealth(values: Sequence[float], *, mean: float, level: float, peeks: int = 0) -> float:
    """The largest wealth on the way, by a plain loop; `peeks` = 1 sees the value it bets on."""
    wealth, most = 1.0, -inf
    for now, value in enumerate(values):
        seen = values[: now + peeks]
        centres = [(0.5 + sum(seen[: i + 1])) / (i + 2) for i in range(len(seen))]
        spread = sum((each - centre) ** 2 for each, centre in zip(seen, centres, strict=True))
        variance = (0.25 + spread) / (len(seen) + 1)
        bet = min(sqrt(-2 * log(level) / (len(values) * variance)), CAP / mean)
        if peeks and value < mean:
            bet = 0.0
        wealth *= 1 + bet * (value - mean)
        most = max(most, wealth)
    return most


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("false_alarm", [0.1, 0.8])
def test_each_end_is_wrong_no_more_often_than_half(
    law: dict[float, float], false_alarm: float
) -> None:
    mean, above, below = mean_of(law), 0.0, 0.0
    for values, chance in paths(law, 5):
        limits = mean_limits(values, low=0.0, high=1.0, false_alarm=false_alarm)
        above += chance * (limits.low > mean)
        below += chance * (limits.high < mean)

    assert above <= false_alarm / 2
    assert below <= false_alarm / 2


def test_bets_that_see_the_value_they_are_on_are_found_out() -> None:
    law, level = LAWS[0], 0.1
    mean = mean_of(law)
    honest, cheating = (
        sum(
            chance
            for values, chance in paths(law, 7)
            if most_wealth(values, mean=mean, level=level, peeks=peeks) >= 1 / level
        )
        for peeks in (0, 1)
    )

    assert honest <= level < cheating


@given(values=units, false_alarm=st.floats(1e-9, 0.9))
def test_the_lower_limit_is_where_the_wealth_is_enough(
    values: list[float], false_alarm: float
) -> None:
    low = mean_limits(values, low=0.0, high=1.0, false_alarm=false_alarm).low
    level = false_alarm / 2
    if low > 1e-6:
        assert most_wealth(values, mean=low - 1e-7, level=level) >= (1 - 1e-6) / level
    assert most_wealth(values, mean=low + 1e-6, level=level) < (1 + 1e-6) / level


@given(values=units, start=st.floats(-5, 5), width=st.floats(0.1, 10))
def test_limits_move_with_the_scale_and_turn_with_the_sign(
    values: list[float], start: float, width: float
) -> None:
    plain = mean_limits(values, low=0.0, high=1.0, false_alarm=0.1)
    end = start + width
    moved = mean_limits(
        [min(end, start + width * value) for value in values],
        low=start, high=end, false_alarm=0.1,
    )  # fmt: skip
    turned = mean_limits([1 - value for value in values], low=0.0, high=1.0, false_alarm=0.1)

    assert plain.low >= 0
    assert plain.high <= 1
    assert moved.low == pytest.approx(start + width * plain.low, abs=1e-6)
    assert moved.high == pytest.approx(start + width * plain.high, abs=1e-6)
    assert turned.low == pytest.approx(1 - plain.high, abs=1e-6)


def test_values_that_spread_little_have_narrow_limits() -> None:
    rng = np.random.default_rng(1)
    values = rng.uniform(0.45, 0.55, 400).tolist()
    limits = mean_limits(values, low=0.0, high=1.0, false_alarm=1e-3)
    hoeffding = 2 * mean_deviation(trials=400, false_alarm=5e-4)

    assert limits.low < fmean(values) < limits.high
    assert limits.high - limits.low < hoeffding / 2.5


def test_no_values_say_nothing() -> None:
    limits = mean_limits([], low=-1.0, high=2.0, false_alarm=0.1)

    assert (limits.low, limits.high) == (-1.0, 2.0)


@pytest.mark.parametrize("values", [[1.5], [-0.1], [float("nan")]])
def test_values_outside_are_refused(values: list[float]) -> None:
    with pytest.raises(InvalidInput, match="values"):
        mean_limits(values, low=0.0, high=1.0, false_alarm=0.1)


@pytest.mark.parametrize("false_alarm", [0.0, 1.0, float("nan")])
def test_a_false_alarm_is_a_probability(false_alarm: float) -> None:
    with pytest.raises(InvalidInput, match="false_alarm"):
        mean_limits([0.5], low=0.0, high=1.0, false_alarm=false_alarm)

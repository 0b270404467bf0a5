"""Durations of two calls, with a clock of the test's own wherever the machine must not matter."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count, cycle
from math import comb

import numpy as np
import pytest

from peekproof.audit import timing as module
from peekproof.audit.timing import Call, Round, timing
from peekproof.core.errors import InvalidInput


class Clock:
    """Shows what calls say that they take."""

    def __init__(self) -> None:
        self.now = 0
        self.calls: list[str] = []

    def call(self, name: str, takes: Callable[[], int]) -> Call:
        def made() -> None:
            self.calls.append(name)
            self.now += takes()

        return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "perf_counter_ns", lambda: made.now)
    return made


def test_a_call_that_takes_longer_tells(clock: Clock) -> None:
    found = timing(clock.call("one", lambda: 300), clock.call("other", lambda: 100))

    assert found.tells
    assert found.ratio == 3
    assert found.p_value == pytest.approx(2 * 0.5**40)
    assert len(found.rounds) == 3
    assert str(found).startswith("durations tell: in round 3 of at most 3 the first call took")


def test_it_does_not_matter_which_one_is_slow(clock: Clock) -> None:
    found = timing(clock.call("one", lambda: 100), clock.call("other", lambda: 300))

    assert found.tells
    assert found.ratio == pytest.approx(1 / 3)
    assert found.rounds[0].excess == 3


def test_calls_that_take_equally_long_do_not(clock: Clock) -> None:
    found = timing(clock.call("one", lambda: 100), clock.call("other", lambda: 100))

    assert not found.tells
    assert (found.ratio, found.p_value) == (1, 1)
    assert len(found.rounds) == 1
    assert str(found).startswith("durations do not tell")


def test_less_than_the_factor_does_not_tell_however_often_it_is_seen(clock: Clock) -> None:
    calls = clock.call("one", lambda: 149), clock.call("other", lambda: 100)

    assert not timing(*calls).tells
    assert timing(*calls).p_value < 1e-9
    assert timing(*calls, factor=1.4).tells


def test_load_alone_does_not_tell(clock: Clock) -> None:
    """One is slow more often than not, but its fastest is as fast as the other's."""
    busy = cycle([900, 900, 900, 100])
    found = timing(clock.call("one", lambda: next(busy)), clock.call("other", lambda: 100))

    assert found.rounds[0].p_value < 1e-3
    assert found.ratio == 1
    assert not found.tells


def test_a_lucky_fastest_alone_does_not_tell(clock: Clock) -> None:
    """The other mutant: a ratio of two, from one pair in forty."""
    lucky = cycle([100] * 30 + [50])
    found = timing(clock.call("one", lambda: 100), clock.call("other", lambda: next(lucky)))

    assert found.ratio == 2
    assert not found.tells


def test_a_machine_that_slows_down_does_not_tell(clock: Clock) -> None:
    """The second of a pair always takes longer, twice as long; a coin decides which that is."""
    slower = count()
    calls = [
        clock.call(name, lambda: 100 if next(slower) % 2 == 0 else 200) for name in ("one", "other")
    ]
    found = timing(*calls)
    pairs = list(zip(clock.calls[2::2], clock.calls[3::2], strict=True))

    assert found.p_value > found.level
    assert {("one", "other"), ("other", "one")} == set(pairs)
    assert 8 < pairs.count(("one", "other")) < 32


def test_rounds_that_disagree_do_not_tell(clock: Clock) -> None:
    made = count()
    found = timing(
        clock.call("one", lambda: 100 if next(made) < 41 else 400),
        clock.call("other", lambda: 200),
    )
    assert all(found.speaks(each) for each in found.rounds)
    assert len(found.rounds) == 3
    assert not found.tells


@pytest.mark.parametrize(("one", "other"), [(0, 0), (3, 3), (7, 2), (0, 12), (40, 0)])
def test_the_p_value_is_that_of_fair_coins(one: int, other: int) -> None:
    pairs, most = one + other, max(one, other)
    tail = sum(comb(pairs, heads) for heads in range(most, pairs + 1)) / 2**pairs

    found = Round(one_longer=one, other_longer=other, ratio=1.0)
    assert found.p_value == pytest.approx(min(1, 2 * tail), rel=1e-12)


def test_rounds_together_are_as_rare_as_was_said(clock: Clock) -> None:
    calls = clock.call("one", lambda: 1), clock.call("other", lambda: 1)
    assert timing(*calls, false_alarm=1e-12, repeats=4).level == pytest.approx(1e-3)


def test_a_clock_that_stands_still_shows_nothing(clock: Clock) -> None:
    found = timing(clock.call("one", lambda: 0), clock.call("other", lambda: 0))
    assert (found.ratio, found.tells) == (1, False)


def test_no_duration_is_reported(clock: Clock) -> None:
    found = timing(clock.call("one", lambda: 98_765), clock.call("other", lambda: 98_765))
    kept = json.dumps(found.to_dict())

    assert "9876" not in kept + str(found) + repr(found)
    assert json.loads(kept)["tells"] is False


@pytest.mark.parametrize("wrong", [{"pairs": 0}, {"factor": 0.5}, {"repeats": 0}, {"pairs": 5}])
def test_what_could_never_tell_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        timing(lambda: None, lambda: None, **wrong)


def test_looking_among_the_rows_that_match_is_found_out_by_the_clock_of_the_machine() -> None:
    """The mutant: one condition after another, each on the rows that are left."""
    column = np.random.default_rng(3).random(100_000)

    def matching(level: float) -> int:
        rows = np.arange(len(column))
        for _ in range(8):
            rows = rows[column[rows] > level]
        return len(rows)

    def counting(level: float) -> int:
        return int(sum(np.sum(column > level) for _ in range(8)))

    assert timing(lambda: matching(-1), lambda: matching(2)).tells
    assert not timing(lambda: counting(-1), lambda: counting(2)).tells

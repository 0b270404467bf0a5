"""The audit of ε: its ends against exact sums, what it makes of counts, and what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import e, exp, inf, log
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import betainc, mpf, workdps

from peekproof.audit.distinguisher import Event, Telling, most_telling, weighed
from peekproof.audit.evidence import Chance, chance
from peekproof.audit.losses import LossFloor, loss_floor
from peekproof.core.charge import GDP, ZCDP, ApproxDP, Draws, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import excess_p_value, statistical

trials_and_hits = st.integers(1, 400).flatmap(
    lambda trials: st.tuples(st.just(trials), st.integers(0, trials))
)
levels = st.sampled_from([0.5, 1e-2, 1e-6, 1e-9, 1e-12])


def reaches(hits: int, trials: int, probability: float) -> mpf:
    """Pr[Binomial ≥ hits], by the incomplete beta function."""
    return betainc(hits, trials - hits + 1, 0, mpf(probability), regularized=True)


@given(drawn=trials_and_hits, false_alarm=levels)
def test_beyond_an_end_counts_would_be_rarer_than_half_the_false_alarm(
    drawn: tuple[int, int], false_alarm: float
) -> None:
    trials, hits = drawn
    ends = chance(hits, trials=trials, false_alarm=false_alarm)

    assert 0 <= ends.low <= hits / trials <= ends.high <= 1
    with workdps(40):
        if hits:
            assert reaches(hits, trials, ends.low) <= mpf(false_alarm) / 2 * (1 + mpf(1e-9))
        else:
            assert ends.low == 0
        if hits < trials:
            below = reaches(trials - hits, trials, 1 - ends.high)
            assert below <= mpf(false_alarm) / 2 * (1 + mpf(1e-9))
        else:
            assert ends.high == 1


@pytest.mark.parametrize("hits", [1, 20, 500, 980, 999])
def test_the_ends_are_no_further_than_chernoff_puts_them(hits: int) -> None:
    """At an end, e^{−m·KL} is the share of the false alarm: neither more nor less."""
    trials, false_alarm = 1000, 1e-6
    ends = chance(hits, trials=trials, false_alarm=false_alarm)
    share = hits / trials
    for end in (ends.low, ends.high):
        kl = share * log(share / end) + (1 - share) * log((1 - share) / (1 - end))
        assert exp(-trials * kl) == pytest.approx(false_alarm / 2, rel=1e-6)


def floor(one: int, other: int, *, trials: int, false_alarm: float) -> float:
    first, second = (chance(hits, trials=trials, false_alarm=false_alarm) for hits in (one, other))
    hits = (one, other)
    return Telling(event="it", trials=trials, hits=hits, one=first, other=second).epsilon()


def test_the_floor_of_counts_as_they_are_expected_lies_below_the_loss() -> None:
    """Randomised response with ε = 1: counts of 100,000 draws leave little room."""
    trials = 100_000
    yes = round(trials * e / (1 + e))
    found = floor(yes, trials - yes, trials=trials, false_alarm=1e-9)

    assert 0.95 < found < 1
    assert floor(trials - yes, yes, trials=trials, false_alarm=1e-9) == found


def test_more_draws_and_a_larger_false_alarm_raise_the_floor() -> None:
    few = floor(80, 20, trials=100, false_alarm=1e-9)
    assert few < floor(80, 20, trials=100, false_alarm=1e-3)
    assert few < floor(800, 200, trials=1000, false_alarm=1e-9)


def test_what_happens_as_often_on_both_tells_nothing() -> None:
    assert floor(0, 0, trials=100, false_alarm=1e-9) == 0
    assert floor(50, 50, trials=100, false_alarm=1e-9) == 0
    assert floor(100, 0, trials=100, false_alarm=1e-9) > 0


def test_the_complement_turns_round() -> None:
    assert Chance(low=0.25, high=0.5).complement == Chance(low=0.5, high=0.75)


@pytest.mark.parametrize(
    ("hits", "trials", "false_alarm"),
    [(-1, 10, 0.1), (11, 10, 0.1), (0, 0, 0.1), (1, 2, 0.0), (1, 2, 1.0), (1, 2, float("nan"))],
)
def test_absurd_counts_are_refused(hits: int, trials: int, false_alarm: float) -> None:
    with pytest.raises(InvalidInput):
        chance(hits, trials=trials, false_alarm=false_alarm)


# What many draws prove ---------------------------------------------------------------------------

FALSE_ALARM = 1e-9
Release = Callable[[], Any]


def audited(one: Release, other: Release, claim: Any, *, trials: int = 6_000) -> LossFloor:
    return loss_floor(one, other, trials=trials, false_alarm=FALSE_ALARM / 4, claim=claim)


@statistical(false_alarm=FALSE_ALARM)
def test_noise_that_is_too_small_is_refuted_by_what_is_learnt() -> None:
    """Mutants: half the noise, and noise for one changed count where two change."""
    rng = np.random.default_rng(1)

    def laplace(value: float, scale: float) -> Release:
        return lambda: value + rng.laplace(scale=scale)

    def normal(value: float, sigma: float) -> Release:
        return lambda: value + rng.normal(scale=sigma)

    def counts(values: Sequence[int], scale: float) -> Release:
        return lambda: np.array(values) + rng.laplace(scale=scale, size=len(values))

    pure, gaussian, zcdp = PureDP(Fraction(1)), GDP(Fraction(1)), ZCDP(Fraction(1, 2))
    one, other = (5, 3, 9), (4, 4, 9)

    found = audited(laplace(0, 1), laplace(1, 1), pure)
    assert not found.exceeds
    assert 0.5 < found.epsilon <= 1
    assert audited(laplace(0, 0.5), laplace(1, 0.5), pure).exceeds

    found = audited(normal(0, 1), normal(1, 1), gaussian)
    assert not found.exceeds
    assert 0.6 < found.mu <= 1
    assert audited(normal(0, 0.5), normal(1, 0.5), gaussian).exceeds
    assert audited(normal(0, 0.5), normal(1, 0.5), zcdp).exceeds

    found = audited(counts(one, 2), counts(other, 2), pure)
    assert not found.exceeds
    assert found.epsilon > 0.3
    assert audited(counts(one, 1), counts(other, 1), pure).exceeds

    approximate = ApproxDP(epsilon=Fraction(1, 2), delta=Fraction(1, 5))
    assert not audited(normal(0, 1), normal(1, 1), approximate).exceeds
    assert audited(normal(0, 0.5), normal(1, 0.5), approximate).exceeds


def test_noise_that_is_not_drawn_again_is_refuted() -> None:
    noise = Random(1).gauss(0, 100)
    assert audited(lambda: noise, lambda: 1 + noise, PureDP(Fraction(3)), trials=1_000).exceeds


def noise_alone(seed: int) -> Release:
    rng = Random(seed)
    return lambda: rng.randrange(40)


@statistical(false_alarm=FALSE_ALARM)
def test_what_tells_nothing_is_hardly_ever_refuted() -> None:
    """At the level of 1/5, with claims of no loss at all. The mutant tests what it learnt from."""
    level, runs, trials = 0.2, 60, 400
    alarms = mutant = 0
    for seed in range(runs):
        one, other = noise_alone(2 * seed), noise_alone(2 * seed + 1)
        claim = PureDP(Fraction(0))
        alarms += loss_floor(one, other, trials=trials, false_alarm=level, claim=claim).exceeds
        pair = ([one() for _ in range(trials // 2)], [other() for _ in range(trials // 2)])
        events = [each.event for each in most_telling(pair, pair, false_alarm=level)]
        again = weighed(events, *pair, false_alarm=level)
        mutant += any(each.exceeds(claim) for each in again)
    assert excess_p_value(alarms, trials=runs, probability=level) > FALSE_ALARM
    assert excess_p_value(mutant, trials=runs, probability=level) < FALSE_ALARM


def letters(weights: Sequence[int], seed: int) -> Release:
    rng = Random(seed)
    return lambda: rng.choices("abc", weights)[0]


def test_values_that_are_no_numbers_and_given_events_are_found() -> None:
    found = audited(letters((8, 1, 1), 1), letters((1, 1, 8), 2), PureDP(Fraction(1)))
    assert found.exceeds
    assert found.tellings[0].event in ("release is a", "release is among a, b")

    rng = Random(3)

    def of_parity(parity: int) -> Release:
        return lambda: 2 * rng.randrange(10**9) + (parity ^ (rng.random() < 0.1))

    blind = loss_floor(of_parity(0), of_parity(1), trials=2_000, false_alarm=1e-6)
    seeing = loss_floor(
        of_parity(0),
        of_parity(1),
        trials=2_000,
        false_alarm=1e-6,
        events={"even": lambda number: number % 2 == 0},
    )
    assert blind.epsilon < 0.1
    assert seeing.epsilon > 1.5
    assert seeing.tellings[0].event == "even"


def test_numbers_of_any_kind_and_of_several_lengths_are_looked_at() -> None:
    rng = Random(4)
    oddities = [None, float("nan"), inf, 10**400, Fraction(1, 3), (1, 2), (10**400, 0), (), "x"]
    found = loss_floor(
        lambda: rng.choice(oddities), lambda: rng.choice(oddities), trials=400, false_alarm=1e-6
    )
    assert found.epsilon < 0.5
    far = loss_floor(lambda: [10**400, 1], lambda: [10**401, 1], trials=400, false_alarm=1e-6)
    assert far.epsilon > 2


def test_each_probability_of_each_event_has_an_equal_share_of_the_false_alarm() -> None:
    events = [Event(name=f"above {cut}", holds=cut.__lt__) for cut in (1, 5, 8)]
    found = weighed(events, range(10), range(5, 25), false_alarm=0.06)
    assert [each.hits for each in found] == [(8, 20), (4, 19), (1, 16)]
    for each in found:
        assert each.one == chance(each.hits[0], trials=10, false_alarm=0.01)
        assert each.other == chance(each.hits[1], trials=20, false_alarm=0.01)


def test_delta_takes_its_share_of_the_likely_event() -> None:
    ends = {"one": Chance(low=0.5, high=0.6), "other": Chance(low=0.05, high=0.1)}
    telling = Telling(event="it", trials=10, hits=(5, 1), **ends)
    assert telling.epsilon() == pytest.approx(log(5))
    assert telling.epsilon(delta=0.2) == pytest.approx(log(3))
    assert telling.epsilon(delta=0.95) == 0
    assert telling.mu == pytest.approx(1.2815515655446004)
    sure = {"one": Chance(low=0.0, high=1.0), "other": Chance(low=0.0, high=1.0)}
    assert Telling(event="it", trials=1, hits=(0, 1), **sure).mu == 0


def test_the_report_speaks_to_people_and_to_programs() -> None:
    found = audited(letters((8, 1, 1), 1), letters((1, 1, 8), 2), PureDP(Fraction(1)))
    told = json.loads(json.dumps(found.to_dict()))
    assert told["exceeds"] is True
    assert told["epsilon"] == found.epsilon
    assert told["events"][0]["hits"] == list(found.tellings[0].hits)
    assert f"ε ≥ {found.epsilon:.3f}" in str(found)
    assert "refuted" in str(found)
    silent = loss_floor(lambda: 1, lambda: 1, trials=20, false_alarm=0.1, delta=0.1)
    assert "at δ = 0.1" in str(silent)
    assert "claimed" not in str(silent)
    assert not silent.exceeds
    assert silent.to_dict()["claim"] is None


def test_absurd_audits_are_refused() -> None:
    def nothing() -> Any:
        return 0

    with pytest.raises(InvalidInput, match="trials"):
        loss_floor(nothing, nothing, trials=7, false_alarm=0.1)
    with pytest.raises(InvalidInput, match="false_alarm"):
        loss_floor(nothing, nothing, trials=8, false_alarm=0.0)
    with pytest.raises(InvalidInput, match="bounds a loss"):
        audited(nothing, nothing, Draws(Fraction(1)))
    with pytest.raises(InvalidInput, match="hashed"):
        loss_floor(dict, dict, trials=8, false_alarm=0.1)


def test_draws_of_the_two_inputs_take_turns_so_that_drift_tells_nothing() -> None:
    calls: list[int] = []

    def drifting() -> bool:
        """Happens ever more often, whatever the input."""
        calls.append(0)
        return len(calls) % 4000 > 2000

    found = loss_floor(
        drifting, drifting, trials=2000, false_alarm=1e-9, claim=PureDP(Fraction(1, 100))
    )

    assert len(calls) == 4000
    assert not found.exceeds


def test_whatever_is_true_counts_once() -> None:
    event: Event[int] = Event(name="some", holds=lambda release: cast(bool, release))

    (found,) = weighed([event], [0, 2, 3, 1], [0, 0, 1, 0], false_alarm=0.1)

    assert found.hits == (3, 1)

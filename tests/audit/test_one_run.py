"""The audit in one run: what guesses prove, and which mechanisms it sees through."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from math import exp, nan
from typing import Any

import pytest

from peekproof.audit.losses import OneRun, audit_one_run, in_two_cells, one_run_floor
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.gaussian import GaussianVector
from peekproof.mechanisms.laplace import LaplaceVector
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical
from peekproof.theory.conversion import gdp_to_approx
from peekproof.theory.one_run import any_guesses

FALSE_ALARM = 1e-9
RECORDS, OTHERS = 4_000, 30
ROWS = RECORDS * (2 * OTHERS + 1)

Counts = tuple[int, ...]


def responses(epsilon: float, *, seed: int) -> Callable[[Counts], list[int]]:
    """Randomised response, coin by coin."""
    rng = Seeded(seed)

    def run(coins: Counts) -> list[int]:
        lie = 1 / (1 + exp(epsilon))
        return [coin ^ (rng.bits(53) < lie * 2**53) for coin in coins]

    return run


def laplace_counts(epsilon: Fraction) -> LaplaceVector:
    """Moving a record from one cell into another changes two counts by one."""
    return LaplaceVector(
        rows=ROWS,
        cells=2 * RECORDS,
        sensitivity=2,
        scale=2 / (epsilon * ROWS),
        step=Fraction(1, 8 * ROWS),
    )


def audited(release: Callable[[Counts], Any], claim: PureDP | ApproxDP, *, seed: int) -> OneRun:
    return audit_one_run(
        in_two_cells(release, others=OTHERS),
        records=RECORDS,
        guesses=RECORDS // 4,
        false_alarm=FALSE_ALARM,
        rng=Seeded(seed),
        delta=claim.delta if isinstance(claim, ApproxDP) else Fraction(0),
        claim=claim,
    )


@statistical(false_alarm=FALSE_ALARM)
def test_responses_are_refuted_only_below_their_loss_and_nearly_up_to_it() -> None:
    """The bound is reached: of 40,000 coins it proves all but a tenth."""
    found = audit_one_run(
        responses(1.0, seed=1),
        records=40_000,
        guesses=40_000,
        false_alarm=FALSE_ALARM,
        rng=Seeded(2),
        claim=PureDP(Fraction(1)),
    )
    assert not found.exceeds
    assert 0.9 < found.epsilon <= 1
    # The mutant tells the truth as ε = 1.2 would.
    assert audit_one_run(
        responses(1.2, seed=1),
        records=40_000,
        guesses=40_000,
        false_alarm=FALSE_ALARM,
        rng=Seeded(2),
        claim=PureDP(Fraction(1)),
    ).exceeds


@statistical(false_alarm=FALSE_ALARM)
def test_its_false_alarms_are_as_rare_as_they_say() -> None:
    """At the level of 1/5 and at the exact loss. The mutant counts abstentions as right guesses."""
    level, runs, claim = 0.2, 200, PureDP(Fraction(1, 2))
    alarms = mutant = 0
    for seed in range(runs):
        found = audit_one_run(
            responses(0.5, seed=seed),
            records=60,
            guesses=40,
            false_alarm=level,
            rng=Seeded(10_000 + seed),
            claim=claim,
        )
        loss = ApproxDP(epsilon=claim.epsilon, delta=Fraction(0))
        mutant += any_guesses(right=found.right + 20, guesses=60, records=60, loss=loss) <= level
        alarms += found.exceeds
    assert excess_p_value(alarms, trials=runs, probability=level) > FALSE_ALARM
    assert alarms
    assert excess_p_value(mutant, trials=runs, probability=level) < FALSE_ALARM


@statistical(false_alarm=FALSE_ALARM)
def test_counts_behind_laplace_noise_keep_their_claim_and_wrong_ones_do_not() -> None:
    claim, rng = PureDP(Fraction(2)), Seeded(3)
    honest, half = laplace_counts(Fraction(2)), laplace_counts(Fraction(4))
    assert honest.cost() == claim

    def stuck(counts: Counts) -> list[Any]:
        """One draw of noise for all cells."""
        noise = rng.bits(8)
        return [count + noise for count in counts]

    found = audited(lambda counts: honest.release(Exact(counts), rng=rng), claim, seed=4)
    assert not found.exceeds
    assert 0.5 < found.epsilon <= 2
    # Noise for one changed count where two change, which is half the noise.
    assert audited(lambda counts: half.release(Exact(counts), rng=rng), claim, seed=4).exceeds
    assert audited(stuck, claim, seed=4).epsilon > 3


@statistical(false_alarm=FALSE_ALARM)
def test_counts_behind_gaussian_noise_keep_their_claim_and_wrong_ones_do_not() -> None:
    delta, rng = Fraction(1, 10**14), Seeded(5)

    def mechanism(sigma: Fraction) -> GaussianVector:
        return GaussianVector(
            rows=ROWS,
            sigma=sigma / ROWS,
            step=Fraction(1, 8 * ROWS),
            cells=2 * RECORDS,
            ball=Fraction(1),
        )

    honest, eighth = mechanism(Fraction(8)), mechanism(Fraction(1))
    claim = gdp_to_approx(honest.cost(), delta=delta)

    assert not audited(lambda c: honest.release(Exact(c), rng=rng), claim, seed=6).exceeds
    assert audited(lambda c: eighth.release(Exact(c), rng=rng), claim, seed=6).exceeds


def test_what_is_rejected_is_rejected_and_a_little_more_is_not() -> None:
    asked: dict[str, Any] = {"right": 180, "guesses": 200, "records": 300}
    floor = one_run_floor(false_alarm=1e-3, **asked).epsilon

    def p_value(epsilon: float) -> float:
        loss = ApproxDP(epsilon=Fraction(epsilon), delta=Fraction(0))
        return any_guesses(loss=loss, **asked)

    assert p_value(floor) <= 1e-3 < p_value(floor + 1e-9)


@pytest.mark.parametrize("right", [17, 19, 20])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 3000), Fraction(1, 400)])
def test_every_loss_below_a_floor_is_rejected_too(right: int, delta: Fraction) -> None:
    """Though with δ the p-value falls before it rises."""
    alarm = 0.02
    found = one_run_floor(right=right, guesses=20, records=30, false_alarm=alarm, delta=delta)
    p_values = [
        any_guesses(
            right=right,
            guesses=20,
            records=30,
            loss=ApproxDP(epsilon=Fraction(step, 20), delta=delta),
        )
        for step in range(200)
    ]

    below = sum(step / 20 <= found.epsilon for step in range(200)) if found.epsilon else 0
    assert [each <= alarm for each in p_values[:below]] == [True] * below
    if found.epsilon:
        assert min(p_values[below:]) > alarm
    else:
        assert p_values[0] > alarm


def test_guessing_nothing_or_no_better_than_coins_proves_nothing() -> None:
    for right, guesses in ((0, 0), (0, 100), (50, 100), (60, 100)):
        found = one_run_floor(right=right, guesses=guesses, records=100, false_alarm=1e-3)
        assert found.epsilon == 0
        assert not found.exceeds


def test_ties_are_broken_without_the_coins() -> None:
    """A mechanism that says nothing is guessed by the order of the records."""
    found = [
        audit_one_run(
            lambda coins: [0] * len(coins),
            records=100,
            guesses=100,
            false_alarm=1e-6,
            rng=Seeded(seed),
        ).right
        for seed in range(20)
    ]
    assert 30 < min(found) < max(found) < 70


def test_each_record_is_in_one_of_its_two_cells() -> None:
    seen: list[Counts] = []

    def release(counts: Counts) -> Counts:
        seen.append(counts)
        return counts

    assert in_two_cells(release, others=5)((1, 0, 0)) == [1, -1, -1]
    assert seen == [(6, 5, 5, 6, 5, 6)]


def test_the_report_speaks_to_people_and_to_programs() -> None:
    found = one_run_floor(
        right=90, guesses=100, records=200, false_alarm=1e-3, claim=PureDP(Fraction(1, 2))
    )
    told = json.loads(json.dumps(found.to_dict()))
    assert told["exceeds"] is True
    assert told["p_value"] <= 1e-3
    assert told["epsilon"] == found.epsilon > 1
    assert "90 of 100 guesses are right, of 200 records" in str(found)
    assert "refuted" in str(found)
    open_one = one_run_floor(right=90, guesses=100, records=200, false_alarm=1e-3)
    assert "claimed" not in str(open_one)
    assert open_one.to_dict()["claim"] is None


def test_absurd_audits_are_refused() -> None:
    runs = []

    def run(coins: Counts) -> Counts:
        runs.append(coins)
        return coins[1:]

    asked: dict[str, Any] = {"records": 10, "guesses": 4, "false_alarm": 0.1, "rng": Seeded(1)}
    for wrong in ({"guesses": 3}, {"guesses": 12}, {"guesses": 0}, {"claim": GDP(Fraction(1))}):
        with pytest.raises(InvalidInput):
            audit_one_run(run, **(asked | wrong))
    assert not runs
    with pytest.raises(InvalidInput, match="10 scores"):
        audit_one_run(run, **asked)
    with pytest.raises(InvalidInput, match="false_alarm"):
        one_run_floor(right=1, guesses=1, records=1, false_alarm=1.0)


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="run must be scores that are numbers, got NaN"):
        audit_one_run(
            lambda coins: [nan] * len(coins),
            records=10,
            guesses=4,
            false_alarm=0.1,
            rng=Seeded(1),
        )

"""The monitor: what it picks, what it allows, and that it catches who lies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import e
from statistics import NormalDist
from typing import final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.voting import Claims, Voting
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.evidence import chance
from peekproof.audit.monitor import (
    Candidate,
    MonitorReport,
    answered,
    hold,
    monitor,
    picked,
    picked_by_answers,
)
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.controls import HALF_NOISE, HONEST
from peekproof.audit.opponents.protocol import Loss, Promise, Reply, Terms
from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import BudgetExhausted, InvalidInput, VacuousPlan
from peekproof.testing.statistics import statistical
from peekproof.theory.generalization.drift import mean_gaussian_drift, pure_drift

CONFIDENCE = Fraction(19, 20)
ANALYST = Voting(rows=8, features=32)
EVERY, ANSWERS, SCORES, ERRORS = (
    "every conversation", "pick by answers", "pick by scores", "error of answers",
)  # fmt: skip
shares = st.fractions(0, 1, max_denominator=100)
candidates = st.builds(
    Candidate, sample=shares, truth=shares, told=st.none() | st.floats(-0.5, 1.5)
)


def watch(setup: Claims, *, repeats: int, level: float) -> MonitorReport:
    return monitor(setup, ANALYST, samples=3, repeats=repeats, level=level, epsilon=Fraction(1))


@statistical(false_alarm=1e-9)
def test_honest_noise_passes_and_half_of_it_is_flagged() -> None:
    honest, lying = (
        watch(Claims(part=part), repeats=240, level=1e-9) for part in (Fraction(1), Fraction(1, 2))
    )

    assert not honest.flagged
    assert lying.flagged
    assert lying[EVERY].flagged
    # About 0.27μ is allowed; Φ(μ/2) − ½ is forced, and Φ(μ) − ½ with half of the noise.
    assert honest[EVERY].allowances[1].most == pytest.approx(0.159, abs=0.001)
    assert honest[EVERY].low < NormalDist().cdf(0.6 / 2) - 0.5 < honest[EVERY].high
    assert lying[EVERY].low < NormalDist().cdf(0.6) - 0.5 < lying[EVERY].high


def test_measures_are_beside_the_allowances_that_apply_to_them() -> None:
    report = watch(Claims(), repeats=4, level=0.01)
    loss = report.loss
    assert isinstance(loss, GDP)

    assert [each.name for each in report.measures] == [EVERY, ANSWERS, SCORES, ERRORS]
    assert [each.count for each in report.measures] == [12, 4, 4, 12]
    named = [[allowed.theorem for allowed in each.allowances] for each in report.measures]
    assert named == [
        ["T-monitor", "T-monitor-drift"],
        ["T-monitor", "T-monitor-drift"],
        ["T-monitor", "T-monitor-drift-choice"],
        [],
    ]
    assert report[EVERY].allowances[1].most == mean_gaussian_drift(loss)
    most = [each.allowance.most for each in report.measures if each.allowance]
    assert most == sorted(most)
    for each in report.measures:
        assert each.low <= each.estimate <= each.high
        assert not each.flagged


@pytest.mark.parametrize("claim", [PureDP(Fraction(1, 2)), GDP(Fraction(1, 100))])
def test_a_claim_can_be_put_in_the_place_of_the_opponents(claim: Loss) -> None:
    setup = replace(Claims(), part=Fraction(1, 100))
    report = monitor(setup, ANALYST, samples=2, repeats=30, claim=claim)

    assert report.loss == claim
    assert report.flagged
    allowed = {each.theorem: each.most for each in report[SCORES].allowances}
    if isinstance(claim, PureDP):
        assert allowed["T-drift-pure"] == pure_drift(PureDP(claim.epsilon + Fraction(1, 10)))
        assert report[EVERY].allowances[1].most == pure_drift(claim)
    else:
        assert allowed["T-monitor-drift-choice"] < 0.1


@final
class Boasting:
    """Answers 1 to everything, and promises to be within a radius of the truth."""

    promise = Promise(radius=0.1)

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        return Reply(1.0, 0.9, 1.0)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return truths[-1]

    def close(self) -> None: ...


@final
@dataclass(frozen=True)
class Boaster:
    name: str = "boaster"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Boasting:
        return Boasting()


def test_answers_that_are_further_off_than_promised_are_flagged() -> None:
    report = monitor(Boaster(), ANALYST, samples=2, repeats=20)

    assert report.loss is None
    assert [each.name for each in report.measures if each.flagged] == [ERRORS]
    assert report[ERRORS].estimate == 0.5
    (allowed,) = report[ERRORS].allowances
    assert allowed.most == pytest.approx(0.15)


def test_a_radius_may_be_missed_as_often_as_it_says() -> None:
    errors = [0.1] * 95 + [1.0] * 5
    found = answered(errors, radius=0.1, confidence=CONFIDENCE, level=0.01)

    assert found.estimate < 0.15
    assert not found.flagged


@final
class Silent:
    """Refuses everything."""

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        raise BudgetExhausted(asked=1, remaining=0, questions=1)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return truths[-1]

    def close(self) -> None: ...


@final
@dataclass(frozen=True)
class Silence:
    name: str = "silence"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Silent:
        return Silent()


def test_who_refuses_everything_errs_in_nothing() -> None:
    held = hold(Silence(), ANALYST, confidence=CONFIDENCE, seed=1)
    report = monitor(Silence(), ANALYST, samples=2, repeats=5)

    assert (held.error, held.candidate.told, held.candidate.deceit) == (0.0, None, 0.0)
    assert held.promise == Promise()
    assert report[ERRORS].estimate == 0
    assert "claims nothing" in report.verdict


def test_a_score_of_a_mean_is_in_shares_of_its_span() -> None:
    """Digits are packed into the last places of a mean, so its width matters."""
    held = hold(
        OPPONENTS["plain"], Digits.sized(rows=50, questions=10), confidence=CONFIDENCE, seed=3
    )

    assert 0 <= held.candidate.truth <= 1
    assert 0 <= held.candidate.sample <= 1
    assert held.candidate.told == pytest.approx(float(held.candidate.sample), abs=1e-6)


def test_an_opponent_that_would_say_nothing_is_refused() -> None:
    with pytest.raises(VacuousPlan):
        monitor(OPPONENTS["gaussian"], ANALYST, samples=1, repeats=1)


def test_an_attack_that_does_not_apply_is_refused() -> None:
    with pytest.raises(InvalidInput, match="ladder"):
        monitor(OPPONENTS["ladder"], Digits.sized(rows=50, questions=10), samples=1, repeats=1)


def test_a_seed_repeats_everything_and_another_repeats_nothing() -> None:
    one, again, other = (
        monitor(Claims(), ANALYST, samples=2, repeats=3, seed=seed).to_dict() for seed in (1, 1, 2)
    )

    assert one == again
    assert one["measures"] != other["measures"]


def test_progress_counts_conversations() -> None:
    seen: list[int] = []
    monitor(Claims(), ANALYST, samples=2, repeats=3, progress=seen.append)

    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("samples", 0),
        ("repeats", 0),
        ("epsilon", Fraction(0)),
        ("level", 1.5),
        ("claim", ZCDP(Fraction(1, 10))),
        ("claim", ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 100))),
    ],
)
def test_what_cannot_be_done_is_refused_first(name: str, value: object) -> None:
    held: list[int] = []
    with pytest.raises(InvalidInput, match=name):
        monitor(Claims(), ANALYST, progress=held.append, **{name: value})  # type: ignore[arg-type]
    assert not held


def test_who_claims_to_lose_nothing_is_allowed_what_the_pick_adds() -> None:
    report = monitor(Claims(), ANALYST, samples=2, repeats=2, claim=GDP(Fraction(0)))

    allowed = [each.allowance and each.allowance.most for each in report.measures]
    assert allowed == [0, 0, pure_drift(PureDP(Fraction(1, 10))), None]


def test_a_report_is_a_table_for_people_and_json_for_programs() -> None:
    report = monitor(HALF_NOISE, Correlation(rows=10, features=9), samples=2, repeats=2)
    lines = str(report).splitlines()

    assert lines[0].split() == ["overfitting", "mean", "between", "allowed", "by", "verdict"]
    assert [line.split("  ")[0] for line in lines[1:5]] == [EVERY, ANSWERS, SCORES, ERRORS]
    assert lines[4].endswith("nothing claimed")
    assert lines[5] == "No sign that half-noise overfits more than it claims to allow."
    described = json.loads(json.dumps(report.to_dict()))
    assert described["claim"] == {"mu_squared": 0.36}
    assert described["measures"][0]["allowances"].keys() == {"T-monitor", "T-monitor-drift"}
    assert described["flagged"] is False


@given(one=candidates)
@settings(max_examples=40)
def test_a_question_and_its_complement_have_opposite_scores(one: Candidate) -> None:
    other = one.complement

    assert other.score == -one.score
    assert other.deceit == pytest.approx(-one.deceit)
    for each in (one, other):
        assert -0.5 <= each.overfit <= 1
        shrunk = each.score / (2 * each.truth) if each.truth > Fraction(1, 2) else each.score
        assert each.overfit == float(shrunk)


@given(group=st.lists(candidates, min_size=1, max_size=5))
@settings(max_examples=25)
def test_an_eager_pick_is_the_best_and_a_pick_by_answers_the_most_deceived(
    group: list[Candidate],
) -> None:
    chosen = picked(group, rows=10**6, epsilon=Fraction(10**4), seed=1)
    told = picked_by_answers(group)

    assert chosen.score == max(abs(each.score) for each in group)
    assert told.deceit == max(max(each.deceit, each.complement.deceit) for each in group)


@statistical(false_alarm=1e-9)
def test_a_pick_follows_the_law_of_the_exponential_mechanism() -> None:
    """With ε′n·score/2 = ½ for the better of two, it has odds of e to 1: not e² to 1, not even."""
    group = [Candidate(sample=Fraction(3, 4), truth=Fraction(1, 2), told=None)]
    good = sum(
        picked(group, rows=4, epsilon=Fraction(1), seed=seed).score > 0 for seed in range(800)
    )

    found = chance(good, trials=800, false_alarm=1e-9)

    assert found.low <= e / (1 + e) <= found.high
    assert found.low > 0.5
    assert found.high < e**2 / (1 + e**2)


def test_honest_noise_draws_what_it_claims_and_the_liar_half_of_it() -> None:
    columns = Correlation(rows=10, features=9).data(np.random.default_rng(0))
    terms = Terms(confidence=CONFIDENCE, questions=10, seed=1)
    for setup, part in ((HONEST, 1.0), (HALF_NOISE, 0.5)):
        opponent = setup.open(columns, terms=terms)
        reply = opponent.reply("x0 = y")
        deviations = 2.807  # of a normal at 1 − 0.05/20
        sigma = 10**0.5 / (10 * 0.6)

        assert opponent.promise.loss == GDP(Fraction(9, 25))
        assert reply.radius == pytest.approx(part * deviations * sigma, rel=1e-3)


def test_a_claim_is_a_loss_and_a_measure_has_a_name() -> None:
    analyst = Correlation(rows=10, features=3)
    with pytest.raises(InvalidInput, match="claim must be GDP or PureDP, got 'much'"):
        monitor(HONEST, analyst, samples=1, repeats=1, claim="much")  # type: ignore[arg-type]
    report = monitor(HONEST, analyst, samples=1, repeats=1)
    with pytest.raises(InvalidInput, match="one of every conversation, pick by answers"):
        report["nothing"]

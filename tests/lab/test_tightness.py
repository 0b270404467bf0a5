"""How much of an interval is necessary: the estimate, the attacks, and what they find out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from math import comb, sqrt
from statistics import NormalDist, fmean

import numpy as np
import pytest

import peekproof
from lab.forcing.coins import Coins, odd
from lab.forcing.exact import Edges
from lab.forcing.routes import Route, routes
from lab.forcing.voting import Steady, Voting, deviation, predicted_error
from lab.tightness import (
    Finding,
    Tightness,
    Worst,
    surely_below,
    tightness,
    used,
    worst,
)
from peekproof.audit.analysts.correlation import agreement, leanings, predicted_share
from peekproof.audit.analysts.populations import HALF, LABEL, draw_columns, names, odd_vote
from peekproof.audit.evidence import excess_p_value
from peekproof.audit.fight import Claim
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.certificate import Interval, Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Entropy, Seeded
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9
ROWS, QUESTIONS = 400, 12
TARGET = Target(confidence=Fraction(19, 20), questions=QUESTIONS)


def told(value: float, low: float, high: float, truth: float) -> Claim:
    return Claim(reply=Reply(value, low, high), truth=Fraction(truth))


@cache
def all_routes(rows: int, target: Target) -> tuple[Route, ...]:
    return routes(rows=rows, target=target)


def route(name: str) -> Route:
    return next(each for each in all_routes(ROWS, TARGET) if each.name == name)


def test_what_is_used_of_an_interval_is_measured_towards_the_truth() -> None:
    claims = [
        told(0.5, 0.25, 0.625, 0.5),
        told(0.5, 0.25, 0.625, 0.375),
        told(0.5, 0.25, 0.625, 0.59375),
        told(0.5, 0.25, 0.625, 0.75),
    ]

    assert [used(claim) for claim in claims] == [0, 0.5, 0.75, 2]
    assert [used(claim) > 1 for claim in claims] == [not claim.holds for claim in claims]
    assert used(told(0.5, 0.5, 0.5, 0.75)) == float("inf")
    assert worst(claims[:3]) == Worst(0.75, 0.09375)
    assert worst([]) == Worst(0.0, 0.0)


@pytest.mark.parametrize(("size", "quantile"), [(20, 0.95), (60, 0.95), (200, 0.95), (100, 0.5)])
def test_the_lower_end_is_the_largest_order_statistic_that_is_rarely_above(
    size: int, quantile: float
) -> None:
    """Against the binomial law in whole numbers."""
    p = Fraction(quantile).limit_denominator(100)

    def below(rank: int) -> Fraction:
        """The chance that at least `rank` draws are at or below the quantile."""
        return sum(
            (comb(size, i) * p**i * (1 - p) ** (size - i) for i in range(rank, size + 1)),
            Fraction(0),
        )

    rank = surely_below(size, quantile=p)
    assert below(rank) >= Fraction(19, 20) > below(rank + 1)


def test_nothing_is_certain_of_a_few_draws() -> None:
    assert surely_below(2, quantile=Fraction(1, 100)) == 0
    lone = Tightness(
        route=route("gaussian"),
        attack=route("gaussian").attacks[0],
        target=Target(confidence=Fraction(1, 100), questions=2),
        rows=ROWS,
        forced=(Worst(0.0, 0.0), Worst(0.5, 0.1)),
    )
    assert lone.necessary_at_least == 0
    assert lone.finding.ratio == lone.finding.ratio_at_most == float("inf")


def test_a_finding_tells_the_quantile_and_the_interval_it_was_found_in() -> None:
    chosen = route("gaussian")
    forced = tuple(Worst(number / 100, number / 1000) for number in range(1, 61))
    found = Tightness(
        route=chosen, attack=chosen.attacks[0], target=TARGET, rows=ROWS, forced=forced
    ).finding

    assert (found.necessary, found.forced, found.repetitions) == (0.57, 0.057, 60)
    assert found.radius == pytest.approx(0.1)
    assert found.ratio == pytest.approx(found.radius / found.forced) == pytest.approx(1 / 0.57)
    assert found.necessary_at_least == 0.54
    assert found.ratio_at_most > found.ratio


def test_too_few_repetitions_are_refused() -> None:
    with pytest.raises(InvalidInput, match="repetitions must be at least 20"):
        tightness([], rows=ROWS, target=TARGET, repetitions=19, seed=1)


def test_coins_are_counted_and_vote_as_written_out() -> None:
    coins = Coins(70, rows=45, rng=np.random.default_rng(3))
    packed = np.random.default_rng(3).integers(0, 256, (70, 6), dtype=np.uint8)
    heads = np.unpackbits(packed, axis=1, count=45).astype(int)
    weights = odd(list(range(-30, 40)))
    some = np.arange(45) % 3 == 0

    assert coins.counts(70) == heads.sum(axis=1).tolist()
    assert coins.counts(5, among=some) == heads[:5, some].sum(axis=1).tolist()
    signs = 2 * heads - 1
    margins = [int(np.array(weights) @ row) for row in signs.T]
    assert coins.won(weights).tolist() == [margin > 0 for margin in margins]
    assert sum(weights) % 2 == 1
    assert 0 not in margins


@statistical(false_alarm=4 * FALSE_ALARM)
def test_votes_lean_as_the_closed_form_says() -> None:
    """Φ(√(m/n)/√(1 + 4nσ²)) − ½, seen in the answers to a vote; without σ it is refuted."""
    rows, learnt, repetitions = 1_000, 100, 40
    chosen = plan(rows=rows, target=replace(TARGET, questions=learnt + 1), mechanisms=(Gaussian,))
    mechanism = chosen.mechanism
    assert isinstance(mechanism, Gaussian)
    attack = Voting(
        answering=Steady(mechanism, chosen.certificate.interval),
        questions=learnt + 1,
        learnt=learnt,
    )
    leans = []
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        coins = Coins(learnt, rows=rows, rng=rng)
        *_, last = attack.play(coins, rng=rng, noise=Seeded(seed))
        leans.append(last.reply.value - 0.5)
    # A count of rows that vote alike scatters no more than one of independent rows.
    spread = sqrt((1 / (4 * rows) + float(mechanism.sigma) ** 2) / repetitions)
    allowed = -NormalDist().inv_cdf(FALSE_ALARM) * spread
    sigma = deviation(mechanism)
    predicted = predicted_share(rows=rows, questions=learnt, sigma=sigma) - 0.5
    assert abs(fmean(leans) - predicted) < allowed
    assert abs(fmean(leans) - (predicted_share(rows=rows, questions=learnt) - 0.5)) > allowed
    assert fmean(leans) > allowed


def test_the_best_number_of_agreements_is_found_among_all() -> None:
    chosen = route("gaussian").attacks[0]
    assert isinstance(chosen, Voting)
    mechanism, _ = chosen.answering.at(1)
    errors = [
        predicted_error(mechanism, rows=ROWS, target=TARGET, learnt=m) for m in range(1, QUESTIONS)
    ]

    assert errors[chosen.learnt - 1] == max(errors)
    assert 1 < chosen.learnt < QUESTIONS - 1
    assert chosen.name == f"{chosen.learnt} agreements, {QUESTIONS - chosen.learnt} votes"


def certified() -> list[Route]:
    """All routes that certify, with three of the bold attacks in place of all."""
    found = [each for each in all_routes(ROWS, TARGET) if each.ours]
    return [replace(each, attacks=each.attacks[4:15:5] or each.attacks) for each in found]


@statistical(false_alarm=12 * FALSE_ALARM)
def test_no_attack_makes_an_honest_interval_miss_more_often_than_it_may() -> None:
    """That they find out others is shown below; here each attack gets somewhere."""
    repetitions, beta = 60, float(TARGET.beta)
    attacked = certified()
    assert {each.name for each in attacked} >= {
        "gaussian", "truncation", "fresh-rows", "fresh-rows-in-rounds", "checking",
        "limited-checking", "ladder",
    }  # fmt: skip
    for each in tightness(attacked, rows=ROWS, target=TARGET, repetitions=repetitions, seed=4):
        missed = sum(claim.used > 1 for claim in each.forced)
        assert excess_p_value(missed, trials=repetitions, probability=beta) > FALSE_ALARM, each
        assert each.necessary_at_least > 0.1, each.route.name


@dataclass(frozen=True)
class Shrunk:
    """The same answers with intervals made narrower around them."""

    inner: Voting
    factor: float
    name: str = "shrunk"

    @property
    def features(self) -> int:
        return self.inner.features

    def play(self, coins: Coins, *, rng: np.random.Generator, noise: Entropy) -> Iterator[Claim]:
        for claim in self.inner.play(coins, rng=rng, noise=noise):
            value, low, high = claim.reply.value, claim.reply.low, claim.reply.high
            narrow = Reply(
                value, value - self.factor * (value - low), value + self.factor * (high - value)
            )
            yield Claim(reply=narrow, truth=claim.truth)


@statistical(false_alarm=2 * FALSE_ALARM)
def test_a_certificate_below_the_forced_error_is_found_out() -> None:
    """Noise with intervals of 0.35 of the certified: what is necessary is half as much again."""
    honest = route("gaussian")
    (attack,) = honest.attacks
    assert isinstance(attack, Voting)
    mutant = replace(honest, name="mutant", attacks=(Shrunk(attack, 0.35),))
    repetitions, beta = 150, float(TARGET.beta)
    good, bad = tightness(
        [honest, mutant], rows=ROWS, target=TARGET, repetitions=repetitions, seed=9
    )

    missed = [sum(claim.used > 1 for claim in each.forced) for each in (good, bad)]
    chances = [excess_p_value(m, trials=repetitions, probability=beta) for m in missed]
    assert chances[0] > FALSE_ALARM > chances[1]
    assert bad.necessary_at_least > 1
    assert bad.finding.ratio < 1 < good.finding.ratio_at_most


def test_the_choice_between_attacks_is_made_on_other_samples() -> None:
    checking = route("checking")
    few = replace(checking, attacks=checking.attacks[::10])
    (first,) = tightness([few], rows=ROWS, target=TARGET, repetitions=40, seed=1)
    (again,) = tightness([few], rows=ROWS, target=TARGET, repetitions=40, seed=1)
    (alone,) = tightness(
        [replace(few, attacks=(first.attack,))], rows=ROWS, target=TARGET, repetitions=40, seed=1
    )

    assert first == again
    assert alone.forced == first.forced


def test_votes_in_other_words_are_new_questions_to_a_session() -> None:
    """What the attack relies on: each wording is answered with noise of its own."""
    rng = np.random.default_rng(2)
    features = names(3)
    with peekproof.open(
        draw_columns(3, rows=ROWS, rng=rng),
        questions=8,
        mechanisms=[Gaussian],
        entropy=Seeded(1),
        ledger=":memory:",
    ) as session:
        shares = [session.ask(agreement(each, LABEL)).value for each in features]
        weights = leanings(shares)
        votes = [odd_vote(features, [w + 2 * turn for w in weights]) for turn in range(3)]
        answers = [session.ask(vote) for vote in votes]

    assert len({answer.released for answer in answers}) == 3
    assert all(0.5 in answer for answer in answers)


def test_edges_teach_bits_where_the_number_of_bins_is_odd_and_where_it_is_even() -> None:
    """On either, sides of an edge are told, and the vote of what they told leans upwards."""
    seen = set()
    for questions in (5, 6, 8, 12):
        target = replace(TARGET, questions=questions)
        chosen = plan(rows=2_000, target=target, mechanisms=(Truncation,))
        assert isinstance(chosen.mechanism, Truncation)
        allows = chosen.certificate.interval
        attack = Edges(mechanism=chosen.mechanism, target=target, allows=allows)
        bins = chosen.mechanism.bins
        seen.add(bins % 2)
        rng = np.random.default_rng(questions)
        *agreements, vote = attack.play(
            Coins(questions - 1, rows=2_000, rng=rng), rng=rng, noise=Seeded(1)
        )
        for claim in agreements:
            assert (claim.truth * bins).denominator == 1
            assert 0.4 / bins < claim.error < 4.6 / bins
        assert vote.error > 0.4 / bins
    assert seen == {0, 1}


def test_published_theorems_are_attacked_at_the_noise_they_choose() -> None:
    found = {each.name: each for each in all_routes(10_000, TARGET)}
    wider = found["Gaussian noise, joint posterior"]
    (attack,) = wider.attacks
    assert isinstance(attack, Voting)
    mechanism, allows = attack.answering.at(1)

    assert not wider.ours
    assert found["gaussian"].ours
    assert wider.radius > found["gaussian"].radius
    assert isinstance(mechanism, Gaussian)
    assert allows(HALF) == Interval.around(HALF, radius=wider.radius)
    assert "Gaussian noise, our certificate" not in found
    assert found[FreshRows.kind].radius < 0.5


def test_a_finding_can_be_written_down_and_read_again() -> None:
    (each,) = tightness([route("fresh-rows")], rows=ROWS, target=TARGET, repetitions=20, seed=1)

    assert Finding(**asdict(each.finding)) == each.finding

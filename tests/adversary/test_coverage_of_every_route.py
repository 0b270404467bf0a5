"""Every way to answer, under attack: how often does any interval miss a known population?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import peekproof
from adversary.attacks import (
    Attack,
    Told,
    boosting,
    climbing,
    correlation,
    draw_sample,
    one_question,
    own_radii,
    rare_shares,
    rebuilding,
)
from peekproof.data.table import Table
from peekproof.mechanisms.base import Mechanism
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical
from sizes import sized

FALSE_ALARM = 1e-9


@dataclass(frozen=True)
class Fight:
    route: type[Mechanism]
    attack: Attack
    rows: int
    questions: int
    sessions: int
    confidence: float = 0.95


def misses(told: Told) -> bool:
    return any(truth not in answer for answer, truth in told)


def halved_misses(told: Told) -> bool:
    """The mutant: a certificate shrunk by 2. An end at 0 or 1 is no claim, and stays."""
    for answer, truth in told:
        whole = answer.interval
        low = (answer.value + whole.low) / 2 if whole.low > 0 else 0.0
        high = (answer.value + whole.high) / 2 if whole.high < 1 else 1.0
        if not low <= truth <= high:
            return True
    return False


def missed(fight: Fight) -> tuple[int, int]:
    """In how many sessions an interval misses, and in how many a halved one does."""
    rng = np.random.default_rng(5)
    honest = halved = 0
    for number in range(fight.sessions):
        with peekproof.open(
            draw_sample(fight.rows, fight.questions, rng),
            confidence=fight.confidence,
            questions=fight.questions,
            mechanisms=[fight.route],
            entropy=Seeded(number),
            ledger=":memory:",
        ) as session:
            told = fight.attack(session)
        honest += misses(told)
        halved += halved_misses(told)
    return honest, halved


def p_value(hits: int, fight: Fight) -> float:
    return excess_p_value(hits, trials=fight.sessions, probability=1 - fight.confidence)


@statistical(false_alarm=11 * FALSE_ALARM)
def test_no_attack_makes_a_route_miss_more_often_than_it_promises() -> None:
    """Halved intervals survive these on noise and truncation, where the theorems are loose.

    At the level 0.95, errors of the attacks reach about 0.52 of the radius for noise and 0.43 of
    it for truncation (climbing), so a factor of 1.9 and 2.3 is not used. In 60 sessions a route
    that misses in 4 of 10 is caught, in 200 one that misses in 1 of 4.
    """
    often, oftener = sized(60, full=200), sized(60, full=300)
    routes = (Gaussian, Truncation, FreshRows)
    fights = [
        *(Fight(route, correlation, 300, 12, often) for route in routes),
        *(Fight(route, boosting, 300, 12, often) for route in routes),
        *(Fight(route, rare_shares, 300, 6, oftener) for route in routes),
        Fight(Truncation, climbing, 300, 12, oftener),
        Fight(Gaussian, own_radii, 300, 12, oftener),
    ]
    for fight in fights:
        assert p_value(missed(fight)[0], fight) > FALSE_ALARM, fight


@statistical(false_alarm=4 * FALSE_ALARM)
def test_halved_intervals_are_caught_on_every_route() -> None:
    for fight in (
        Fight(Gaussian, one_question, 200, 1, sized(1500, full=2500), confidence=0.99),
        Fight(Truncation, one_question, 200, 1, 300, confidence=0.99),
        Fight(FreshRows, one_question, 200, 1, 300, confidence=0.99),
        Fight(FreshRows, rebuilding, 300, 6, sized(50, full=150)),
    ):
        honest, halved = missed(fight)
        assert p_value(honest, fight) > FALSE_ALARM, fight
        assert p_value(halved, fight) < FALSE_ALARM, fight


@statistical(false_alarm=FALSE_ALARM)
def test_fresh_rows_that_never_move_on_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: all questions are counted on the first part."""
    part, batch = Table.totals_part, Table.totals_round

    def stuck(self, questions, *, first, parts, key):  # type: ignore[no-untyped-def]
        return [part(self, [each], first=0, parts=parts, key=key)[0] for each in questions]

    def stuck_batch(self, questions, *, number, rounds, key):  # type: ignore[no-untyped-def]
        return batch(self, questions, number=0, rounds=rounds, key=key)

    fight = Fight(FreshRows, correlation, 400, 20, sized(40, full=100))
    assert p_value(missed(fight)[0], fight) > FALSE_ALARM
    monkeypatch.setattr(Table, "totals_part", stuck)
    monkeypatch.setattr(Table, "totals_round", stuck_batch)
    fight = replace(fight, sessions=100)
    assert p_value(missed(fight)[0], fight) < FALSE_ALARM


def test_fresh_rows_hold_when_rows_are_equal() -> None:
    """A single true/false column has two kinds of rows; a part must hold both."""
    rng = np.random.default_rng(1)
    for number in range(20):
        data = {"b": rng.integers(0, 2, 2000) > 0}
        with peekproof.open(
            data, questions=5, mechanisms=[FreshRows], entropy=Seeded(number), ledger=":memory:"
        ) as session:
            assert 0.5 in session.ask("b")

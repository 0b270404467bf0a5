"""How often all intervals of a conversation hold, and who is found to promise too much."""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from audit.cheats import HONEST, ONCE, Coin, halved
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.coverage import coverage
from peekproof.audit.exploration import Exploring, Questions
from peekproof.audit.opponents.controls import Plain
from peekproof.audit.opponents.ladder import Climbed
from peekproof.audit.opponents.protocol import Reply
from peekproof.audit.opponents.sessions import Custom, Planned
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9


class Saying:
    """Always the same reply."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def ask(self, question: str) -> Reply:
        return self._reply


def saying(low: float, high: float) -> Custom:
    return Custom("saying", lambda columns, terms: Saying(Reply(0.5, low, high)))


@statistical(false_alarm=FALSE_ALARM)
def test_honest_intervals_keep_the_promise_that_halved_ones_break() -> None:
    kept, broken = (
        coverage(setup, ONCE, runs=runs, confidence=0.99, false_alarm=FALSE_ALARM)
        for setup, runs in ((HONEST, 50), (halved(HONEST), 150))
    )

    assert kept.keeps_its_promise
    assert kept.chance.high > 0.99
    assert not broken.keeps_its_promise
    assert broken.chance.high < 1
    assert broken.mean_radius == pytest.approx(kept.mean_radius / 2, rel=0.01)
    assert kept.largest_error < kept.mean_radius
    assert broken.largest_error > broken.largest_radius


@statistical(false_alarm=2 * FALSE_ALARM)
def test_textbook_intervals_hold_for_one_question_and_break_for_adaptive_ones() -> None:
    once = coverage(Plain(), ONCE, runs=100, confidence=0.9, false_alarm=FALSE_ALARM)
    attack = Correlation.sized(rows=200, questions=20)
    adaptive = coverage(Plain(), attack, runs=40, false_alarm=FALSE_ALARM)

    assert once.keeps_its_promise
    assert not adaptive.keeps_its_promise


def test_all_intervals_of_a_run_count_as_one() -> None:
    """Half of the questions are missed in every run: no run holds."""

    def both(rng: np.random.Generator) -> Questions:
        yield "x"
        yield "x"

    class Second:
        asked = 0

        def ask(self, question: str) -> Reply:
            self.asked += 1
            return Reply(0.5, 0.4, 0.6) if self.asked % 2 else Reply(0.9, 0.8, 1.0)

    analyst = Exploring(population=Coin(), strategy=both, rows=2, questions=2)
    found = coverage(Custom("second", lambda columns, terms: Second()), analyst, runs=5)

    assert (found.runs, found.held, found.missed, found.intervals) == (5, 0, 5, 10)
    assert found.share == 0


def test_refusals_are_counted_apart() -> None:
    found = coverage(Planned(), Correlation.sized(rows=10, questions=5), runs=4)

    assert (found.held, found.missed, found.refused, found.unanswered) == (0, 0, 4, 20)
    assert "claims nothing" in str(found)


def test_runs_that_are_refused_are_no_misses_of_those_that_are_not() -> None:
    class Choosy:
        def ask(self, question: str) -> Reply:
            raise BudgetExhausted(asked=1, remaining=0, questions=1)

    opened = []

    def make(columns: object, terms: object) -> Choosy | Saying:
        opened.append(terms)
        return Choosy() if len(opened) % 3 else Saying(Reply(0.9, 0.8, 1.0))

    found = coverage(Custom("choosy", make), ONCE, runs=6)

    assert (found.held, found.missed, found.refused, found.unanswered) == (0, 2, 4, 4)


def test_intervals_that_say_nothing_are_seen_by_their_radius() -> None:
    found = coverage(saying(-inf, inf), ONCE, runs=3)

    assert found.keeps_its_promise
    assert found.largest_radius == found.mean_radius == inf


@pytest.mark.parametrize("ends", [(nan, nan), (0.6, 0.4), (0.51, inf)])
def test_intervals_without_the_truth_miss(ends: tuple[float, float]) -> None:
    assert coverage(saying(*ends), ONCE, runs=3).missed == 3


def test_results_are_the_same_for_any_number_of_workers() -> None:
    analyst = Correlation.sized(rows=100, questions=5)
    one, two = (coverage(Plain(), analyst, runs=4, seed=3, workers=each) for each in (1, 2))

    assert one == two


def test_what_cannot_be_sent_to_workers_is_refused() -> None:
    with pytest.raises(InvalidInput, match="another process"):
        coverage(saying(0, 1), ONCE, runs=2, workers=2)


def test_runs_are_different_samples_and_seeds_other_runs() -> None:
    class Sample:
        def __init__(self, columns: dict[str, np.ndarray]) -> None:
            seen.append(columns["x"].tobytes())

        def ask(self, question: str) -> Reply:
            return Reply(0.5, 0, 1)

    seen: list[bytes] = []
    setup = Custom("sample", lambda columns, terms: Sample(columns))
    for seed in (0, 1, 0):
        coverage(setup, ONCE, runs=3, seed=seed)

    assert len(set(seen)) == 6
    assert seen[:3] == seen[6:]


def test_what_an_opponent_does_not_answer_is_no_evidence() -> None:
    def mean(rng: np.random.Generator) -> Questions:
        yield "mean(if(x, 1, 0), 0, 1)"

    analyst = Exploring(population=Coin(), strategy=mean, rows=100, questions=1)
    with pytest.raises(InvalidInput, match="one that asks what ladder answers"):
        coverage(Climbed(), analyst, runs=1)


def test_progress_is_told_and_the_report_can_be_kept() -> None:
    done: list[int] = []
    found = coverage(saying(0.4, 0.6), ONCE, runs=3, progress=done.append)

    assert done == [1, 2, 3]
    assert json.loads(json.dumps(found.to_dict()))["keeps_its_promise"] is True
    assert found.confidence == Fraction(19, 20)
    assert "All intervals held in 3 of 3 runs" in str(found)


@pytest.mark.parametrize(
    "wrong", [{"runs": 0}, {"confidence": 1.0}, {"false_alarm": 0.0}, {"workers": 0}]
)
def test_nonsense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        coverage(Plain(), ONCE, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [nan, inf, "much", None])
def test_who_answers_with_no_number_is_not_covered_by_an_interval(value: float) -> None:
    with pytest.raises(InvalidInput, match="a reply of Saying must be"):
        coverage(Custom("no number", lambda columns, terms: Saying(Reply(value, 0, 1))), ONCE)


def test_a_reply_that_is_no_reply_is_refused() -> None:
    with pytest.raises(InvalidInput, match="`low` and `high`, got None"):
        coverage(Custom("nothing", lambda columns, terms: Saying(None)), ONCE)  # type: ignore[arg-type]


@pytest.mark.parametrize("ends", [(nan, nan), (0.6, 0.4)])
def test_an_interval_that_is_none_makes_no_radius_look_small(ends: tuple[float, float]) -> None:
    assert coverage(saying(*ends), ONCE, runs=2).largest_radius == inf


def test_few_runs_are_no_praise() -> None:
    text = str(coverage(saying(0.6, 0.7), ONCE, runs=2))

    assert "no sign of a broken promise. All intervals held in 0 of 2 runs" in text

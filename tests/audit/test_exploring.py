"""A user's own questions and population, and drilling down where little is to be found."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from math import nan
from typing import final

import numpy as np
import pytest

from audit.cheats import Coin
from audit.people import drilling, people
from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.coverage import coverage
from peekproof.audit.exploration import LEAST, DrillDown, Exploring, Questions, Supposed
from peekproof.audit.fight import fight
from peekproof.audit.opponents.controls import Plain
from peekproof.audit.opponents.sessions import Opened, Planned
from peekproof.audit.population import Listed
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.mechanisms.checking import Checking
from peekproof.testing.statistics import statistical

RNG = np.random.default_rng(0)


class Oracle:
    """Answers what it is told to, and refuses where that is None."""

    def __init__(self, *answers: float | None) -> None:
        self._answers = list(answers)
        self.heard: list[tuple[str, float | None, float | None]] = []

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        self.heard.append((question, guess, tolerance))
        answer = self._answers.pop(0)
        if answer is None:
            raise BudgetExhausted(asked=1, remaining=0, questions=1)
        return answer


def test_a_strategy_is_sent_what_was_answered() -> None:
    sent: list[float | None] = []

    def asking(rng: np.random.Generator) -> Questions:
        sent.append((yield "x"))
        sent.append((yield Supposed("not x", 0.4, 0.1)))
        sent.append((yield "x or x"))

    oracle = Oracle(0.25, None, 0.75)
    analyst = Exploring(population=Coin(), strategy=asking, rows=10, questions=9)
    said = analyst.play(oracle, rng=RNG)

    assert sent == [0.25, None, 0.75]
    assert oracle.heard == [("x", None, None), ("not x", 0.4, 0.1), ("x or x", None, None)]
    assert [each.told for each in said.asked] == sent
    assert [each.truth for each in said.asked] == [Fraction(1, 2)] * 3


def test_a_strategy_is_stopped_after_its_questions() -> None:
    ended = []

    def endless(rng: np.random.Generator) -> Questions:
        try:
            while True:
                yield "x"
        finally:
            ended.append(True)

    analyst = Exploring(population=Coin(), strategy=endless, rows=10, questions=3)
    assert len(analyst.play(Oracle(0.5, 0.5, 0.5), rng=RNG).asked) == 3
    assert ended == [True]


def test_samples_have_as_many_rows_as_was_said() -> None:
    sample = drilling(rows=17, questions=20).data(RNG)
    assert {len(column) for column in sample.values()} == {17}


@statistical(false_alarm=1e-9)
def test_drilling_down_breaks_textbook_intervals_on_an_ordinary_table() -> None:
    found = coverage(Plain(), drilling(rows=300, questions=60), runs=12, false_alarm=1e-9)

    assert not found.keeps_its_promise
    assert found.largest_error < 0.4


@statistical(false_alarm=1e-9)
def test_drilling_down_breaks_textbook_intervals_where_nothing_is_to_be_found() -> None:
    every = np.array(list(product((False, True), repeat=8)))
    coins: Columns = {f"c{number}": every[:, number] for number in range(8)}
    analyst = Exploring(
        population=Listed(coins), strategy=DrillDown(coins, questions=40), rows=200, questions=40
    )
    assert not coverage(Plain(), analyst, runs=9, false_alarm=1e-9).keeps_its_promise


def test_a_session_survives_drilling_down() -> None:
    found = coverage(Planned(), drilling(rows=2_000, questions=30), runs=3)

    assert (found.held, found.refused) == (3, 0)
    assert found.largest_radius < 0.5


def test_guesses_come_with_the_questions() -> None:
    bout = fight(
        Opened(Checking), drilling(rows=3_000, questions=20), confidence=Fraction(19, 20), seed=1
    )
    assert bout.applies
    assert bout.made
    assert bout.covered


def test_drilling_down_asks_conditions_then_pairs_then_triples_then_a_score() -> None:
    strategy = DrillDown(people(), questions=60)
    asked = []
    asking = strategy(np.random.default_rng(2))
    wanted = next(asking)
    while True:
        assert isinstance(wanted, Supposed)
        asked.append(wanted.question)
        try:
            wanted = asking.send(wanted.guess)
        except StopIteration:
            break
    depths = [question.count(" and ") for question in asked[:-1]]

    assert len(asked) == len(set(asked)) == 60
    assert depths == sorted(depths)
    assert set(depths) == {0, 1, 2}
    assert asked[-1].endswith("> 0")
    assert asked[-1].count("if(") > 60


def test_what_deviates_most_is_followed() -> None:
    """Columns a and b look as if they were one: the first triples have both."""
    coins = {name: np.array([True, False] * 10) for name in "abcdefgh"}
    asking = DrillDown(coins, questions=60)(np.random.default_rng(1))
    asked, told = [], None
    while True:
        wanted = asking.send(told)
        assert isinstance(wanted, Supposed)
        if " > 0" in wanted.question:
            break
        asked.append(wanted.question)
        told = 0.5 if wanted.question == "`a` and `b`" else wanted.guess
    triples = [set(each.split(" and ")) for each in asked if each.count("and") == 2]

    assert triples
    both = [{"`a`", "`b`"} <= each for each in triples]
    assert both == sorted(both, reverse=True)
    assert any(both)


def test_every_question_can_be_read_whatever_is_in_the_table() -> None:
    table = {
        "it's": np.array(["it's", '"', "a\\b", "long " * 50] * 5),
        "none": np.array([np.nan, 1.5, -2.0, np.inf] * 5),
        "huge": np.array([1e300, -1e300, 5e-324, 7.0] * 5),
        "many": np.linspace(-1e-9, 1e22, 20),
        "same": np.zeros(20),
        "flag": np.array([True, False] * 10),
    }
    analyst = Exploring(
        population=Listed(table), strategy=DrillDown(table, questions=30), rows=50, questions=30
    )
    bout = fight(Plain(), analyst, confidence=Fraction(19, 20), seed=1)

    assert bout.applies
    assert len(bout.made) > 10


@pytest.mark.parametrize("questions", [1, LEAST - 1])
def test_too_few_questions_are_refused(questions: int) -> None:
    with pytest.raises(InvalidInput, match=f"at least {LEAST}"):
        DrillDown(people(), questions=questions)


def test_the_fewest_questions_will_do() -> None:
    assert len(fight(Plain(), drilling(rows=50, questions=LEAST), confidence=Fraction(1, 2), seed=0)
               .claims) == LEAST  # fmt: skip


def test_a_single_column_has_nothing_to_join() -> None:
    with pytest.raises(InvalidInput, match="two or more"):
        DrillDown({"x": np.arange(100)}, questions=50)


def test_the_analyst_can_be_sent_to_a_worker() -> None:
    analyst = pickle.loads(pickle.dumps(drilling(rows=10, questions=10)))
    assert isinstance(analyst, Exploring)


def nonsense(rng: np.random.Generator) -> Questions:
    yield 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"population": {"x": np.zeros(3)}}, "such as Listed"),
        ({"strategy": ["x = 1"]}, "strategy must be a function that takes"),
        ({"strategy": lambda rng: ["x = 1"]}, "got one that returns list"),
        ({"strategy": nonsense}, "yields questions as text, or Supposed, got 5"),
    ],
)
def test_whoever_asks_wrongly_is_told(wrong: dict[str, object], match: str) -> None:
    usual: dict[str, object] = {"population": Coin(), "strategy": nonsense}
    with pytest.raises(InvalidInput, match=match):
        coverage(Plain(), Exploring(**usual | wrong, rows=9, questions=2), runs=1)  # type: ignore[arg-type]


@final
class Unsure:
    """A population that says nothing of use."""

    def draw(self, *, rows: int, rng: np.random.Generator) -> Columns:
        return {"x": rng.integers(0, 2, rows)}

    def truth(self, question: str) -> Fraction:
        return nan  # type: ignore[return-value]


def test_a_truth_is_a_number() -> None:
    def once(rng: np.random.Generator) -> Questions:
        yield "x = 1"

    analyst = Exploring(population=Unsure(), strategy=once, rows=9, questions=1)
    with pytest.raises(InvalidInput, match="whose `truth` is a number"):
        coverage(Plain(), analyst, runs=1)

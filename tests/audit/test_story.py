from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audit.small import CHECKPOINTS, FEATURES, ROWS, SIGNAL, shrink
from peekproof.audit import demonstration
from peekproof.audit.demonstration import Climb, Story, climb, make_table, tell
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.answer import Answer
from peekproof.ledger.ledger import Ledger
from peekproof.testing.statistics import mean_deviation, statistical

FALSE_ALARM = 1e-9
NAMES = [f"x{number}" for number in range(1, FEATURES + 1)]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)


class Listener:
    """A holdout that notes what it is asked and answers from a list."""

    def __init__(self, values: Sequence[float]) -> None:
        self.heard: list[list[str]] = []
        self._values = iter(values)

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        self.heard.append(list(questions))
        return [Reply(value, value - 0.1, value + 0.1) for value in self._next(len(questions))]

    def _next(self, count: int) -> list[float]:
        return [next(self._values) for _ in range(count)]


def ignore(*_: object) -> None:
    pass


def claims(*replies: Reply) -> Climb:
    return Climb(name="some", replies=tuple(enumerate(replies)))


def test_a_climb_covers_the_truth_only_if_every_reply_does() -> None:
    above, around, below = Reply(0.8, 0.7, 0.9), Reply(0.5, 0.4, 0.6), Reply(0.2, 0.1, 0.3)

    assert claims(around, around).covers
    assert not claims(above, around).covers
    assert not claims(around, below).covers
    assert claims(around, below).last == below


def test_the_tables_are_coin_flips_that_a_seed_repeats(tmp_path: Path) -> None:
    frame = pl.read_parquet(make_table(tmp_path / "one.parquet", seed=1))
    again = pl.read_parquet(make_table(tmp_path / "again.parquet", seed=1))
    other = pl.read_parquet(make_table(tmp_path / "other.parquet", seed=2))

    assert frame.columns == [*NAMES, "y"]
    assert frame.height == ROWS
    assert all(set(frame[name].unique()) == {-1, 1} for name in frame.columns)
    assert frame.equals(again)
    assert not frame.equals(other)


@statistical(false_alarm=FALSE_ALARM)
def test_only_the_signal_agrees_with_the_label_more_often_than_a_coin(tmp_path: Path) -> None:
    frame = pl.read_parquet(make_table(tmp_path / "data.parquet", seed=3, signal=0.8))
    label = frame["y"].to_numpy()
    far = mean_deviation(trials=ROWS, false_alarm=FALSE_ALARM / (2 * FEATURES))

    assert far < 0.15  # power: a signal of 0.8 and a coin cannot both pass
    for name in NAMES:
        expected = 0.8 if name == SIGNAL else 0.5
        assert abs(np.mean(frame[name].to_numpy() == label) - expected) < far


def test_a_climb_asks_each_feature_once_and_the_vote_at_every_checkpoint() -> None:
    answers = [0.75, 0.25, 0.5, 1.0, 0.6, 0.9, 0.9, 0.9, 0.9, 0.7]
    listener, seen = Listener(answers), list[tuple[str, int, int]]()
    found = climb("some", listener, progress=lambda *step: seen.append(step))
    first, second = CHECKPOINTS
    features, vote, more, last = listener.heard

    assert features == [f"{name} = y" for name in NAMES[:first]]
    assert more == [f"{name} = y" for name in NAMES[first:second]]
    assert vote == ["(+1.098612*x1 -1.098612*x2 +0.000000*x3 +5.293305*x4) * y > 0"]
    assert len(last) == 1
    assert last[0].startswith("(+1.098612*x1 -1.098612*x2 +0.000000*x3 +5.293305*x4 +2.197225*x5")
    assert last[0].endswith("+2.197225*x8) * y > 0")
    assert found.name == "some"
    assert [(size, reply.value) for size, reply in found.replies] == [(4, 0.6), (8, 0.7)]
    assert seen == [("some", 4, 8), ("some", 8, 8)]


def expected_climb(path: Path) -> list[tuple[int, float]]:
    """The attack on exact answers, computed from the file with NumPy alone."""
    frame = pl.read_parquet(path)
    label = frame["y"].to_numpy().astype(float)
    signs = np.array([frame[name].to_numpy() for name in NAMES], float) * label
    correlations = np.clip(signs.mean(axis=1), -0.99, 0.99)
    weights = np.round(2 * np.arctanh(correlations), 6)
    return [(size, float(np.mean(weights[:size] @ signs[:size] > 0))) for size in CHECKPOINTS]


@pytest.fixture
def told(tmp_path: Path) -> tuple[Story, list[tuple[str, int, int]]]:
    steps: list[tuple[str, int, int]] = []
    return tell(tmp_path, seed=1, progress=lambda *step: steps.append(step)), steps


@statistical(false_alarm=1e-12)
def test_the_story_holds_together(
    told: tuple[Story, list[tuple[str, int, int]]], tmp_path: Path
) -> None:
    found, steps = told
    plain, noisy, held = found.climbs
    asked = FEATURES + len(CHECKPOINTS)

    assert [each.name for each in found.climbs] == ["plain holdout", "noise only", "Peekproof"]
    assert [(size, reply.value) for size, reply in plain.replies] == expected_climb(found.data)
    assert {round(reply.high - reply.low, 12) for _, reply in noisy.replies} == {2 * 1.96 / 50}
    assert all(reply.high - reply.low <= 2.001 * found.radius for _, reply in held.replies)
    assert found.confidence == 0.95
    assert found.data.parent == tmp_path

    assert (found.refusal.asked, found.refusal.remaining, found.refusal.questions) == (1, 0, asked)
    assert found.repeated.question == "y = x1"
    assert found.repeated.replayed
    book = Ledger.open(f"{found.data}.peekproof")
    assert book.draws() == asked
    assert "x1 = y" in {settled.text for settled in book.answers().values()}
    book.close()

    assert [answer.question for answer in found.signals] == [f"{name} = y" for name in NAMES]
    assert f"{SIGNAL} = y" in {answer.question for answer in found.found}

    names = ["plain holdout", "noise only", "Peekproof", "one real signal"]
    assert list(dict.fromkeys(name for name, _, _ in steps)) == names
    for name in names:
        done = [step for each, step, _ in steps if each == name]
        (total,) = {total for each, _, total in steps if each == name}
        assert all(before < after for before, after in pairwise(done))
        assert done[-1] == total


def test_found_are_the_answers_whose_interval_excludes_one_half(
    told: tuple[Story, list[tuple[str, int, int]]],
) -> None:
    found, _ = told

    def excluded(answer: Answer) -> bool:
        return answer.low > 0.5 or answer.high < 0.5

    assert found.found == tuple(filter(excluded, found.signals))


def test_a_budget_that_was_not_spent_stops_the_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The session is opened for FEATURES + checkpoints, but the analyst asks about fewer.
    monkeypatch.setattr(demonstration, "CHECKPOINTS", (4, 6))
    with pytest.raises(RuntimeError, match="budget should have been spent"):
        tell(tmp_path, seed=1, progress=ignore)

"""Data frames say what the answers say, one row a number."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, isnan

import numpy as np
import pandas as pd
import pytest

import peekproof
from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.frames import COLUMNS
from peekproof.core.numerics import float_up
from peekproof.derive import difference, ratio
from peekproof.noise.entropy import Seeded
from peekproof.session import Session

RNG = np.random.default_rng(1)
ROWS = 100_000
DATA = {
    "delay": RNG.exponential(20, ROWS) - 5,
    "carrier": RNG.choice(["AA", "<script>"], ROWS),
}
QUESTIONS = [
    "delay > 30",
    "mean(delay, -20, 120)",
    "histogram(delay, (0, 15, 60))",
    "delay > 30 by carrier ('AA', '<script>')",
    "mean(delay, -20, 120) by carrier ('AA', '<script>')",
    "delay > 30 given carrier = 'AA'",
    "quantile(delay, 0.5, -20, 120)",
]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with peekproof.open(
        DATA, questions=400, mechanisms=[peekproof.Gaussian], entropy=Seeded(1)
    ) as opened:
        yield opened


def test_every_number_of_every_answer_has_its_row(session: Session) -> None:
    answers = session.respond(QUESTIONS)
    table = peekproof.to_pandas(answers)

    assert tuple(table.columns[: len(COLUMNS)]) == COLUMNS
    assert len(table) == 1 + 1 + 4 + 2 + 2 + 1 + 1
    rows = table.to_dict("records")
    for answer in answers:
        told = answer.to_dict()
        cells = told.get("cells", [told])
        assert isinstance(cells, list)
        for cell in cells:
            row = rows.pop(0)
            assert row["question"] == told["question"]
            assert row["cell"] == cell.get("label", "")
            assert row["confidence"] == told["confidence"]
            assert row["replayed"] == told["replayed"]
            for name in ("value", "low", "high", "share", "share_high", "lowest_level"):
                assert row[name] == cell[name] if name in cell else isnan(row[name])
    assert rows == []


def test_the_radius_is_that_of_the_longer_side(session: Session) -> None:
    histogram = session.histogram(QUESTIONS[2])
    grouped = session.grouped(QUESTIONS[4])
    assert list(histogram.to_pandas()["radius"]) == [cell.radius for cell in histogram]
    for cell, radius in zip(grouped.cells, grouped.to_pandas()["radius"], strict=True):
        value, low, high = cell.released, Fraction(cell.low), Fraction(cell.high)
        assert radius == float_up(max(value - low, high - value))


def test_a_choice_names_what_was_chosen_and_has_no_value(session: Session) -> None:
    choice = session.best(["delay > 30", "delay > 0"], loss=0.05)
    (row,) = peekproof.to_pandas(choice).to_dict("records")
    assert (row["cell"], row["gap"]) == (choice.chosen, choice.gap)
    assert all(isnan(row[name]) for name in ("value", "low", "high", "radius"))


def test_what_follows_from_answers_has_a_row_too(session: Session) -> None:
    first, second = session.ask_many(["delay > 30", "delay > 118"])
    table = peekproof.to_pandas([difference(first, second), ratio(first, second)])
    assert table["value"][0] == difference(first, second).value
    assert table["low"][0] == difference(first, second).low
    assert table["high"][1] == inf
    assert table["radius"][1] == inf
    assert table["replayed"].all()


def test_one_answer_needs_no_list_and_a_generator_will_do(session: Session) -> None:
    answer = session.ask("delay > 30")
    pd.testing.assert_frame_equal(
        peekproof.to_pandas(answer), peekproof.to_pandas(each for each in [answer])
    )


def test_no_answers_are_an_empty_table_with_all_columns() -> None:
    table = peekproof.to_pandas([])
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 0
    assert table["value"].dtype == float


@pytest.mark.parametrize("given", ["delay > 30", None, 3, [3], ["x"], {"a": 1}, peekproof.Answer])
def test_what_is_no_answer_is_refused(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"^answers must be an answer, or a list of answers"):
        peekproof.to_pandas(given)  # type: ignore[arg-type]


def test_without_pandas_the_error_says_how_to_install_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    histogram, history = session.histogram(QUESTIONS[2]), session.answers()
    monkeypatch.setitem(sys.modules, "pandas", None)
    calls: list[Callable[[], object]] = [
        lambda: peekproof.to_pandas([]),
        histogram.to_pandas,
        history.to_pandas,
    ]
    for call in calls:
        with pytest.raises(DataError, match="needs pandas, which is not installed; pip install"):
            call()
    assert len(histogram.to_dicts()) == 4

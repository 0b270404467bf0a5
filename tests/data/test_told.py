"""How far a pass over rows in memory is: told in rows, in one thread, and of no value in them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from peekproof.data import totals
from peekproof.data import totals as plan_module
from peekproof.data.load import load
from peekproof.data.table import Table
from peekproof.query.question import Question, parse_question

ROWS = 10_000
Heard = list[tuple[int, int, int]]


def opened(heard: Heard, *, seed: int = 0) -> Table:
    def told(done: int, total: int) -> None:
        heard.append((done, total, threading.get_ident()))

    values = np.random.default_rng(seed).random(ROWS)
    table = load({"x": values, "y": values[::-1].copy()}, progress=told)
    assert isinstance(table, Table)
    return table


def asked(table: Table, count: int, text: str = "x > {}") -> list[Question]:
    return [parse_question(text.format(n / (count + 1)), table.schema) for n in range(1, count + 1)]


def steps(heard: Heard) -> list[int]:
    """What was heard in this thread of all rows, if it never went back."""
    done = [each for each, _, _ in heard]
    assert {(total, thread) for _, total, thread in heard} == {(ROWS, threading.get_ident())}
    assert done == sorted(done)
    assert done[-1] == ROWS
    return done


def test_a_batch_is_followed_by_blocks_of_its_questions() -> None:
    heard: Heard = []
    table = opened(heard)
    table.totals(asked(table, 2 * plan_module._BLOCK))
    assert steps(heard) == [ROWS // 2, ROWS, ROWS]


@pytest.mark.parametrize("text", ["x > {}", "mean(x * {}, 0, 1, 0)", "x > {} and y < 0.5"])
def test_workers_share_the_rows_and_one_of_them_tells(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "CHUNK", 1 << 9)
    monkeypatch.setattr(totals, "_WORKERS", 4)
    heard: Heard = []
    table = opened(heard)
    table.totals(asked(table, 300, text))
    # Who takes which piece is a matter of luck; that the last step is all rows is not.
    assert steps(heard)


def test_what_is_told_does_not_depend_on_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "CHUNK", 1 << 9)
    monkeypatch.setattr(totals, "_WORKERS", 1)  # else there is no order of pieces
    told = []
    for seed in (1, 2):
        heard: Heard = []
        table = opened(heard, seed=seed)
        table.totals([*asked(table, 700), *asked(table, 300, "mean(x * {}, 0, 1, 0)")])
        told.append([(done, total) for done, total, _ in heard])
    assert told[0] == told[1]
    assert len(told[0]) > 40


def test_parts_are_followed_question_by_question_and_rounds_as_a_pass() -> None:
    heard: Heard = []
    table = opened(heard)
    questions = asked(table, 10)
    table.totals_part(questions, first=0, parts=20, key="0" * 32)
    size = ROWS // 20
    assert [(done, total) for done, total, _ in heard] == [
        (number * size, 10 * size) for number in range(1, 11)
    ]
    heard.clear()
    table.totals_round(questions, number=1, rounds=4, key="0" * 32)
    assert heard[-1][:2] == (ROWS // 4, ROWS // 4)


def test_totals_are_the_same_whoever_listens() -> None:
    heard: Heard = []
    told, silent = opened(heard), load({"x": np.random.default_rng(0).random(ROWS)})
    questions = asked(told, 1_000)
    found, expected = (
        [each.reveal() for each in source.totals(questions)] for source in (told, silent)
    )
    assert found == expected

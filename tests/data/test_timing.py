"""How long an answer takes must not tell how many rows it counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from peekproof.audit.timing import timing
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.query.question import Question, parse_question

ROWS = 400_000
PAIRS = 40
FACTOR = 1.5

Ask = Callable[[str], object]


def table(*, rows: int = ROWS, room: int = 2**28) -> Table:
    rng = np.random.default_rng(3)
    held = in_memory({name: rng.random(rows) for name in "xyz"})
    return Table(held._frame, held.schema, room=room)


def parsed(held: Table, text: str) -> Question:
    return parse_question(text, held.schema)


def in_memory_engine() -> Ask:
    """Fresh atoms every time: nothing is kept."""
    held = table(room=0)
    return lambda text: held.totals([parsed(held, text)])


def with_bits_at_hand() -> Ask:
    held = table()
    return lambda text: held.totals([parsed(held, text)])


def batch_of_300() -> Ask:
    """So many literals that columns are replaced by their places."""
    held = table(rows=ROWS // 5, room=0)

    def batch(level: int) -> list[Question]:
        return [
            parsed(held, f"x > {level + i / 1000} and y > {level + i / 1000}") for i in range(300)
        ]

    batches = {NOBODY: batch(2), EVERYBODY: batch(-1)}
    return lambda text: held.totals(batches[text])


def filtering() -> Ask:
    """The mutant: take the rows that match one condition, and look for the next among them.

    The conditions come four times over, so that it is found out on the busiest machine too.
    """
    held = table()
    columns = [held._frame[name].to_numpy() for name in "xyz" * 4]

    def ask(text: str) -> object:
        level, rows = 2 if "2" in text else -1, np.arange(ROWS)
        for column in columns:
            rows = rows[column[rows] > level]
        return len(rows)

    return ask


NOBODY = "x > 2 and y > 2 and z > 2"
EVERYBODY = "x > -1 and y > -1 and z > -1"


def tells(ask: Ask) -> bool:
    """Whether the time depends on the rows, three times in a row: load comes and goes."""
    report = timing(lambda: ask(NOBODY), lambda: ask(EVERYBODY), pairs=PAIRS, factor=FACTOR)
    return report.tells


@pytest.mark.parametrize("engine", [in_memory_engine, with_bits_at_hand, batch_of_300])
def test_nobody_takes_as_long_as_everybody(engine: Callable[[], Ask]) -> None:
    assert not tells(engine())


def test_an_engine_that_filters_would_be_found_out() -> None:
    assert tells(filtering())

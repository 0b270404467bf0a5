"""Which row belongs to which part: decided by key and content, random to everyone else."""

import random

import numpy as np
import polars as pl
import pytest

from peekproof.core.errors import EvaluationFailed
from peekproof.data.fingerprint import keyed_order
from peekproof.data.load import in_memory
from peekproof.query.question import parse_question
from peekproof.testing.statistics import excess_p_value, statistical

KEY = "00112233445566778899aabbccddeeff"
FALSE_ALARM = 1e-9


def frame(rows: int, *, seed: int = 1) -> pl.DataFrame:
    chance = random.Random(seed)
    return pl.DataFrame(
        {
            "age": [chance.choice([None, *range(5)]) for _ in range(rows)],
            "city": [chance.choice(["Rome", "Oslo", None, ""]) for _ in range(rows)],
            "well": [chance.random() < 0.5 for _ in range(rows)],
        },
        schema={"age": pl.Float64, "city": pl.String, "well": pl.Boolean},
    )


def in_order(given: pl.DataFrame, key: str = KEY) -> list[tuple[object, ...]]:
    return given[keyed_order(given, key)].rows()


def test_the_order_of_the_file_does_not_matter() -> None:
    given = frame(500)  # of 48 possible rows: most have many equals
    shuffled = given[np.random.default_rng(3).permutation(500)]

    assert shuffled.rows() != given.rows()
    assert in_order(shuffled) == in_order(given)


def test_it_is_a_permutation_and_another_key_is_another_one() -> None:
    given = frame(300)
    order = keyed_order(given, KEY)

    assert sorted(order.tolist()) == list(range(300))
    assert in_order(given, "f" * 32) != in_order(given)


def first_half(given: pl.DataFrame, key: str, *, hashed_copies: bool) -> float:
    """The share of `well` in the first half; without numbers among equals, the mutant."""
    if hashed_copies:
        return float(given[keyed_order(given, key)].head(given.height // 2)["well"].mean())  # type: ignore[arg-type]
    order = given.with_row_index().sort("well", descending=key[0] in "01234567")["index"]
    return float(given[order].head(given.height // 2)["well"].mean())  # type: ignore[arg-type]


@statistical(false_alarm=FALSE_ALARM)
def test_equal_rows_are_spread_over_the_parts() -> None:
    """Each half of fair coins is a sample: its share strays by 6 deviations in 1e-9 of keys."""
    given = pl.DataFrame({"well": [True, False] * 500})
    keys = [f"{random.Random(i).getrandbits(128):032x}" for i in range(40)]
    spread = 6.6 * (0.25 / 500) ** 0.5 / 2**0.5  # 40 keys, drawn without replacement

    honest = [abs(first_half(given, key, hashed_copies=True) - 0.5) for key in keys]
    mutant = [abs(first_half(given, key, hashed_copies=False) - 0.5) for key in keys]
    assert max(honest) < spread
    assert min(mutant) == 0.5  # side by side, a half would be all of one kind


@statistical(false_alarm=FALSE_ALARM)
def test_a_row_is_in_each_part_as_often_as_in_any_other() -> None:
    given = pl.DataFrame({"x": [float(i) for i in range(40)]})
    runs = 2000
    hits = sum(
        int(np.flatnonzero(keyed_order(given, f"{i:032x}") == 7)[0] < 10) for i in range(runs)
    )

    assert excess_p_value(hits, trials=runs, probability=0.25) > FALSE_ALARM / 2
    assert excess_p_value(runs - hits, trials=runs, probability=0.75) > FALSE_ALARM / 2
    assert (
        excess_p_value(hits, trials=runs, probability=0.15) < FALSE_ALARM
    )  # a part that is preferred


def test_parts_are_disjoint_and_their_counts_add_up() -> None:
    given = frame(103)
    table = in_memory(given)
    question = parse_question("well", table.schema)
    everyone = parse_question("well or not well", table.schema)
    parts = table.totals_part([question] * 10, first=0, parts=10, key=KEY)
    whole = table.totals_part([everyone] * 10, first=0, parts=10, key=KEY)

    held = [in_order(given)[i * 10 : (i + 1) * 10] for i in range(10)]
    assert [part.reveal() for part in parts] == [sum(bool(row[2]) for row in rows) for rows in held]
    assert [part.reveal() for part in whole] == [10] * 10
    later = table.totals_part([question] * 3, first=7, parts=10, key=KEY)
    assert [part.reveal() for part in later] == [part.reveal() for part in parts[7:]]


def test_a_part_that_is_not_there_says_nothing() -> None:
    table = in_memory(frame(100))
    question = parse_question("well", table.schema)
    with pytest.raises(EvaluationFailed):
        table.totals_part([question, question], first=9, parts=10, key=KEY)

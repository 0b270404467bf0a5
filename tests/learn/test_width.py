"""How wide the scores of an honest search are, beside questions that were all fixed beforehand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peekproof
from sizes import sized

RECORD = Path(__file__).parents[2] / "bench/results/holdout_width.json"
MODELS = ROWS = 10_000
LOOKED_AT = sized(150, full=MODELS)
BETA = 0.05
FLOOR = math.sqrt(math.log(2 * MODELS / BETA) / (2 * ROWS))
LIMIT = 2.5  # floors


@pytest.mark.parametrize("accuracy", [0.5, 0.9])
def test_scores_with_guesses_from_as_many_training_rows_are_narrow(accuracy: float) -> None:
    """Wrong variant: half as many rows, for which the same search is too wide.

    Models and guesses are seeded and checks draw no noise, so it is the same each time.
    """
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, ROWS)

    def widest(rows: int) -> float:
        some = labels[:rows]
        with peekproof.Holdout(None, some, confidence=1 - BETA, questions=MODELS) as holdout:
            answers = [
                holdout.score(
                    some ^ (rng.random(rows) >= accuracy),
                    guess=rng.binomial(rows, accuracy) / rows,
                    trained_on=rows,
                )
                for _ in range(LOOKED_AT)
            ]
        return max(each.high - each.low for each in answers) / 2

    assert widest(ROWS) <= LIMIT * FLOOR
    if accuracy == 0.5:
        assert widest(ROWS // 2) > LIMIT * FLOOR


def test_the_recorded_search_is_as_narrow_as_is_said() -> None:
    record = json.loads(RECORD.read_text())
    assert not record["quick"]
    widths, sizes, _ = map(rows, record["sheets"])
    (size,) = sizes.values()
    assert (size["models"], size["rows"]) == (MODELS, ROWS)
    assert size["floor"] == pytest.approx(FLOOR)
    scored = {name: row for name, row in widths.items() if name.startswith("Peekproof")}
    every = [row for name, row in scored.items() if "all scores" in name]
    best = [row for name, row in scored.items() if "running best" in name]
    assert len(every) == len(best) == 3
    assert len(scored) == 6
    assert all(row["asked"] == MODELS for row in every)
    assert max(row["largest"] for row in every) <= LIMIT
    assert max(row["largest"] for row in best) < max(row["largest"] for row in every)
    assert not any(row["missed"] for row in scored.values())


def rows(sheet: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of a recorded table by their names."""
    _, *columns = sheet["columns"]
    return {name: dict(zip(columns, cells, strict=True)) for name, *cells in sheet["rows"]}

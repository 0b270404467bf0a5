"""How wide the scores of an honest search are, beside questions that were all fixed beforehand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import holdfast
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
        with holdfast.Holdout(None, some, confidence=1 - BETA, questions=MODELS) as holdout:
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
    assert (record["models"], record["rows"]) == (MODELS, ROWS)
    assert record["floor"] == pytest.approx(FLOOR)
    widths = {name: found["largest_width"] for name, found in record.items() if " 0." in name}
    every = [width for name, width in widths.items() if name.startswith("all")]
    best = [width for name, width in widths.items() if name.startswith("running best")]
    assert len(every) == len(best) == 3
    assert max(every) <= LIMIT
    assert max(best) < max(every)
    assert not any(found["missed"] for name, found in record.items() if " 0." in name)

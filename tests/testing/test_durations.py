"""The law of durations: who passes, and who is caught."""

from __future__ import annotations

import numpy as np
import pytest

from peekproof.testing.audits import durations_do_not_tell
from peekproof.testing.statistics import Violation

COLUMN = np.random.default_rng(4).random(100_000)


def test_looking_at_every_row_passes() -> None:
    found = durations_do_not_tell(lambda: np.sum(COLUMN > 2), lambda: np.sum(COLUMN > -1))
    assert not found.tells


def test_copying_the_rows_that_match_is_caught() -> None:
    with pytest.raises(Violation, match="durations tell"):
        durations_do_not_tell(
            lambda: np.sort(COLUMN[COLUMN > 2]), lambda: np.sort(COLUMN[COLUMN > -1])
        )

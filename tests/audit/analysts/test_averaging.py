from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audit.analysts.attempts import FALSE_ALARM, RUNS, Noisy, Quick, as_predicted
from peekproof.audit.analysts.averaging import Averaging, disguises
from peekproof.audit.analysts.protocol import ExactSample
from peekproof.data.load import in_memory
from peekproof.query.question import parse_question
from peekproof.testing.statistics import statistical


@statistical(false_alarm=2 * FALSE_ALARM)
def test_spellings_average_noise_away_as_predicted() -> None:
    analyst, sigma = Averaging(rows=101, features=60, spellings=12), 0.2

    rng, exact, noisy = np.random.default_rng(1), list[float](), list[float]()
    for _ in range(RUNS):
        sample = Quick(analyst.data(rng), spellings=analyst.spellings)
        exact.append(analyst.play(sample, rng=rng).decisive.error)
        asked = analyst.play(Noisy(sample, sigma=sigma, rng=rng), rng=rng).decisive
        noisy.append(sample(asked.question) - float(asked.truth))

    under = analyst.predicted_under(sigma)
    assert as_predicted(exact, analyst.predicted)
    assert as_predicted(noisy, under)
    for found, right in ((exact, analyst.predicted), (noisy, under)):
        assert not as_predicted(found, right / 2)
        assert not as_predicted(found, right * 2)
    # Nor as if the mean of many spellings had the noise of one.
    assert not as_predicted(noisy, replace(analyst, spellings=1).predicted_under(sigma))


def test_what_is_looked_up_is_what_the_sample_says() -> None:
    """Otherwise the tests of predictions would be about something else."""
    columns = Averaging(rows=50, features=4).data(np.random.default_rng(3))
    quick, sample = Quick(columns, spellings=7), ExactSample(columns)

    for feature in ("x0", "x1", "x2", "x3"):
        for text in disguises(feature, "y", count=7):
            assert quick(text) == pytest.approx(sample(text), abs=1e-15)
    for text in ("x0 + x1 > 0", "(+3*x0 -2*x1 +2*x3) * y > 0", "(-1*x2) * y > 0"):
        assert quick(text) == pytest.approx(sample(text), abs=1e-15)


def test_disguises_say_the_same_and_only_some_are_seen_through() -> None:
    signs = np.array([-1, -1, 1, 1], np.int8), np.array([-1, 1, -1, 1], np.int8)
    table = in_memory(dict(zip("xy", signs, strict=True)))
    sample = ExactSample(dict(zip("xy", signs, strict=True)))
    spellings = disguises("x", "y", count=9)

    digests = [parse_question(text, table.schema).digest for text in spellings]

    assert len(set(spellings)) == 9
    assert len(set(digests[:3])) == 1
    assert len(set(digests)) == 7
    for condition in ("x = 1", "x = -1"):
        for text in spellings:
            assert sample(f"({text}) and {condition}") == 0.25

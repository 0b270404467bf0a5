"""The reusable holdout: the plain one overstates as predicted, and Peekproof's intervals hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted
from lab.experiments.reusable_holdout import Outcome, Scene, Vote, reusable_holdout
from lab.figures.reusable_holdout import draw_reusable_holdout
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import excess_p_value, statistical

ROWS, VARIABLES, RUNS = 400, 40, 32


def outcomes() -> list[Outcome]:
    scene = Scene(rows=ROWS, variables=VARIABLES, sizes=(5,))
    return [reusable_holdout(scene, seed=seed) for seed in range(RUNS)]


def test_truths_of_votes_are_counted_out() -> None:
    scene = Scene(rows=100, variables=6, informed=2, sizes=(1,))
    shares = [Fraction(4, 5)] * 2 + [Fraction(1, 2)] * 4
    votes = {0: 1, 1: -1, 4: 1, 0 + 2: -1, 3: 1}
    right = Fraction(0)
    for outcome in product((1, -1), repeat=6):
        if sum(sign * outcome[variable] for variable, sign in votes.items()) > 0:
            chance = Fraction(1)
            for agrees, share in zip(outcome, shares, strict=True):
                chance *= share if agrees > 0 else 1 - share
            right += chance
    assert scene.truth(votes) == pytest.approx(float(right), rel=1e-12)


def test_informed_variables_agree_with_the_label_as_often_as_they_should() -> None:
    scene = Scene(rows=3_600, variables=4, informed=3, sizes=(1,))
    values, label = scene.draw(np.random.default_rng(1))
    shares = (values == label).mean(axis=1)
    assert scene.agreeing == pytest.approx([0.55, 0.55, 0.55, 0.5])
    assert shares == pytest.approx(scene.agreeing, abs=6 * 0.5 / sqrt(3_600))


@pytest.mark.parametrize(
    "wrong", [{"sizes": (2,)}, {"sizes": ()}, {"informed": 11}, {"informed": -1}]
)
def test_scenes_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Scene(rows=10, variables=10, **wrong)  # type: ignore[arg-type]


@statistical(false_alarm=2 * FALSE_ALARM)
def test_the_plain_holdout_overstates_and_peekproof_does_not() -> None:
    """Votes of up to five variables that both halves like; nothing is there to be found.

    The wrong variant that is rejected answers with the truth and claims the same overstatement.
    """
    found = outcomes()

    def predicted(vote: Vote) -> float:
        return ReusedHoldout(rows=ROWS, variables=VARIABLES, chosen=vote.chosen).predicted

    plain = [vote for outcome in found for vote in outcome.plain]
    assert as_predicted([(vote.said.value - 0.5) / predicted(vote) for vote in plain], 1.0)
    assert not as_predicted([(vote.truth - 0.5) / predicted(vote) for vote in plain], 1.0)

    held = [vote for outcome in found for vote in outcome.held]
    missed = sum(vote.truth not in vote.said for vote in held)
    assert excess_p_value(missed, trials=RUNS, probability=0.05) > FALSE_ALARM
    assert all(vote.said.high - vote.said.low < 1 for vote in held)


def test_what_the_rows_do_not_confirm_is_corrected_and_found_signals_stay() -> None:
    """On thousands of rows the training vote is corrected, and a real one is seen to be real."""
    sizes = (1, 21, 41)
    noise = reusable_holdout(Scene(rows=4_000, variables=150, sizes=sizes), seed=1)
    assert noise.failures
    assert noise.held[-1].training > 0.55
    assert abs(noise.held[-1].said.value - 0.5) < 0.02
    assert all(vote.truth in vote.said for vote in noise.held)
    signal = reusable_holdout(Scene(rows=4_000, variables=150, informed=20, sizes=sizes), seed=1)
    assert signal.held[1].said.low > 0.5
    assert all(vote.truth in vote.said for vote in signal.held)


def test_the_same_seed_tells_the_same_story() -> None:
    scene = Scene(rows=200, variables=20, informed=3, sizes=(1, 5))
    assert reusable_holdout(scene, seed=1) == reusable_holdout(scene, seed=1)
    assert reusable_holdout(scene, seed=1) != reusable_holdout(scene, seed=2)


def test_the_picture_says_how_it_was_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    scenes = [Scene(rows=200, variables=30, informed=k, sizes=(1, 5)) for k in (0, 20)]
    written = draw_reusable_holdout(tmp_path / "holdout.svg", scenes=scenes, seed=4).read_text()
    for words in (
        "No variable knows anything",
        "20 variables know something",
        "n = 200 rows",
        "32 questions",
        "seed 4",
        "python -m lab.figures.reusable_holdout",
    ):
        assert words in written

"""The picture of the reusable holdout: what is said about votes of picked variables, and is true.

    python -m lab.figures.reusable_holdout docs/figures/reusable-holdout.png

At its full size, 10,000 rows and variables, it takes some minutes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lab.experiments.reusable_holdout import Outcome, Scene, Vote, reusable_holdout
from lab.figures import two_holdouts
from peekproof.audit.figures.look import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.figures.reusable_holdout FILE"
INFORMED, SEED = 20, 1
SCENES = (Scene(), Scene(informed=INFORMED))


def draw_reusable_holdout(
    path: Path, *, scenes: Sequence[Scene] = SCENES, seed: int = SEED
) -> Path:
    """A panel for each scene: accuracy against the number of variables that vote."""
    outcomes = [reusable_holdout(scene, seed=seed) for scene in scenes]
    rows, variables = scenes[0].rows, scenes[0].variables
    questions = variables + len(scenes[0].sizes)
    caption = (
        f"n = {rows:,} rows to train and as many held out, {variables:,} variables, "
        f"{questions:,} questions, all intervals together at 0.95, seed {seed}   ·   {COMMAND}"
    )
    informed = [scene.informed for scene in scenes]
    of, by = "share of rows that the vote gets right", "variables that vote"
    with two_holdouts.scenes(path, informed=informed, of=of, by=by, caption=caption) as panels:
        for axes, outcome in zip(panels, outcomes, strict=True):
            _panel(axes, outcome)
    return path


def _panel(axes: "Axes", outcome: Outcome) -> None:
    axes.set_xticks([1, 5, 10, 20, 50, 100, 200, 500])
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:g}")
    held, plain = _told(outcome.held), _told(outcome.plain)
    two_holdouts.held_band(axes, held)
    axes.plot(
        plain.at, [vote.training for vote in outcome.plain], color=GREY, linestyle=":", marker="^",
        markersize=4, linewidth=1.5, label="training rows",
    )  # fmt: skip
    truths = ("truth of plain holdout's vote", "truth of Peekproof's vote")
    two_holdouts.lines(axes, plain, held, marks=("s", "o"), truths=truths)


def _told(votes: Sequence[Vote]) -> two_holdouts.Told:
    return two_holdouts.Told(
        [vote.chosen for vote in votes],
        [vote.said for vote in votes],
        [vote.truth for vote in votes],
    )


if __name__ == "__main__":
    draw_reusable_holdout(Path(sys.argv[1]))

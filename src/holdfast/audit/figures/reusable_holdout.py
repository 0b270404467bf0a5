"""The picture of the reusable holdout: what is said about votes of picked variables, and is true.

    python -m holdfast.audit.figures.reusable_holdout docs/figures/reusable-holdout.png

At its full size, 10,000 rows and variables, it takes some minutes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.audit.experiments.reusable_holdout import Outcome, Scene, Vote, reusable_holdout
from holdfast.audit.figures.look import BLUE, GREY, INK, ORANGE, picture, ruled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m holdfast.audit.figures.reusable_holdout FILE"
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
    with picture(path, size=(11, 4.9), caption=caption) as figure:
        panels = figure.subplots(1, len(outcomes), sharey=True, squeeze=False)[0]
        for axes, outcome in zip(panels, outcomes, strict=True):
            _panel(axes, outcome)
        panels[0].set_ylabel("share of rows that the vote gets right")
        panels[0].legend(loc="upper left", frameon=False, fontsize=9)
    return path


def _panel(axes: "Axes", outcome: Outcome) -> None:
    informed = outcome.scene.informed
    axes.set_title(
        f"{informed} variables know something" if informed else "No variable knows anything"
    )
    axes.set_xlabel("variables that vote")
    axes.set_xscale("log")
    axes.set_xticks([1, 5, 10, 20, 50, 100, 200, 500])
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:g}")
    ruled(axes)
    held, plain = outcome.held, outcome.plain
    axes.fill_between(
        _sizes(held), [vote.said.low for vote in held], [vote.said.high for vote in held],
        color=BLUE, alpha=0.16, linewidth=0, label="Holdfast: its interval",
    )  # fmt: skip
    axes.plot(
        _sizes(plain), [vote.training for vote in plain], color=GREY, linestyle=":", marker="^",
        markersize=4, linewidth=1.5, label="training rows",
    )  # fmt: skip
    axes.plot(
        _sizes(plain), [vote.said.value for vote in plain], color=ORANGE, linestyle="--",
        marker="s", markersize=5, linewidth=2.2, label="plain holdout",
    )  # fmt: skip
    axes.plot(
        _sizes(held), [vote.said.value for vote in held], color=BLUE, marker="o",
        markersize=5, linewidth=2.2, label="Holdfast",
    )  # fmt: skip
    for votes, dashes, name in ((plain, "-.", "plain holdout's"), (held, "-", "Holdfast's")):
        axes.plot(
            _sizes(votes), [vote.truth for vote in votes], color=INK, linestyle=dashes,
            linewidth=1.3, label=f"truth of {name} vote",
        )  # fmt: skip


def _sizes(votes: Sequence[Vote]) -> list[int]:
    return [vote.chosen for vote in votes]


if __name__ == "__main__":
    draw_reusable_holdout(Path(sys.argv[1]))

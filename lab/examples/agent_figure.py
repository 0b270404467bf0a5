"""The picture of an agent that knows when to stop: what it was told, one model after the other.

python -m lab.examples.agent_figure docs/figures/agent.png
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.examples.agent import Story, agent_story
from lab.examples.selection import digits, noise
from peekproof.audit.figures.look import BLUE, GREEN, GREY, INK, picture, ruled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.examples.agent_figure FILE"
ROWS, QUESTIONS, FAILURES, SEED = 2_000, 40, 3, 2


def draw_agent(
    path: Path, *, rows: int = ROWS, questions: int = QUESTIONS, seed: int = SEED
) -> Path:
    """A panel where there is something to find, and one where there is nothing."""
    rng, everybody = np.random.default_rng(seed), digits()
    tables = {
        "Digits: is it odd?": (everybody.draw(rng, rows), everybody.draw(rng, rows)),
        "Noise: there is nothing to find": (noise(rng, rows), noise(rng, rows)),
    }
    caption = (
        f"{rows:,} rows to train and as many held out, {questions} scores, all intervals together "
        f"at 0.95, seed {seed}   ·   {COMMAND}"
    )
    with picture(path, size=(11, 4.9), caption=caption) as figure:
        panels = figure.subplots(1, len(tables), sharey=True, sharex=True)
        for axes, (title, (training, held_out)) in zip(panels, tables.items(), strict=True):
            story = agent_story(
                training, held_out, questions=questions, failures=FAILURES, seed=seed
            )
            axes.set_title(title)
            _panel(axes, story)
        panels[0].set_ylabel("accuracy of the model, as told")
        panels[0].set_xlim(0, questions + 1)
        panels[0].set_ylim(0.25, 1)
        panels[1].legend(loc="upper left", frameon=False, fontsize=9)
    return path


def _panel(axes: "Axes", story: Story) -> None:
    ruled(axes)
    axes.set_xlabel("models proposed")
    first = story.told[0]
    axes.axhspan(first.low, first.high, color=GREY, alpha=0.2, linewidth=0, label="first model")
    axes.axhline(first.high, color=GREY, linewidth=1)
    places = range(1, len(story.told) + 1)
    better = [each.low > first.high for each in story.told]
    for certain, colour, marker, label in (
        (False, BLUE, "o", "a model, and its interval"),
        (True, GREEN, "D", "certainly better than the first"),
    ):
        shown = [
            (place, each)
            for place, each, is_better in zip(places, story.told, better, strict=True)
            if is_better == certain
        ]
        axes.errorbar(
            [place for place, _ in shown], [each.value for _, each in shown],
            yerr=[[each.value - each.low for _, each in shown],
                  [each.high - each.value for _, each in shown]],
            color=colour, linestyle="", marker=marker, markersize=5 if certain else 4,
            linewidth=2.6 if certain else 1.6, capsize=2, label=label,
        )  # fmt: skip
    axes.annotate(
        f"stops: {story.ending.value}\n{story.remaining.partition(',')[0]}", (0.98, 0.03),
        xycoords="axes fraction", color=INK, ha="right", fontweight="bold",
    )  # fmt: skip


if __name__ == "__main__":
    draw_agent(Path(sys.argv[1]))

"""The picture of a search that fools a holdout: what is told of the best so far, and is true.

    python -m holdfast.examples.search_figure docs/figures/search.png

At its full size, 8,000 configurations, it takes about a minute.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.audit.figures.look import BLUE, INK, ORANGE, picture, ruled
from holdfast.examples.committees import Scene
from holdfast.examples.search import Searches, search_twice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m holdfast.examples.search_figure FILE"
SCENES = (Scene(), Scene(informed=100))
TRIES, SEED = 8_000, 1


def draw_search(
    path: Path, *, scenes: Sequence[Scene] = SCENES, tries: int = TRIES, seed: int = SEED
) -> Path:
    """A panel for each scene: accuracy against the number of configurations tried."""
    found = [search_twice(scene, tries=tries, seed=seed) for scene in scenes]
    first = scenes[0]
    caption = (
        f"{first.rows:,} rows held out, {first.training:,} to train, {first.variables:,} "
        f"variables, {tries:,} configurations, all intervals together at 0.95, seed {seed}   ·   "
        f"{COMMAND}"
    )
    with picture(path, size=(11, 4.9), caption=caption) as figure:
        panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for axes, searches in zip(panels, found, strict=True):
            _panel(axes, searches)
        panels[0].set_ylabel("accuracy of the best so far")
        panels[0].legend(loc="upper left", frameon=False, fontsize=9)
    return path


def _panel(axes: "Axes", searches: Searches) -> None:
    informed = searches.scene.informed
    axes.set_title(
        f"{informed} variables know something" if informed else "No variable knows anything"
    )
    axes.set_xlabel("configurations tried")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    ruled(axes)
    tried = range(1, len(searches.plain) + 1)
    held, plain = searches.held, searches.plain
    axes.fill_between(
        tried, [step.told.low for step in held], [step.told.high for step in held],
        color=BLUE, alpha=0.16, linewidth=0, label="Holdfast: its interval",
    )  # fmt: skip
    axes.fill_between(
        tried, [step.told.low for step in plain], [step.told.high for step in plain],
        color=ORANGE, alpha=0.28, linewidth=0, label="plain holdout: textbook interval",
    )  # fmt: skip
    axes.plot(
        tried, [step.told.value for step in plain], color=ORANGE, linestyle="--",
        linewidth=2.2, label="plain holdout",
    )  # fmt: skip
    axes.plot(
        tried, [step.told.value for step in held], color=BLUE, linewidth=2.2, label="Holdfast"
    )
    for steps, dashes, name in ((plain, "-.", "the plain holdout"), (held, "-", "Holdfast")):
        axes.plot(
            tried, [step.truth for step in steps], color=INK, linestyle=dashes,
            linewidth=1.3, label=f"truth of what {name} likes best",
        )  # fmt: skip
    for told, colour, side in (
        (plain[-1].told, ORANGE, "bottom"), (held[-1].told, BLUE, "top"),
    ):  # fmt: skip
        axes.annotate(
            f"{told.value:.2f}", (len(plain), told.value), xytext=(4, 0),
            textcoords="offset points", va=side, color=colour, fontsize=9, fontweight="bold",
            annotation_clip=False,
        )  # fmt: skip


if __name__ == "__main__":
    draw_search(Path(sys.argv[1]))

"""The picture of a search that fools a holdout: what is told of the best so far, and is true.

    python -m lab.examples.search_figure docs/figures/search.png

At its full size, 8,000 configurations, it takes about a minute.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lab.examples.committees import Scene
from lab.examples.search import Searches, Step, search_twice
from lab.figures import two_holdouts
from peekproof.audit.figures.look import BLUE, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.examples.search_figure FILE"
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
    informed = [scene.informed for scene in scenes]
    of, by = "accuracy of the best so far", "configurations tried"
    with two_holdouts.scenes(path, informed=informed, of=of, by=by, caption=caption) as panels:
        for axes, searches in zip(panels, found, strict=True):
            _panel(axes, searches)
    return path


def _panel(axes: "Axes", searches: Searches) -> None:
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    held, plain = _told(searches.held), _told(searches.plain)
    two_holdouts.held_band(axes, held)
    textbook = "plain holdout: textbook interval"
    two_holdouts.band(axes, plain, colour=ORANGE, alpha=0.28, label=textbook)
    truths = ("truth of what the plain holdout likes best", "truth of what Peekproof likes best")
    two_holdouts.lines(axes, plain, held, marks=("", ""), truths=truths)
    for told, colour, side in (
        (plain.replies[-1], ORANGE, "bottom"), (held.replies[-1], BLUE, "top"),
    ):  # fmt: skip
        axes.annotate(
            f"{told.value:.2f}", (plain.at[-1], told.value), xytext=(4, 0),
            textcoords="offset points", va=side, color=colour, fontsize=9, fontweight="bold",
            annotation_clip=False,
        )  # fmt: skip


def _told(steps: Sequence[Step]) -> two_holdouts.Told:
    tried = range(1, len(steps) + 1)
    return two_holdouts.Told(tried, [step.told for step in steps], [step.truth for step in steps])


if __name__ == "__main__":
    draw_search(Path(sys.argv[1]))

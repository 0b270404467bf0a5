"""The picture of a hunt for late flights: what is said about the leading group, and is true.

python -m lab.figures.flights docs/figures/flights.png
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.experiments.flights import (
    DEPTH,
    LATE,
    SAMPLE,
    Hunt,
    draw_flights,
    hunt_plainly,
    hunt_with_peekproof,
    written,
)
from lab.real_data import flights
from peekproof.audit.figures.look import BLUE, INK, ORANGE, picture, ruled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.figures.flights FILE"
SEED = 1


def draw_hunt(path: Path, *, rows: int = SAMPLE, seed: int = SEED, depth: int = DEPTH) -> Path:
    """Two panels: the hunt on the plain sample, and with Peekproof."""
    sample = draw_flights(rows=rows, seed=seed)
    hunts = (
        hunt_plainly(sample, depth=depth),
        hunt_with_peekproof(sample, seed=seed, depth=depth),
    )
    everybody = float(flights().truth(LATE))
    caption = (
        f"{rows:,} of {flights().size:,} flights, drawn with replacement; late: more than 30 "
        f"minutes; Peekproof: half of them guess, half check, 0.95 together; seed {seed}   ·   "
        f"{COMMAND}"
    )
    with picture(path, size=(12, 5), caption=caption) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        names = ("Plain sample", "Peekproof")
        looks = ((ORANGE, "--", "s"), (BLUE, "-", "o"))
        for axes, hunt, name, look in zip(panels, hunts, names, looks, strict=True):
            _panel(axes, hunt, everybody=everybody, look=look)
            axes.set_title(name)
        panels[0].set_ylabel("share of the group that is late")
        panels[0].set_ylim(0, 1)
    return path


def _panel(axes: "Axes", hunt: Hunt, *, everybody: float, look: tuple[str, str, str]) -> None:
    colour, dashes, marker = look
    order = range(1, len(hunt.met) + 1)
    leading = hunt.leading
    ruled(axes)
    axes.set_xlabel("groups tried")
    axes.scatter(
        order, [met.said.value for met in hunt.met], s=12, color=colour, alpha=0.45,
        marker=marker, linewidths=0, label="every group tried, as told",
    )  # fmt: skip
    axes.fill_between(
        order, [met.said.low for met in leading], [met.said.high for met in leading],
        step="post", color=colour, alpha=0.2, linewidth=0, label="interval of the leading group",
    )  # fmt: skip
    axes.step(
        order, [met.said.value for met in leading], where="post", color=colour,
        linestyle=dashes, linewidth=2.2, label="leading group, as told",
    )  # fmt: skip
    axes.step(
        order, [met.truth for met in leading], where="post", color=INK, linewidth=1.8,
        label="leading group, in truth",
    )  # fmt: skip
    axes.axhline(everybody, color=INK, linestyle=":", linewidth=1.2, label="all flights")
    said, truth = hunt.reported.said, hunt.reported.truth
    axes.text(
        1, 1.01,
        f"reported: {written(hunt.reported.group)}\ntold {said.value:.1%} "
        f"[{said.low:.1%}, {said.high:.1%}], in truth {truth:.1%}",
        transform=axes.transAxes, ha="right", va="bottom", fontsize=9, color=INK,
    )  # fmt: skip
    axes.legend(loc="upper left", frameon=False, fontsize=9)


if __name__ == "__main__":
    draw_hunt(Path(sys.argv[1]))

"""The picture of variables that were chosen by looking at a holdout: what is told, and is true.

python -m lab.examples.selection_figure docs/figures/selection.png
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lab.examples.selection import Finding, Origin, Studies, Study, study_twice
from peekproof.audit.figures.look import BLUE, GREY, INK, ORANGE, picture, ruled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.examples.selection_figure FILE"
ROWS, VARIABLES, SEED = 2_000, 300, 1
_SHOWN = 20
_TITLES = {
    Origin.NOISE: "Noise: no variable knows anything",
    Origin.DIGITS: "Digits: is it odd?",
}


def draw_selection(
    path: Path, *, rows: int = ROWS, variables: int = VARIABLES, seed: int = SEED
) -> Path:
    """A panel for noise and one for digits: the clearest variables, and the vote of those found."""
    found = {
        origin: study_twice(origin, rows=rows, variables=variables, seed=seed)
        for origin in (Origin.NOISE, Origin.DIGITS)
    }
    caption = (
        f"{rows:,} rows to train and as many held out, {variables:,} variables, of which the "
        f"{_SHOWN} clearest are shown, seed {seed}   ·   {COMMAND}"
    )
    with picture(path, size=(11, 4.9), caption=caption) as figure:
        panels = figure.subplots(1, len(found), sharey=True)
        for axes, (origin, studies) in zip(panels, found.items(), strict=True):
            _panel(axes, studies)
            axes.set_title(_TITLES[origin])
        panels[0].set_ylabel("how often it says the label")
        panels[1].legend(loc="lower right", frameon=False, fontsize=9)
    return path


def _panel(axes: "Axes", studies: Studies) -> None:
    ruled(axes)
    axes.axhline(0.5, color=GREY, linewidth=1)
    axes.set_ylim(bottom=0.3)
    axes.axvline(_SHOWN + 1, color=GREY, linewidth=1, linestyle=":")
    axes.set_xticks([1, 5, 10, 15, 20, _SHOWN + 3], ["1", "5", "10", "15", "20", "vote"])
    axes.set_xlabel("variables, clearest first   |   vote of those found")
    _told(axes, studies.held, shift=0.15, colour=BLUE, marker="o", name="Peekproof")
    _told(axes, studies.plain, shift=-0.15, colour=ORANGE, marker="s", name="plain holdout")


def _told(axes: "Axes", study: Study, *, shift: float, colour: str, marker: str, name: str) -> None:
    shown: list[tuple[float, Finding]] = [
        (place + 1 + shift, each) for place, each in enumerate(study.told[:_SHOWN])
    ]
    if study.vote is not None:
        shown.append((_SHOWN + 3 + 3 * shift, study.vote))
    _bars(axes, shown, colour=colour, marker=marker, label=name)
    axes.plot(
        [place for place, _ in shown], [_turned(each)[3] for _, each in shown], color=INK,
        linestyle="", marker="_", markersize=7, markeredgewidth=1.8,
        label="truth" if colour == ORANGE else None,
    )  # fmt: skip
    axes.annotate(
        f"{name} finds {len(study.found)} of {len(study.told)}",
        (0.03, 0.11 if colour == ORANGE else 0.04),
        xycoords="axes fraction", color=colour, fontweight="bold",
    )  # fmt: skip


def _bars(
    axes: "Axes", shown: Sequence[tuple[float, Finding]], *, colour: str, marker: str, label: str
) -> None:
    values = [_turned(each) for _, each in shown]
    axes.errorbar(
        [place for place, _ in shown], [value for value, _, _, _ in values],
        yerr=[[value - low for value, low, _, _ in values],
              [high - value for value, _, high, _ in values]],
        color=colour, linestyle="", marker=marker, markersize=4, linewidth=1.8, capsize=2,
        label=label,
    )  # fmt: skip


def _turned(each: Finding) -> tuple[float, float, float, float]:
    """Value, ends and truth; of a variable that speaks against the label, of its opposite."""
    told = each.told
    if told.value < 0.5:
        return 1 - told.value, 1 - told.high, 1 - told.low, 1 - each.truth
    return told.value, told.low, told.high, each.truth


if __name__ == "__main__":
    draw_selection(Path(sys.argv[1]))

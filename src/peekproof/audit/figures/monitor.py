"""The picture of a monitor: how much was overfitted, beside how much is allowed.

    python -m peekproof.audit.figures.monitor docs/figures/monitor.png

Gaussian noise as it is claimed, half of it, and none at all.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.figures.look import BLUE, GREY, INK, ORANGE, picture, ruled
from peekproof.audit.monitor import Measure, MonitorReport, monitor
from peekproof.audit.opponents.controls import HALF_NOISE, HONEST, Plain
from peekproof.audit.opponents.protocol import Setup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS, QUESTIONS = 50, 150
SAMPLES, REPEATS, SEED = 3, 100, 1
EPSILON = Fraction(1, 2)
COMMAND = "python -m peekproof.audit.figures.monitor FILE"

_TITLES = {
    HONEST.name: "the noise that is claimed",
    HALF_NOISE.name: "half of the noise that is claimed",
    Plain().name: "no noise, and no claim",
}


def reports() -> list[MonitorReport]:
    """Everything that is drawn."""
    setups: tuple[Setup, ...] = (HONEST, HALF_NOISE, Plain())
    analyst = Correlation.sized(rows=ROWS, questions=QUESTIONS)
    return [
        monitor(each, analyst, samples=SAMPLES, repeats=REPEATS, epsilon=EPSILON, seed=SEED)
        for each in setups
    ]


def draw_monitor(found: Sequence[MonitorReport], path: Path, *, command: str = COMMAND) -> Path:
    """A panel for each report: means with their limits, and the most that each claim allows."""
    one = found[0]
    caption = (
        f"{one.analyst}, {one.rows:,} rows, {one.questions:,} questions, {one.repeats} × "
        f"{one.samples} conversations, ε′ = {float(one.epsilon):g}, limits at level {one.level:g}, "
        f"seed {one.seed}\n{command}"
    )
    with picture(path, size=(9.5, 1.1 + 1.75 * len(found)), caption=caption) as figure:
        panels = figure.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0]
        for axes, report in zip(panels, found, strict=True):
            _panel(axes, report)
        panels[-1].set_xlabel("how much the sample overstates the question, in shares")
        _legend(panels[0])
    return path


def _panel(axes: "Axes", report: MonitorReport) -> None:
    # How far answers are off is another matter than how much their questions overfit.
    measures = [each for each in report.measures if "error" not in each.name]
    axes.set_title(_TITLES.get(report.mechanism, report.mechanism), fontsize=10)
    axes.set_yticks(range(len(measures)), [each.name for each in measures])
    axes.set_ylim(len(measures) - 0.5, -0.5)
    axes.axvline(0, color=GREY, linewidth=0.8)
    ruled(axes)
    axes.grid(visible=False, axis="y")
    for at, measure in enumerate(measures):
        _mean(axes, at, measure)


def _mean(axes: "Axes", at: int, measure: Measure) -> None:
    colour = ORANGE if measure.flagged else BLUE
    axes.plot([measure.low, measure.high], [at, at], color=colour, linewidth=2.4, zorder=3)
    marker = "X" if measure.flagged else "o"
    axes.plot(measure.estimate, at, marker, color=colour, markersize=8, zorder=4,
              markeredgecolor="white")  # fmt: skip
    for allowance in measure.allowances:
        if allowance.most < 1:
            style = "dotted" if allowance.theorem == "T-monitor" else "solid"
            axes.plot([allowance.most] * 2, [at - 0.36, at + 0.36], color=INK, linewidth=2.2,
                      linestyle=style, zorder=2)  # fmt: skip
    if measure.flagged:
        axes.annotate(
            "more than allowed", (measure.high, at), xytext=(7, 0), textcoords="offset points",
            va="center", fontsize=9, fontweight="bold", color=ORANGE,
        )  # fmt: skip


def _legend(axes: "Axes") -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    axes.legend(
        handles=[
            Line2D([], [], color=BLUE, marker="o", linewidth=2.4, label="mean and its limits"),
            Line2D([], [], color=INK, linewidth=2.2, label="allowed, by the drift"),
            Line2D([], [], color=INK, linewidth=2.2, linestyle="dotted",
                   label="allowed, by the founding notes"),
        ],
        loc="lower center", bbox_to_anchor=(0.5, 1.18), ncols=3, frameon=False, fontsize=9,
    )  # fmt: skip


if __name__ == "__main__":
    draw_monitor(reports(), Path(sys.argv[1]))

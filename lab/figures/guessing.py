"""The picture of checked guesses: what every failure costs, and from when on noise is better.

    python -m lab.figures.guessing docs/figures/guessing.png

Half of the rows guess and the other half checks, at the tolerance at which no guess fails by
chance (T-two-samples). Noise, fresh rows and the line without adaptivity use all rows.
"""

import sys
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from pathlib import Path
from typing import TYPE_CHECKING, final

from peekproof.audit.figures.look import BLUE, GREEN, GREY, INK, ORANGE, picture, ruled
from peekproof.audit.guesses import HALF, failures_within, split_guessing
from peekproof.core.certificate import Target
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan
from peekproof.theory.generalization.splitting import split_certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS = (1_000, 10_000, 100_000)
QUESTIONS, FAILURES = 1_000, 200
BETA = Fraction(1, 20)
TARGET = Target(confidence=1 - BETA, questions=QUESTIONS)
COMMAND = "python -m lab.figures.guessing FILE"

_GUESSES, _NOISE, _FRESH = BLUE, ORANGE, GREEN
_LOWEST = 0.005


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The radii at one number of rows: of guesses by failures, and of what has no failures.

    `most` is the number of failures up to which guesses say something and are no wider than noise.
    """

    rows: int
    guesses: tuple[float, ...]
    noise: float
    fresh: float
    fixed: float
    most: int | None


def panels() -> tuple[Panel, ...]:
    """Everything that is drawn."""
    return tuple(_panel(rows) for rows in ROWS)


def _panel(rows: int) -> Panel:
    guesses = [
        split_guessing(rows=rows, share=HALF, target=TARGET, failures=failures)
        for failures in range(FAILURES + 1)
    ]
    noise = plan(rows=rows, target=TARGET, mechanisms=(Gaussian,)).radius
    return Panel(
        rows=rows,
        guesses=tuple(each.radius for each in guesses),
        noise=noise,
        fresh=plan(rows=rows, target=TARGET, mechanisms=(FreshRows,)).radius,
        fixed=split_certificate(rows=rows, rounds=1, target=TARGET).radius,
        most=failures_within(
            rows=guesses[0].rows,
            guessing_rows=guesses[0].guessing_rows,
            target=TARGET,
            radius=min(noise, nextafter(VACUOUS, 0)),
        ),
    )


def draw_guessing(path: Path) -> Path:
    """The radius against the number of failed guesses, a panel for each number of rows."""
    caption = (
        f"{QUESTIONS:,} questions, β = {float(BETA):g}, all intervals together; guesses: half of "
        f"the rows guess, the others check (T-check, T-two-samples)   ·   {COMMAND}"
    )
    with picture(path, size=(11, 5), caption=caption) as figure:
        for axes, panel in zip(figure.subplots(1, len(ROWS), sharey=True), panels(), strict=True):
            _frame(axes, panel)
            _lines(axes, panel)
            _names(axes, panel)
        figure.axes[0].set_ylabel("radius of every interval")
    return path


def _frame(axes: "Axes", panel: Panel) -> None:
    axes.set_title(f"{panel.rows:,} rows")
    axes.set_xlabel("failed guesses")
    axes.set_xlim(0, FAILURES)
    axes.set_yscale("log")
    axes.set_ylim(_LOWEST, 1.03)
    axes.set_yticks([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda radius, _: f"{radius:g}")
    axes.axhspan(VACUOUS, 1.03, color=GREY, alpha=0.16, linewidth=0)
    ruled(axes)


def _lines(axes: "Axes", panel: Panel) -> None:
    for radius, colour, dashes in (
        (panel.noise, _NOISE, "-"),
        (panel.fresh, _FRESH, "--"),
        (panel.fixed, INK, ":"),
    ):
        axes.axhline(radius, color=colour, linestyle=dashes, linewidth=2.0)
    axes.plot(range(FAILURES + 1), panel.guesses, color=_GUESSES, linewidth=3.0, zorder=3)
    if panel.most is not None and panel.most <= FAILURES:
        at = (panel.most, panel.guesses[panel.most])
        serves = "narrower than noise" if panel.noise < VACUOUS else "they say something"
        axes.plot(*at, "o", color=_GUESSES, markersize=8, markeredgecolor="white", zorder=4)
        axes.annotate(
            f"{serves}\nup to {panel.most} failures", at, xytext=(20, -19),
            textcoords="offset points", fontsize=9, color=INK, va="top",
            arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8},
        )  # fmt: skip


def _names(axes: "Axes", panel: Panel) -> None:
    none = panel.guesses[0]
    for name, radius, colour, side, below in (
        (f"Gaussian noise, {panel.noise:.3f}", panel.noise, _NOISE, "right", 3),
        (f"fresh rows, {panel.fresh:.3g}", panel.fresh, _FRESH, "left", 3),
        (f"if nothing adapts, {panel.fixed:.2g}", panel.fixed, INK, "right", 3),
        (f"checked guesses,\n{none:.3f} if none fails", none, _GUESSES, "left", 10),
    ):
        inwards = 5 if side == "left" else -4
        axes.annotate(
            name, (0 if side == "left" else FAILURES, radius), xytext=(inwards, -below), ha=side,
            textcoords="offset points", va="top", fontsize=9, fontweight="bold", color=colour,
        )  # fmt: skip
    if max(panel.fresh, panel.guesses[-1]) < VACUOUS:  # where nothing else stands there
        axes.text(
            FAILURES - 4, VACUOUS * 1.06, f"says nothing: radius ≥ {VACUOUS:g}", fontsize=9,
            color=INK, ha="right", va="bottom",
        )  # fmt: skip


if __name__ == "__main__":
    draw_guessing(Path(sys.argv[1]))

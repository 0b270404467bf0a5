"""The picture of Freedman's paradox: what noise seems to explain, and what a session says of it.

python -m lab.figures.freedman docs/figures/freedman.png
"""

import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from lab.experiments.freedman import ROWS, VARIABLES, Fit, Told, repetitions, told
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.figures.look import BLUE, GREY, INK, ORANGE, picture, ruled
from peekproof.core.errors import VacuousPlan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMMAND = "python -m lab.figures.freedman FILE"
REPETITIONS, SEED = 5_000, 1
SIZES = (100, 200, 400, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_MOST = 1.0  # R² is never above


def draw_freedman(
    path: Path, *, count: int = REPETITIONS, sizes: Sequence[int] = SIZES, seed: int = SEED
) -> Path:
    """How many variables seem to matter, what they seem to explain, and that by rows."""
    fits = list(repetitions(count, seed=seed))
    questions = Freedman(rows=ROWS, features=VARIABLES).questions
    caption = (
        f"{ROWS} rows and {VARIABLES} variables of noise, {count:,} times; sessions: confidence "
        f"0.95, all {questions} questions together, seed {seed}   ·   {COMMAND}"
    )
    with picture(path, size=(12, 4.6), caption=caption) as figure:
        _panels(figure, fits, [told(rows, seed=seed) for rows in sizes])
    return path


def _panels(figure: "Figure", fits: Sequence[Fit], by_rows: Sequence[Told]) -> None:
    counts, explained, session = figure.subplots(1, 3, width_ratios=(1, 1, 1.35))
    _significant(counts, fits)
    _explained(explained, fits)
    _session(session, by_rows)


def _significant(axes: "Axes", fits: Sequence[Fit]) -> None:
    found = Counter(fit.significant for fit in fits)
    numbers = range(max(found) + 1)
    axes.bar(
        numbers, [found[number] / len(fits) for number in numbers], color=ORANGE, alpha=0.75,
        edgecolor="white",
    )  # fmt: skip
    _mean(axes, fmean(fit.significant for fit in fits), form="{:.1f}")
    axes.set_title("“Significant” variables")
    axes.set_xlabel("with p ≤ 0.05 after screening")
    axes.set_ylabel("share of repetitions")


def _explained(axes: "Axes", fits: Sequence[Fit]) -> None:
    values = [fit.r_squared for fit in fits]
    axes.hist(
        values, bins=30, weights=[1 / len(values)] * len(values), color=ORANGE, alpha=0.75,
        edgecolor="white",
    )  # fmt: skip
    axes.axvline(0, color=INK, linewidth=2)
    _mean(axes, fmean(values), form="{:.2f}")
    axes.annotate(
        "truth: 0", (0, 1), xycoords=("data", "axes fraction"), xytext=(5, -4),
        textcoords="offset points", fontsize=9, va="top", color=INK,
    )  # fmt: skip
    axes.set_title("What they “explain”")
    axes.set_xlabel("R² of the second fit")
    axes.set_xlim(left=-0.03)


def _mean(axes: "Axes", mean: float, *, form: str) -> None:
    ruled(axes)
    axes.axvline(mean, color=INK, linestyle="--", linewidth=1.5)
    axes.annotate(
        f"mean {form.format(mean)}", (mean, 1), xycoords=("data", "axes fraction"),
        xytext=(5, -4), textcoords="offset points", fontsize=9, va="top", color=INK,
    )  # fmt: skip


def _session(axes: "Axes", by_rows: Sequence[Told]) -> None:
    ruled(axes)
    axes.set_xscale("log")
    axes.set_ylim(-_MOST, _MOST)
    first = by_rows[0].rows * 0.75
    axes.axhline(0, color=INK, linewidth=1.2)
    missed = sum(0 not in each.plain for each in by_rows)
    plainly = f"plain sample:\n{missed} of {len(by_rows)} miss 0"
    for each in by_rows:
        if each.held is not None:
            low, high = max(-_MOST, each.held.low), min(_MOST, each.held.high)
            axes.plot(
                [each.rows, each.rows], [low, high], color=BLUE, linewidth=7, alpha=0.35,
                solid_capstyle="butt", label="Peekproof: interval",
            )  # fmt: skip
        axes.errorbar(
            each.rows, each.plain.value, yerr=each.plain.high - each.plain.value, color=ORANGE,
            marker="s", markersize=5, capsize=3, linewidth=2, label=plainly,
        )  # fmt: skip
    refusals = [each.refusal for each in by_rows if isinstance(each.refusal, VacuousPlan)]
    if refusals:
        needed = refusals[0].rows_needed
        axes.axvspan(first, needed, color=GREY, alpha=0.2, linewidth=0)
        axes.text(
            sqrt(first * needed), -0.55, f"Peekproof refuses\nbelow {needed:,} rows",
            ha="center", fontsize=9, color=INK,
        )  # fmt: skip
    axes.set_xlim(left=first)
    axes.set_title("R² by asking a sample")
    axes.set_xlabel("rows")
    axes.set_ylabel("R² as told")
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    axes.legend(unique.values(), unique.keys(), loc="lower right", frameon=False, fontsize=9)


if __name__ == "__main__":
    draw_freedman(Path(sys.argv[1]))

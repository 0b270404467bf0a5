"""The picture of the demonstration: what three holdouts claimed, and a signal found."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from peekproof.audit.demonstration import (
    CHECKPOINTS,
    FEATURES,
    ROWS,
    SIGNAL_SHARE,
    TRUTH,
    Climb,
    Story,
)
from peekproof.audit.figures.look import GREY, INK, picture
from peekproof.core.answer import Answer
from peekproof.core.numerics import decimal_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Told apart by lightness, marker and line as well as by hue.
_STYLES = {
    "plain holdout": ("#c44e2b", "o", "-", "plain holdout, textbook interval"),
    "noise only": ("#e2a93b", "s", "--", "noisy answer, interval for the noise only"),
    "Peekproof": ("#1f5a8c", "D", "-", "Peekproof, interval for the population"),
}


def draw(story: Story, folder: Path, *, seed: int) -> list[Path]:
    """Write peekproof-demo.png and .svg into `folder`."""
    caption = (
        f"{ROWS:,} rows, {FEATURES:,} features; textbook and noise intervals 95% each, "
        f"Peekproof's {story.confidence:.0%} for all together   ·   peekproof demo --seed {seed}"
    )
    paths = [folder / "peekproof-demo.png", folder / "peekproof-demo.svg"]
    for path in paths:
        with picture(path, size=(10.5, 4.6), caption=caption) as figure:
            left, right = figure.subplots(1, 2, width_ratios=[1.25, 1], sharey=True)
            _draw_climbs(left, story.climbs)
            _draw_signals(right, story.signals)
    return paths


def _draw_climbs(axes: "Axes", climbs: Sequence[Climb]) -> None:
    axes.axhline(TRUTH, color=INK, linewidth=1, linestyle=":")
    for climb in reversed(climbs):
        colour, marker, line, label = _STYLES[climb.name]
        sizes = [size for size, _ in climb.replies]
        values = [reply.value for _, reply in climb.replies]
        lows = [reply.low for _, reply in climb.replies]
        highs = [reply.high for _, reply in climb.replies]
        axes.fill_between(sizes, lows, highs, color=colour, alpha=0.18, linewidth=0)
        axes.plot(sizes, values, line, color=colour, marker=marker, markersize=4.5, label=label)
    most = CHECKPOINTS[-1]
    for climb in climbs:
        axes.annotate(
            f"{climb.last.value:.0%}", (most, climb.last.value), xytext=(8, 0),
            textcoords="offset points", va="center", fontsize=9, color=_STYLES[climb.name][0],
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(8, most * 2.2)
    axes.set_ylim(0.2, 1.0)
    axes.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
    axes.minorticks_off()
    axes.set_xlabel("features the analyst asked about, keeping what looked good")
    axes.set_ylabel("share of correct predictions")
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.annotate(
        f"truth {TRUTH:.0%}", (most, TRUTH), xytext=(8, -3), textcoords="offset points", va="top",
        fontsize=9, color=INK,
    )  # fmt: skip
    axes.set_title("Data without any signal")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="upper left", frameon=False, fontsize=9)


def _draw_signals(axes: "Axes", signals: Sequence[Answer]) -> None:
    ranked = sorted(signals, key=lambda answer: answer.value)
    colour = _STYLES["Peekproof"][0]
    axes.axhline(TRUTH, color=INK, linewidth=1, linestyle=":")
    ranks = range(len(ranked))
    lows, highs = [answer.low for answer in ranked], [answer.high for answer in ranked]
    axes.fill_between(ranks, lows, highs, color=GREY, alpha=0.22, linewidth=0)
    values = [answer.value for answer in ranked]
    axes.plot(ranks, values, ".", color=GREY, markersize=1.5, rasterized=True)
    for rank, answer in enumerate(ranked):
        if TRUTH in answer:
            continue
        axes.plot([rank, rank], [answer.low, answer.high], color=colour, linewidth=2)
        axes.plot(rank, answer.value, "D", color=colour, markersize=5)
        axes.annotate(
            f"found: {answer.question.partition(' ')[0]}\n{answer.low:.0%} to "
            f"{answer.high:.0%}\n(truth {SIGNAL_SHARE:.0%})",
            (rank, answer.value), xytext=(-12, 0), textcoords="offset points", ha="right",
            va="center", color=colour, fontsize=9,
        )  # fmt: skip
    axes.set_xlim(-20, len(ranked) + 20)
    axes.set_xticks([])
    reach = decimal_up(ranked[0].radius, places=3)
    axes.set_xlabel(f"{len(ranked):,} features by answer, each with its interval (±{reach})")
    axes.set_title("Data with one real signal")

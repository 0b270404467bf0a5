"""The picture of one attack: what each mechanism claims about the last question.

    peekproof attack NAME --plot FILE

Each mechanism tells an analyst something else, who then may ask something else at the end; so
claims are drawn by how far they are from their own truth.
"""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from peekproof.audit.fight import Decisive, Outcome
from peekproof.audit.figures.look import BLUE, GREY, INK, ORANGE, picture, ruled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 120  # letters of a caption


def draw_attack(
    path: Path, outcomes: Sequence[Outcome], *, rows: int, confidence: float, command: str
) -> Path:
    """Intervals as bars, one mechanism below another, around the truth at 0."""
    first = outcomes[0]
    caption = (
        f"n = {rows:,}, up to {first.questions:,} questions, confidence {confidence:g} for all "
        f"intervals together, seed {first.seed}\n{fill(command, _LINE)}"
    )
    with picture(path, size=(9, 2.1 + 0.5 * len(outcomes)), caption=caption) as figure:
        axes = figure.subplots()
        _frame(axes, outcomes)
        for place, outcome in enumerate(outcomes):
            if outcome.decisive:
                _bar(axes, place, outcome.decisive)
            else:
                word = "refused" if outcome.applies else "does not answer such questions"
                axes.annotate(
                    word, (0, place), xytext=(6, 0), textcoords="offset points", va="center",
                    color=GREY, fontsize=9,
                )  # fmt: skip
    return path


def _frame(axes: "Axes", outcomes: Sequence[Outcome]) -> None:
    first = outcomes[0]
    axes.set_title(f"The last question of {first.attack}: what is claimed about it", pad=26)
    ruled(axes)
    axes.grid(visible=False, axis="y")
    axes.set_yticks(range(len(outcomes)), [each.mechanism for each in outcomes])
    axes.set_ylim(len(outcomes) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.use_sticky_edges = False
    axes.set_xlabel("distance from the truth")
    axes.axvline(0, color=INK, linewidth=1.6)
    axes.axvline(first.predicted, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
    top = axes.get_xaxis_transform()
    axes.annotate(
        "truth", (0, 1), xycoords=top, xytext=(-4, 4), textcoords="offset points", ha="right",
        fontsize=9,
    )  # fmt: skip
    axes.annotate(
        f"{first.predicted:.3f}: expected of exact answers", (first.predicted, 1), xycoords=top,
        xytext=(4, 4), textcoords="offset points", ha="left", fontsize=9,
    )  # fmt: skip


def _bar(axes: "Axes", place: int, claim: Decisive) -> None:
    low, value, high = (each - claim.truth for each in (claim.low, claim.value, claim.high))
    colour = BLUE if claim.holds else ORANGE
    axes.barh(
        place, high - low, left=low, height=0.34, facecolor=colour, alpha=0.35, linewidth=0,
    )  # fmt: skip
    axes.barh(
        place, high - low, left=low, height=0.34, facecolor="none", edgecolor=colour,
        hatch="" if claim.holds else "/////", linewidth=1.2,
    )  # fmt: skip
    axes.plot(value, place, "o" if claim.holds else "X", color=INK, markersize=6, zorder=4)
    axes.annotate(
        "holds" if claim.holds else "misses", (max(high, 0), place), xytext=(7, 0),
        textcoords="offset points", va="center", fontsize=9, color=INK,
        fontweight="normal" if claim.holds else "bold",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )  # fmt: skip

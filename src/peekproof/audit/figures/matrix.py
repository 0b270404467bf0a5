"""The picture of all attacks on all mechanisms: a cell for each conversation.

Drawn by `peekproof attack all --plot FILE`.
"""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from peekproof.audit.fight import Outcome
from peekproof.audit.figures.look import INK, ORANGE, SKY, picture
from peekproof.audit.matrix import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "peekproof attack all --plot FILE"

# Inches of a cell, and around all of them.
_WIDE, _HIGH = 1.12, 0.44
_LEFT, _BELOW = 1.9, 2.1
_LINE = 120  # letters of a caption


def draw_matrix(path: Path, found: Matrix, *, command: str = COMMAND) -> Path:
    """Errors and claims of every conversation, mechanisms one below another, controls first."""
    wide, high = len(found.attacks), len(found.mechanisms)
    caption = (
        f"n = {found.rows:,}, up to {found.questions:,} questions, confidence "
        f"{float(found.confidence):g} for all intervals together, seed {found.seed}\n"
        f"{fill(command, _LINE)}"
    )
    size = (max(8.0, _LEFT + _WIDE * wide), _BELOW + _HIGH * high)
    with picture(path, size=size, caption=caption) as figure:
        axes = figure.subplots()
        _frame(axes, found)
        for row, mechanism in enumerate(found.mechanisms):
            for column, outcome in enumerate(found.of(mechanism)):
                _cell(axes, column, row, outcome)
        _legend(axes)
    return path


def _frame(axes: "Axes", found: Matrix) -> None:
    axes.set_title("Who is fooled: the largest error, ± the widest interval claimed", pad=12)
    axes.set_xlim(-0.5, len(found.attacks) - 0.5)
    axes.set_ylim(len(found.mechanisms) - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(range(len(found.attacks)), [_head(found, each) for each in found.attacks])
    axes.tick_params(axis="x", labelsize=8.5)
    axes.set_yticks(range(len(found.mechanisms)), found.mechanisms)
    axes.spines[:].set_visible(False)
    controls = len(found.controls)
    if 0 < controls < len(found.mechanisms):
        axes.axhline(controls - 0.5, color=INK, linewidth=2.2, zorder=5)
        for label in axes.get_yticklabels()[:controls]:
            label.set_fontstyle("italic")


def _head(found: Matrix, attack: str) -> str:
    predicted = found.at(attack, found.mechanisms[0]).predicted
    return f"{attack}\n{predicted:.3f} at the end"


def _cell(axes: "Axes", column: int, row: int, outcome: Outcome) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    def box(face: str, hatch: str, edge: str) -> None:
        corner = (column - 0.48, row - 0.47)
        axes.add_patch(
            Rectangle(corner, 0.96, 0.94, facecolor=face, hatch=hatch, edgecolor=edge, linewidth=0)
        )

    def write(text: str, height: float, **how: object) -> None:
        axes.text(column, row + height, text, ha="center", va="center", **how)  # type: ignore[arg-type]

    if not outcome.began:
        if outcome.refusal:
            box("white", "....", "#c3cad2")
        plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        write("refused" if outcome.refusal else "–", 0.0, fontsize=9, color=INK, bbox=plate)
        return
    if outcome.covered:
        box("#dcecf7", "", SKY)
    else:
        box("#f6c9a8", "////", ORANGE)
    mark = "✓" if outcome.covered else "✗"
    some = " r" if outcome.refused else ""
    plate = {"facecolor": "#f6c9a8", "edgecolor": "none", "pad": 1.0}
    behind = {} if outcome.covered else {"bbox": plate}
    weight = "normal" if outcome.covered else "bold"
    error = f"{outcome.forced:.3f} {mark}{some}"
    write(error, -0.17, fontsize=10, color=INK, fontweight=weight, **behind)
    write(f"±{outcome.widest:.3f}", 0.24, fontsize=7.5, color=INK, **behind)


def _legend(axes: "Axes") -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415

    signs = [
        Patch(facecolor="#dcecf7", label="✓ every interval held"),
        Patch(facecolor="#f6c9a8", hatch="////", edgecolor=ORANGE, label="✗ intervals missed"),
        Patch(facecolor="white", hatch="....", edgecolor="#c3cad2", label="would not begin"),
        Patch(facecolor="none", edgecolor="none", label="r: some questions refused"),
        Patch(facecolor="none", edgecolor="none", label="–: no such questions"),
        Patch(facecolor="none", edgecolor="none", label="at the end: what exact answers err by"),
    ]
    axes.legend(
        handles=signs, loc="upper center", bbox_to_anchor=(0.45, -0.01), ncols=3,
        frameon=False, fontsize=8.5, handlelength=1.6, columnspacing=1.4,
    )  # fmt: skip

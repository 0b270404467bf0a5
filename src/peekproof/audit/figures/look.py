"""How pictures look: the same ink, colours that everybody can tell apart, a caption that repeats.

Colours are after Okabe and Ito. Hue is never the only difference: lines also differ in dashes or
markers, areas in hatching, so that a picture can be read in black and white.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GREY = "#1f2933", "#7b8794"
DARK = "#123f73"  # for the one line that matters most
BLUE, ORANGE, GREEN, SKY, PINK = "#0072b2", "#d55e00", "#009e73", "#4fb0e8", "#b0578d"

_LOOK: dict[Any, Any] = {
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "svg.hashsalt": "peekproof",
    "svg.fonttype": "none",
}


@contextmanager
def picture(path: Path, *, size: tuple[float, float], caption: str) -> Iterator["Figure"]:
    """A figure that is written to `path` at the end.

    The caption names sizes, seed and the command that draws it again.
    """
    from matplotlib import rc_context  # noqa: PLC0415 (an optional dependency, slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context(_LOOK):
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        yield figure
        figure.supxlabel(caption, fontsize=8, color=GREY)
        undated = {"Date": None} if path.suffix.lower() == ".svg" else None
        figure.savefig(path, dpi=160, metadata=undated)


def ruled(axes: "Axes") -> None:
    """Faint lines behind what is drawn."""
    axes.grid(visible=True, which="major", color=GREY, alpha=0.18, linewidth=0.8)
    axes.set_axisbelow(True)

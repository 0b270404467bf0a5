"""The picture of the planning chains: the rows needed against the number of questions."""

from collections.abc import Sequence
from pathlib import Path

from peekproof.audit.figures.look import DARK, GREEN, GREY, ORANGE, picture, ruled
from peekproof.audit.growth import RowsNeeded

# Colour is what is promised, and so is the marker; dashes are how stability is counted.
_LINES = {
    "one_by_variation": (ORANGE, "-o", 1.6, "one question, TV added: k²"),
    "one_by_privacy": (ORANGE, "--o", 1.6, "one question, private: k"),
    "average_by_variation": (GREEN, "-^", 1.6, "on average, TV added: k"),
    "certified": (DARK, "-", 3.4, "Peekproof, all answers together: √k"),
    "average_by_privacy": (GREEN, "--^", 1.6, "on average, private: √k"),
}


def draw_chains(
    rows: Sequence[RowsNeeded], path: Path, *, radius: float, confidence: float, command: str
) -> Path:
    """Rows against questions, one line a chain, the certificate bold."""
    with picture(path, size=(10, 5.6), caption=command) as figure:
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_yscale("log")
        for field, (colour, style, width, label) in _LINES.items():
            points = [
                (row.questions, needed)
                for row in rows
                if (needed := row.to_dict()[field]) is not None
            ]
            if points:
                counts, needed_rows = zip(*points, strict=True)
                axes.plot(
                    counts, needed_rows, style, color=colour, linewidth=width, markersize=5,
                    label=label,
                )  # fmt: skip
        axes.set_xlabel("adaptively chosen questions k")
        axes.set_ylabel("rows needed")
        axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        ruled(axes)
        axes.set_title(f"Rows for ±{radius:g}: what grows like k, and what like √k")
        legend = axes.legend(
            loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9,
            title=f"Goals on average or for one question\nare not simultaneous and certify nothing;"
            f"\nours holds for all at confidence {confidence:g}.", title_fontsize=8.5,
            alignment="left",
        )  # fmt: skip
        legend.get_title().set_color(GREY)
    return path

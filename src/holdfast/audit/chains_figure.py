"""The picture of the planning chains: the rows needed against the number of questions."""

from collections.abc import Sequence
from pathlib import Path

from holdfast.planner.growth import RowsNeeded

_INK, _GREY = "#1f2933", "#7b8794"

_LINES = {
    "one_by_variation": ("#b4451f", "-", 1.6, "one question, TV added: k²"),
    "one_by_privacy": ("#b4451f", "--", 1.6, "one question, private: k"),
    "average_by_variation": ("#7a9e3f", "-", 1.6, "on average, TV added: k"),
    "certified": ("#123f73", "-", 3.4, "Holdfast, all answers together: √k"),
    "average_by_privacy": ("#7a9e3f", "--", 1.6, "on average, private: √k"),
}


def draw_chains(
    rows: Sequence[RowsNeeded], path: Path, *, radius: float, confidence: float, command: str
) -> Path:
    """Rows against questions, one line a chain, the certificate bold."""
    from matplotlib import rc_context  # noqa: PLC0415 (an optional dependency, slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context({"svg.hashsalt": "holdfast", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 5.6), layout="constrained", facecolor="white")
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
                axes.plot(counts, needed_rows, style, color=colour, linewidth=width, label=label)
        axes.set_xlabel("adaptively chosen questions k")
        axes.set_ylabel("rows needed")
        axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        axes.grid(visible=True, which="major", color=_GREY, alpha=0.18, linewidth=0.8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.set_title(
            f"Rows for ±{radius:g}: what grows like k, and what like √k",
            loc="left", fontweight="bold", color=_INK,
        )  # fmt: skip
        legend = axes.legend(
            loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9,
            title=f"Goals on average or for one question\nare not simultaneous and certify nothing;"
            f"\nours holds for all at confidence {confidence:g}.", title_fontsize=8.5,
            alignment="left",
        )  # fmt: skip
        legend.get_title().set_color(_GREY)
        figure.supxlabel(command, fontsize=8, color=_GREY)
        figure.savefig(
            path, dpi=160, metadata={"Date": None} if path.suffix.lower() == ".svg" else None
        )
    return path

"""The picture of all routes: the radius against the number of questions, ours among them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from peekproof.audit.figures.look import DARK, GREY, INK, picture, ruled
from peekproof.audit.routes import OURS, REFERENCE, ROUNDS, SPLIT, TRUNCATION
from peekproof.mechanisms.base import VACUOUS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = Sequence[tuple[int, float]]
Look = tuple[str, Literal["-", "--", "-.", ":"], float]

# Families share a hue and a marker; within one, lines differ by lightness and by dashes.
_MARKERS = {
    "drift, from privacy alone": "v",
    "posterior": "o",
    "monitor": "s",
    "mutual information": "^",
    "total variation": "D",
}
_STRIDE, _SIZE = 5, 4.5  # points from marker to marker, and how large they are

_FAMILIES: dict[str, dict[str, Look]] = {
    "a session can run it": {
        OURS: (DARK, "-", 3.4),
        TRUNCATION: ("#2f7fc1", "-", 2.0),
        SPLIT: ("#2f7fc1", "--", 2.0),
        ROUNDS: ("#2f7fc1", ":", 2.4),
    },
    "drift, from privacy alone": {
        "Gaussian noise, drift of any GDP": ("#0f8b8d", "-", 1.2),
        "Laplace noise, drift of pure DP": ("#0f8b8d", "--", 1.2),
    },
    "posterior": {
        "Gaussian noise, joint posterior": ("#5b3d99", "-.", 1.4),
        "Gaussian noise, posterior": ("#8f6fc7", "-", 1.2),
        "Gaussian noise as zCDP, posterior": ("#8f6fc7", "--", 1.2),
        "Laplace noise, posterior": ("#8f6fc7", ":", 1.4),
    },
    "monitor": {
        "Gaussian noise, two-sided monitor": ("#a8441b", "-", 1.2),
        "Gaussian noise, monitor": ("#de8a4b", "--", 1.2),
        "Laplace noise, monitor for (ε, δ)": ("#de8a4b", ":", 1.4),
    },
    "mutual information": {
        "Gaussian noise, information by leaving one out": ("#2f6b3a", "-", 1.2),
        "Gaussian noise, information by zCDP": ("#74a85a", "-.", 1.2),
    },
    "total variation": {
        "Gaussian noise, total variation of the whole": ("#a3476b", "-", 1.2),
        "Gaussian noise, total variation added": ("#a3476b", "--", 1.2),
    },
    "not for all answers together": {
        "one question, total variation of the whole": ("#9aa5b1", "-", 1.2),
        "one question, total variation added": ("#9aa5b1", "--", 1.2),
        REFERENCE: (INK, ":", 1.6),
    },
}
DRAWN = tuple(route for family in _FAMILIES.values() for route in family)


def draw_routes(
    curves: Mapping[str, Curve], path: Path, *, rows: int, confidence: float, command: str
) -> Path:
    """Radius against questions, one line a route, ours bold."""
    with picture(path, size=(11, 6.4), caption=command) as figure:
        axes = figure.subplots()
        most = max(count for curve in curves.values() for count, _ in curve)
        least = min(radius for curve in curves.values() for _, radius in curve)
        _frame(axes, most=most, lowest=least / 1.25)
        for number, (title, family) in enumerate(reversed(_FAMILIES.items())):
            for place, (route, look) in enumerate(family.items()):
                if route in curves:
                    starts = (number + 2 * place) % _STRIDE  # so that markers do not meet
                    _line(axes, curves[route], look, marker=_MARKERS.get(title), starts=starts)
        for route in (OURS, REFERENCE):
            if route in curves:
                colour = next(f[route][0] for f in _FAMILIES.values() if route in f)
                _label(axes, curves[route], route, colour=colour)
        axes.set_title(
            f"{rows:,} rows, confidence {confidence:g}: the radius that each route promises"
        )
        _legend(axes, curves)
    return path


def _frame(axes: "Axes", *, most: int, lowest: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1, most)
    axes.set_ylim(lowest, 1)
    axes.axhspan(VACUOUS, 1, color=GREY, alpha=0.16, linewidth=0)
    axes.text(
        1.12, VACUOUS * 1.06, f"says nothing: radius ≥ {VACUOUS:g}", fontsize=9, color=INK,
        va="bottom",
    )  # fmt: skip
    axes.set_xlabel("adaptively chosen questions")
    axes.set_ylabel("radius of every interval")
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    axes.yaxis.set_major_formatter(lambda radius, _: f"{radius:g}")
    ruled(axes)


def _line(axes: "Axes", curve: Curve, look: Look, *, marker: str | None, starts: int) -> None:
    # Up to the first point that says nothing; beyond it there is nothing to see.
    ends = next((at for at, (_, radius) in enumerate(curve) if radius >= 1), len(curve) - 1)
    counts, radii = zip(*curve[: ends + 1], strict=True)
    colour, style, width = look
    # Two lines nearly coincide; the dash-dotted one lies on top, so that both are seen.
    axes.plot(
        counts, radii, style, color=colour, linewidth=width, solid_capstyle="round",
        zorder=3 if style == "-." else 2, marker=marker, markersize=_SIZE,
        markevery=(starts, _STRIDE),
    )  # fmt: skip


def _label(axes: "Axes", curve: Curve, name: str, *, colour: str) -> None:
    """The name of a line along it, below its middle."""
    middle, radius = min(curve, key=lambda point: abs(point[0] - 30))
    if radius < VACUOUS:
        axes.annotate(
            name, (middle, radius), xytext=(4, -6), textcoords="offset points", va="top",
            fontsize=10, fontweight="bold", color=colour,
        )  # fmt: skip


def _legend(axes: "Axes", curves: Mapping[str, Curve]) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles: list[Line2D] = []
    labels: list[str] = []
    titles: list[int] = []
    for title, family in _FAMILIES.items():
        present = {route: look for route, look in family.items() if route in curves}
        if not present:
            continue
        handles.append(Line2D([], [], linestyle="none"))
        titles.append(len(labels))
        labels.append(title)
        for route, (colour, style, width) in present.items():
            handles.append(
                Line2D(
                    [], [], color=colour, linestyle=style, linewidth=width,
                    marker=_MARKERS.get(title), markersize=_SIZE,
                )
            )  # fmt: skip
            labels.append(route)
    drawn = axes.legend(
        handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8.5,
        handlelength=3.4, labelspacing=0.45,
    )  # fmt: skip
    for at in titles:
        text = drawn.get_texts()[at]
        text.set_fontweight("bold")
        text.set_color(INK)

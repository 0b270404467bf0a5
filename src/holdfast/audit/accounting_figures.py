"""Pictures of accounting: how ε grows with the number of answers, and the law of one loss."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.theory.divergence.loss_variable import LossVariable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = Sequence[tuple[int, float]]

_INK, _GREY = "#1f2933", "#7b8794"
_STYLES = {
    "basic": ("#b4451f", "-", "basic: Σε"),
    "advanced": ("#d9902f", "-", "advanced"),
    "zCDP": ("#7a9e3f", "--", "zCDP"),
    "Rényi": ("#3f8f6b", "-.", "Rényi"),
    "optimal": ("#2f6fb0", "-", "optimal for (ε, δ)"),
    "Gaussian, exact": ("#5b4ba3", "-", "exact Gaussian"),
    "numerical": ("#15305b", ":", "numerical, rounded up"),
    "moments": ("#9c6ade", "-.", "moments (dp-accounting)"),
    "PLD": ("#c2185b", ":", "PLD (dp-accounting)"),
}
_COLOURS = ("#b4451f", "#2f6fb0", "#3f8f6b", "#7a4fa3", "#d9902f")


def draw_growth(
    curves: Mapping[str, Curve], path: Path, *, event: str, delta: float, command: str
) -> Path:
    """ε against the number of answers, one line a theorem."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(11, 5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
    least = {count: min(at) for count, at in _at_each_count(curves).items()}
    for name in (name for name in _STYLES if name in curves):
        colour, style, label = _STYLES[name]
        counts, epsilons = zip(*curves[name], strict=True)
        width = 2.6 if style == ":" else 1.8
        left.plot(counts, epsilons, style, color=colour, linewidth=width, label=label)
        above = [epsilon / least[count] for count, epsilon in curves[name]]
        right.plot(counts, above, style, color=colour, linewidth=width)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("number of answers")
        axes.grid(visible=True, which="major", color=_GREY, alpha=0.18, linewidth=0.8)
        _plain(axes)
    left.set_yscale("log")
    left.set_ylabel(f"total ε at δ = {delta:g}")
    left.set_title(f"{event}, repeated", loc="left", fontweight="bold", color=_INK)
    left.legend(frameon=False, fontsize=9, loc="upper left")
    right.set_ylim(0.99, 1.6)
    right.set_ylabel("ε over the smallest of them")
    right.set_title("What the other theorems give away", loc="left", fontweight="bold", color=_INK)
    figure.supxlabel(command, fontsize=8, color=_GREY)
    figure.savefig(path, dpi=160)
    return path


def _at_each_count(curves: Mapping[str, Curve]) -> dict[int, list[float]]:
    at: dict[int, list[float]] = {}
    for curve in curves.values():
        for count, epsilon in curve:
            at.setdefault(count, []).append(epsilon)
    return at


def draw_losses(variables: Mapping[str, LossVariable], path: Path, *, command: str) -> Path:
    """Pr[L > t] for the privacy loss L of each pair of laws, with its mean marked."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(8, 4.8), layout="constrained", facecolor="white")
    axes = figure.subplots()
    drawn = {name: variable.points() for name, variable in variables.items()}
    low = min(points[0][0] for points in drawn.values())
    high = max(points[-1][0] for points in drawn.values())
    margin = max(high - low, 1e-9) * 0.05
    for (name, points), colour in zip(drawn.items(), _COLOURS, strict=False):
        losses = [low - margin, *(t for t, _ in points), high + margin]
        beyond = [1.0, *(1 - below for _, below in points), 1 - points[-1][1]]
        mean = variables[name].mean()
        label = f"{name}, mean {mean:.3g}"
        axes.plot(losses, beyond, color=colour, linewidth=1.8, label=label)
        axes.plot([mean], [variables[name].tail(mean)], "o", color=colour, markersize=6)
    axes.axvline(0, color=_GREY, linewidth=0.8, linestyle=":")
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel("t, in nats")
    axes.set_ylabel("Pr[privacy loss > t]")
    axes.set_title("What one answer gives away", loc="left", fontweight="bold", color=_INK)
    axes.legend(frameon=False, fontsize=9, loc="upper right")
    _plain(axes)
    figure.supxlabel(command, fontsize=8, color=_GREY)
    figure.savefig(path, dpi=160)
    return path


def _plain(axes: "Axes") -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)

"""Pictures of accounting: how ε grows with the number of answers, and the law of one loss."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from peekproof.audit.figures.look import GREY, picture, ruled
from peekproof.theory.loss_law import LossVariable

Curve = Sequence[tuple[int, float]]

_STYLES = {
    "basic": ("#b4451f", "-o", "basic: Σε"),
    "advanced": ("#d9902f", "-^", "advanced"),
    "zCDP": ("#7a9e3f", "--", "zCDP"),
    "Rényi": ("#3f8f6b", "-.", "Rényi"),
    "optimal": ("#2f6fb0", "-", "optimal for (ε, δ)"),
    "Gaussian, exact": ("#5b4ba3", "-s", "exact Gaussian"),
    "numerical": ("#15305b", ":", "numerical, rounded up"),
    "moments": ("#9c6ade", "-.v", "moments (dp-accounting)"),
    "PLD": ("#c2185b", ":D", "PLD (dp-accounting)"),
}
_EACH = (
    ("#b4451f", "-", "o"),
    ("#2f6fb0", "--", "s"),
    ("#3f8f6b", "-.", "^"),
    ("#7a4fa3", ":", "D"),
    ("#d9902f", (0, (6, 1, 1, 1, 1, 1)), "v"),
)


def draw_growth(
    curves: Mapping[str, Curve], path: Path, *, event: str, delta: float, command: str
) -> Path:
    """ε against the number of answers, one line a theorem."""
    with picture(path, size=(11, 5), caption=command) as figure:
        left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
        least = {count: min(at) for count, at in _at_each_count(curves).items()}
        for name in (name for name in _STYLES if name in curves):
            colour, style, label = _STYLES[name]
            counts, epsilons = zip(*curves[name], strict=True)
            width = 2.6 if style == ":" else 1.8
            above = [epsilon / least[count] for count, epsilon in curves[name]]
            for axes, heights in ((left, epsilons), (right, above)):
                axes.plot(
                    counts, heights, style, color=colour, linewidth=width, markersize=4.5,
                    markevery=2, label=label,
                )  # fmt: skip
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("number of answers")
            ruled(axes)
        left.set_yscale("log")
        left.set_ylabel(f"total ε at δ = {delta:g}")
        left.set_title(f"{event}, repeated")
        left.legend(frameon=False, fontsize=9, loc="upper left")
        right.set_ylim(0.99, 1.6)
        right.set_ylabel("ε over the smallest of them")
        right.set_title("What the other theorems give away")
    return path


def _at_each_count(curves: Mapping[str, Curve]) -> dict[int, list[float]]:
    at: dict[int, list[float]] = {}
    for curve in curves.values():
        for count, epsilon in curve:
            at.setdefault(count, []).append(epsilon)
    return at


def draw_losses(variables: Mapping[str, LossVariable], path: Path, *, command: str) -> Path:
    """Pr[L > t] for the privacy loss L of each pair of laws, with its mean marked."""
    with picture(path, size=(8, 4.8), caption=command) as figure:
        axes = figure.subplots()
        drawn = {name: variable.points() for name, variable in variables.items()}
        low = min(points[0][0] for points in drawn.values())
        high = max(points[-1][0] for points in drawn.values())
        margin = max(high - low, 1e-9) * 0.05
        for (name, points), (colour, dashes, marker) in zip(drawn.items(), _EACH, strict=False):
            losses = [low - margin, *(t for t, _ in points), high + margin]
            beyond = [1.0, *(1 - below for _, below in points), 1 - points[-1][1]]
            mean = variables[name].mean()
            axes.plot(losses, beyond, color=colour, linestyle=dashes, linewidth=1.8)
            axes.plot([mean], [variables[name].tail(mean)], marker, color=colour, markersize=6)
            axes.plot(
                [], [], color=colour, linestyle=dashes, linewidth=1.8, marker=marker,
                label=f"{name}, mean {mean:.3g}",
            )  # fmt: skip
        axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_ylim(-0.02, 1.05)
        axes.set_xlabel("t, in nats")
        axes.set_ylabel("Pr[privacy loss > t]")
        axes.set_title("What one answer gives away")
        axes.legend(frameon=False, fontsize=9, loc="upper right", handlelength=3)
    return path

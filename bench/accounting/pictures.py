"""Time and looseness against the number of mechanisms, where there are several numbers."""

from importlib import import_module
from pathlib import Path
from typing import Any

from accounting.offline import Comparison, Row
from accounting.question import TITLES

SHOWN = {
    "Holdfast": ("black", "o"),
    "dp-accounting PLD, grid 0.0001": ("tab:blue", "s"),
    "dp-accounting RDP": ("tab:cyan", "^"),
    "dp-accounting exact Gaussian": ("tab:purple", "D"),
    "autodp RDP": ("tab:orange", "v"),
    "autodp exact Gaussian": ("tab:brown", "P"),
    "prv-accountant, error 0.01": ("tab:green", "X"),
    "OpenDP, zCDP": ("tab:red", "<"),
    "diffprivlib BudgetAccountant": ("tab:gray", ">"),
}
LEAST = 1e-4  # percent; what is tighter is drawn here


def draw(comparisons: list[Comparison], folder: Path) -> list[str]:
    """The names of the pictures drawn: none without matplotlib."""
    try:
        matplotlib = import_module("matplotlib")
        matplotlib.use("Agg")
        pyplot = import_module("matplotlib.pyplot")
    except ImportError:
        return []
    names = []
    for family in ("laplace", "gaussian", "subsampled"):
        chosen = [each for each in comparisons if each.question.family == family]
        if len(chosen) > 1:
            names.append(f"accounting-{family}.png")
            _picture(pyplot, chosen, folder / names[-1])
    return names


def _picture(pyplot: Any, comparisons: list[Comparison], path: Path) -> None:
    figure, (time, looseness) = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for name, (colour, marker) in SHOWN.items():
        found = [
            (comparison.question.count, row)
            for comparison in comparisons
            for row in comparison.rows
            if row.name == name and row.attempt.value is not None and not row.note
        ]
        if not found:
            continue
        counts = [count for count, _ in found]
        style = {
            "color": colour,
            "marker": marker,
            "lw": 2.4 if name == "Holdfast" else 1.2,
            "ms": 5,
        }
        front = {"zorder": 5 if name == "Holdfast" else 3}
        time.plot(counts, [row.seconds for _, row in found], label=name, **style, **front)
        looseness.plot(counts, [_percent(row) for _, row in found], **style, **front)
    time.set(xscale="log", yscale="log", xlabel="mechanisms", ylabel="seconds", title="Time")
    looseness.set(xscale="log", yscale="log", xlabel="mechanisms")
    looseness.set_title(f"Looseness (drawn at {LEAST:g} % if below)")
    looseness.set_ylabel("% over the tightest")
    low, high = looseness.get_ylim()
    looseness.set_ylim(min(low, LEAST / 2), high)
    for axes in (time, looseness):
        axes.grid(color="0.9", lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{TITLES[comparisons[0].question.family]}; δ = 1e-6")
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _percent(row: Row) -> float:
    return max(LEAST, 100 * (row.looser or 0.0))

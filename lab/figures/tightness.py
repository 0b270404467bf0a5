"""The picture of tightness: how much of each interval an attack is known to need.

    python -m lab.figures.tightness FILE bench/results/tightness.json

It is drawn from the record that bench/comparisons/radius.py makes: the attacks take minutes.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, final

from lab.tightness import Finding
from peekproof.audit.figures.look import BLUE, DARK, GREY, INK, SKY, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMAND = "python -m lab.figures.tightness FILE bench/results/tightness.json"

# A size is told by its marker, which says the questions, and by its colour, which says the rows.
_QUESTIONS = {10: "o", 100: "s", 1000: "^"}
_ROWS = {1_000: SKY, 10_000: BLUE, 100_000: DARK}
_APART = 0.13


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What bench/comparisons/radius.py wrote down."""

    confidence: float
    seed: int
    findings: tuple[Finding, ...]

    @classmethod
    def read(cls, path: Path) -> "Record":
        written = json.loads(path.read_text(encoding="utf-8"))
        findings = tuple(Finding(**each) for each in written["findings"])
        return cls(confidence=written["confidence"], seed=written["seed"], findings=findings)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """All numbers of rows and questions, in the order of the record."""
        return list(dict.fromkeys((each.rows, each.questions) for each in self.findings))

    def names(self, *, ours: bool) -> list[str]:
        """The routes that are ours, or the published ones, the tightest first."""
        ratios: dict[str, list[float]] = {}
        for each in self.findings:
            if each.ours is ours:
                ratios.setdefault(each.route, []).append(each.ratio)
        return sorted(ratios, key=lambda name: sum(ratios[name]) / len(ratios[name]))


def draw_tightness(path: Path, record: Record) -> Path:
    """A row for each route, on it the part of the interval that is necessary at each size."""
    caption = (
        f"all intervals together at confidence {record.confidence:g}; n rows, k questions, seed "
        f"{record.seed}; lines reach down to what is certain at 95 %   ·   {COMMAND}"
    )
    ours, others = record.names(ours=True), record.names(ours=False)
    heights = [len(ours), len(others)]
    with picture(path, size=(11, 1.8 + 0.36 * sum(heights)), caption=caption) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=heights)
        _rows(upper, record, ours)
        _rows(lower, record, others)
        upper.set_title("How much of an interval is necessary, by what is certified")
        lower.set_title("and by theorems of the literature, at the noise they would choose")
        lower.set_xlabel("part of the interval that the strongest known attack needs")
        _legend(upper, record)
    return path


def _rows(axes: "Axes", record: Record, names: Sequence[str]) -> None:
    sizes = record.sizes
    middle = (len(sizes) - 1) / 2
    for place, name in enumerate(names):
        parts = [each.necessary for each in record.findings if each.route == name]
        axes.barh(place, 1, height=0.84, color=GREY, alpha=0.10, linewidth=0)
        axes.barh(place, fmean(parts), height=0.84, color=GREY, alpha=0.30, linewidth=0)
    for finding in record.findings:
        if finding.route not in names:
            continue
        size = (finding.rows, finding.questions)
        at = names.index(finding.route) + (sizes.index(size) - middle) * _APART
        marker, colour = _look(size)
        axes.plot(
            [finding.necessary_at_least, finding.necessary], [at, at], color=colour, linewidth=1.4
        )
        axes.plot([finding.necessary], [at], marker, color=colour, markersize=5)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda part, _: f"{part:.0%}")
    axes.axvline(1, color=INK, linewidth=2)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    for part in (0.25, 0.5, 0.75):
        axes.axvline(part, color=GREY, alpha=0.3, linewidth=0.8, zorder=0)


def _look(size: tuple[int, int]) -> tuple[str, str]:
    rows, questions = size
    return _QUESTIONS.get(questions, "D"), _ROWS.get(rows, INK)


def _legend(axes: "Axes", record: Record) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 (an optional dependency, slow to import)

    handles = []
    for size in record.sizes:
        marker, colour = _look(size)
        label = f"n = {size[0]:,}, k = {size[1]:,}"
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=1.4, label=label))
    axes.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9,
        title="Dark: necessary, on average.\nAt 100 % no certificate\ncould be narrower.",
        alignment="left", title_fontsize=9,
    )  # fmt: skip


if __name__ == "__main__":
    draw_tightness(Path(sys.argv[1]), Record.read(Path(sys.argv[2])))

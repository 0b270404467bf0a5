"""The pictures of a result, drawn from its sheets."""

from pathlib import Path

from matplotlib.axes import Axes
from result import Cell, Chart, Result, Sheet

from peekproof.audit.figures.look import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PINK,
    SKY,
    picture,
    ruled,
)

DASHES = ("-", "--", "-.", ":")
OURS = (DARK, BLUE, SKY)
MARKERS = "sD^vPX<>"
COLOURS = (ORANGE, GREEN, PINK, GREY, BLUE)


def draw(result: Result, folder: Path) -> list[Path]:
    """One picture for each chart of a result."""
    return [_draw(result, chart, folder) for chart in result.charts]


def picture_of(result: Result, chart: Chart) -> str:
    """The file that a chart is drawn to."""
    number = result.charts.index(chart) + 1
    return f"{result.name}.png" if len(result.charts) == 1 else f"{result.name}-{number}.png"


def _draw(result: Result, chart: Chart, folder: Path) -> Path:
    path, sheet = folder / picture_of(result, chart), result.sheets[chart.sheet]
    size = "small sizes, few rounds" if result.quick else "full sizes"
    caption = f"{size}, on {result.machine['processor']}   ·   make bench"
    bars = chart.kind == "bars"
    height = 1.9 + 0.34 * len(_lengths(sheet, chart.column)) if bars else 5.6
    with picture(path, size=(10, height), caption=caption) as figure:
        axes = figure.subplots()
        (_bars if bars else _lines)(axes, sheet, chart)
        axes.set_title(chart.title)
    return path


def _ours(name: str, chart: Chart) -> bool:
    return name.startswith(chart.ours)


def _lengths(sheet: Sheet, head: str) -> dict[str, float]:
    column = sheet.columns.index(head)
    lengths = {str(row[0]): row[column] for row in sheet.rows}
    return {name: each for name, each in lengths.items() if isinstance(each, float | int)}


def _bars(axes: Axes, sheet: Sheet, chart: Chart) -> None:
    lengths = dict(sorted(_lengths(sheet, chart.column).items(), key=lambda item: item[1]))
    spread = max(lengths.values()) / min(each for each in lengths.values() if each > 0)
    shortest = min(lengths.values()) / 3 if spread > 30 else 0.0
    for height, (name, length) in enumerate(lengths.items()):
        ours = _ours(name, chart)
        axes.barh(
            height,
            length - shortest,
            left=shortest,
            color=DARK if ours else "#c3cad3",
            edgecolor=DARK if ours else GREY,
            hatch=None if ours else "///",
            linewidth=0.6,
        )
        axes.annotate(
            f" {number(length)}",
            (length, height),
            va="center",
            color=INK,
            fontsize=9,
            annotation_clip=False,
        )
    if chart.mark:
        _marks(axes, lengths, _lengths(sheet, chart.mark), chart.mark)
    axes.set_yticks(range(len(lengths)), list(lengths))
    for label, name in zip(axes.get_yticklabels(), lengths, strict=True):
        label.set_fontweight("bold" if _ours(name, chart) else "normal")
    if shortest:
        axes.set_xscale("log")
        axes.set_xlim(shortest, 3 * max(lengths.values()))
        axes.xaxis.set_major_formatter(_tick)
    else:
        axes.set_xlim(0, 1.12 * max(lengths.values()))
    axes.invert_yaxis()
    axes.set_xlabel(chart.axis)
    axes.tick_params(axis="y", length=0)
    ruled(axes)


def _marks(axes: Axes, lengths: dict[str, float], marks: dict[str, float], label: str) -> None:
    places = [(marks[name], height) for height, name in enumerate(lengths) if name in marks]
    across, heights = zip(*places, strict=True)
    axes.scatter(
        across, heights, color=ORANGE, marker="|", s=190, linewidths=3.2, zorder=5, label=label
    )
    axes.legend(frameon=False, loc="upper right")


def _tick(value: float, _: float) -> str:
    return number(value)


def _lines(axes: Axes, sheet: Sheet, chart: Chart) -> None:
    drawn = {True: 0, False: 0}
    for name, *cells in sheet.rows:
        points = _points(sheet, cells)
        if not points:
            continue
        ours = _ours(str(name), chart)
        colours, nth = OURS if ours else COLOURS, drawn[ours]
        drawn[ours] += 1
        axes.plot(
            *zip(*points, strict=True),
            label=str(name),
            color=colours[nth % len(colours)],
            linestyle=DASHES[(nth // len(colours) if ours else 1 + nth) % len(DASHES)],
            marker="o" if ours else MARKERS[nth % len(MARKERS)],
            linewidth=2.4 if ours else 1.4,
            zorder=4 if ours else 3,
        )
    axes.set(xscale="log", yscale="log", xlabel=chart.across, ylabel=chart.axis)
    axes.xaxis.set_major_formatter(_tick)
    axes.yaxis.set_major_formatter(_tick)
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5))
    ruled(axes)


def _points(sheet: Sheet, cells: list[Cell]) -> list[tuple[float, float]]:
    heads = (head.replace(",", "") for head in sheet.columns[1:])
    return [
        (float(head), float(cell))
        for head, cell in zip(heads, cells, strict=True)
        if head.replace(".", "").isdigit() and isinstance(cell, float | int) and cell > 0
    ]


def number(value: float) -> str:
    """Three digits, without an exponent."""
    if value == 0 or abs(value) >= 1e15:
        return f"{value:.3g}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.1e}"

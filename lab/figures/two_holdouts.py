"""A plain holdout beside Peekproof, scene by scene: what each likes, says, and what is true."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from peekproof.audit.figures.look import BLUE, INK, ORANGE, picture, ruled
from peekproof.audit.opponents.protocol import Reply

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLAIN, HELD = "plain holdout", "Peekproof"


class Told(NamedTuple):
    """What a holdout said at each place of an axis, and what was true."""

    at: Sequence[int]
    replies: Sequence[Reply]
    truths: Sequence[float]


@contextmanager
def scenes(
    path: Path, *, informed: Sequence[int], of: str, by: str, caption: str
) -> Iterator[Sequence["Axes"]]:
    """A panel for each number of variables that know something; they share the axis of `of`."""
    with picture(path, size=(11, 4.9), caption=caption) as figure:
        panels = figure.subplots(1, len(informed), sharey=True, squeeze=False)[0]
        for axes, count in zip(panels, informed, strict=True):
            axes.set_title(
                f"{count} variables know something" if count else "No variable knows anything"
            )
            axes.set_xlabel(by)
            axes.set_xscale("log")
            ruled(axes)
        yield panels
        panels[0].set_ylabel(of)
        panels[0].legend(loc="upper left", frameon=False, fontsize=9)


def band(axes: "Axes", told: Told, *, colour: str, alpha: float, label: str) -> None:
    """The intervals."""
    low, high = [each.low for each in told.replies], [each.high for each in told.replies]
    axes.fill_between(told.at, low, high, color=colour, alpha=alpha, linewidth=0, label=label)


def held_band(axes: "Axes", held: Told) -> None:
    """The intervals that hold."""
    band(axes, held, colour=BLUE, alpha=0.16, label=f"{HELD}: its interval")


def lines(
    axes: "Axes", plain: Told, held: Told, *, marks: tuple[str, str], truths: tuple[str, str]
) -> None:
    """What each says, with these marks, and under these names what is true of it."""
    for told, label, colour, dashes, mark in (
        (plain, PLAIN, ORANGE, "--", marks[0]),
        (held, HELD, BLUE, "-", marks[1]),
    ):
        axes.plot(
            told.at, [each.value for each in told.replies], color=colour, linestyle=dashes,
            marker=mark, markersize=5, linewidth=2.2, label=label,
        )  # fmt: skip
    for told, dashes, label in ((plain, "-.", truths[0]), (held, "-", truths[1])):
        axes.plot(told.at, told.truths, color=INK, linestyle=dashes, linewidth=1.3, label=label)

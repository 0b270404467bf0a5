"""The picture of mechanisms at equal cost: how a share errs, and what a choice loses.

    python -m lab.figures.mechanisms docs/figures/mechanisms.png

One use of each costs ρ in zero-concentrated differential privacy: ε²/2 for pure ε-DP, ε²/8 for the
exponential mechanism (T-bounded-range), μ²/2 for Gaussian noise. Mechanisms without such a cost are
drawn as they are planned for `QUESTIONS` questions at confidence 0.95.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import erfc, exp, expm1, floor, inf, lgamma, log, log1p, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from peekproof.audit.figures.look import BLUE, GREEN, GREY, INK, ORANGE, SKY, picture, ruled
from peekproof.core.certificate import Target
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.exponential import Exponential, NoisyMax, PermuteAndFlip
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.truncation import Truncation
from peekproof.theory.generalization.truncation import best_bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS, QUESTIONS, CANDIDATES = 100_000, 1_000, 100
EPSILON = Fraction(1, 1000)
RHO = EPSILON**2 / 2
STEP = Fraction(1, 2**14)
BETA = Fraction(1, 20)
TARGET = Target(confidence=1 - BETA, questions=QUESTIONS)
COMMAND = "python -m lab.figures.mechanisms FILE"

Law = Callable[[float], float]

_LEAST = 1e-4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The law of an error t, in shares: the chance of more, and the promised radius at β."""

    name: str
    law: Law
    radius: float | None = None
    colour: str
    dashes: str = "-"
    dot: float = 5  # its size, in points
    named: tuple[float, float]  # where its name stands
    pointing: tuple[float, float] | None = None  # from there to a point of the line, if far


def error_lines() -> tuple[Line, ...]:
    """Pr[|release − share of the sample| > t] for a share of ½, before rounding to the grid.

    For bins a share lies anywhere in its own; for fresh rows the sample is the whole one.
    """
    wide = 1 / (ROWS * EPSILON)
    laplace = Laplace(rows=ROWS, scale=wide, step=STEP)
    gaussian = Gaussian(rows=ROWS, sigma=wide, step=STEP)
    discrete = DiscreteGaussian(rows=ROWS, sigma=wide, step=STEP)
    bins = Truncation(rows=ROWS, bins=best_bins(rows=ROWS, target=TARGET))
    fresh = FreshRows(rows=ROWS, rounds=QUESTIONS)
    return (
        Line(
            name="Laplace", law=_laplace(laplace), radius=laplace.radius(beta=BETA),
            colour=ORANGE, named=(0.0715, 1e-3),
        ),
        Line(
            name="Gaussian", law=_gaussian(gaussian), radius=gaussian.radius(beta=BETA),
            colour=BLUE, dot=10, named=(0.001, 1.2e-3), pointing=(0.0325, 1.2e-3),
        ),
        Line(
            name="discrete", law=_discrete_gaussian(discrete),
            radius=discrete.radius(beta=BETA), colour=SKY, dashes=":", dot=7,
            named=(0.001, 3.5e-4), pointing=(0.0357, 3.5e-4),
        ),
        Line(
            name=f"{bins.bins} bins", law=lambda t: max(0.0, 1 - 2 * bins.bins * t),
            radius=bins.radius(beta=BETA), colour=GREEN, dot=4, named=(0.001, 4.5e-3),
            pointing=(0.0199, 4.5e-3),
        ),
        Line(
            name=f"fresh rows,\n{fresh.rows_per_round} a question", law=_fresh_rows(fresh),
            colour=INK, named=(0.064, 0.45),
        ),
    )  # fmt: skip


def choice_lines() -> tuple[Line, ...]:
    """Pr[the chosen is at least t below the best] where it is most likely: all others at t.

    Raising a candidate that is further behind to t, or lowering a nearer one to t, can only make
    the event more likely, whatever the noise.
    """
    price = {"candidates": CANDIDATES}
    private = Exponential(**price, epsilon=EPSILON)
    ranged = Exponential(**price, epsilon=2 * EPSILON)
    flip = PermuteAndFlip(**price, epsilon=EPSILON)
    noisy = NoisyMax(**price, epsilon=EPSILON)

    def line(
        each: Exponential | PermuteAndFlip | NoisyMax, law: Law, name: str, colour: str,
        dashes: str, named: tuple[float, float], pointing: tuple[float, float] | None = None,
    ) -> Line:  # fmt: skip
        unit = float(ROWS / each.scale)
        return Line(
            name=name, law=lambda t: law(t * unit), radius=each.radius(beta=BETA) / ROWS,
            colour=colour, dashes=dashes, named=named, pointing=pointing,
        )  # fmt: skip

    cheaper = "exponential, ε = 0.001:\na quarter of the price"
    return (
        line(ranged, _exponential, "exponential,\nε = 0.002", BLUE, "-", (0.043, 5e-4)),
        line(private, _exponential, cheaper, "#3d9bd1", "--", (0.225, 1.5e-2), (0.1768, 1.5e-2)),
        line(flip, _flip, "permute-\nand-flip", ORANGE, "-", (0.168, 5e-4)),
        line(noisy, _noisy_max, "noisy max", GREEN, "-.", (0.257, 1e-3)),
    )


def _laplace(mechanism: Laplace) -> Law:
    base = exp(-1 / float(mechanism.scale * mechanism.rows))
    return lambda t: min(1.0, 2 * base ** (floor(t * mechanism.rows) + 1) / (1 + base))


def _gaussian(mechanism: Gaussian) -> Law:
    return lambda t: erfc(t / (float(mechanism.sigma) * sqrt(2)))


def _discrete_gaussian(mechanism: DiscreteGaussian) -> Law:
    sigma = float(mechanism.sigma * mechanism.rows)
    weights = np.exp(-((np.arange(floor(20 * sigma)) / sigma) ** 2) / 2)
    beyond = np.cumsum(weights[::-1])[::-1]  # from each integer on, the smallest added first
    total = 2 * beyond[0] - 1

    def law(t: float) -> float:
        first = floor(t * mechanism.rows) + 1
        return 2 * float(beyond[first] / total) if first < len(beyond) else 0.0

    return law


def _fresh_rows(mechanism: FreshRows) -> Law:
    part, rows = mechanism.rows_per_round, mechanism.rows
    ones = rows // 2
    whole = _choose(rows, part)
    return _around_half(
        [_choose(ones, x) + _choose(rows - ones, part - x) - whole for x in range(part + 1)]
    )


def _around_half(logs: Sequence[float]) -> Law:
    """Pr[|x/size − ½| > t] for x = 0 … size with these logarithms of probabilities."""
    size = len(logs) - 1
    chances = np.exp(np.array(logs))
    distances = np.abs(2 * np.arange(size + 1) - size)
    return lambda t: float(chances[distances > 2 * size * t].sum())


def _choose(size: int, count: int) -> float:
    """ln of the binomial coefficient."""
    return lgamma(size + 1) - lgamma(count + 1) - lgamma(size - count + 1)


def _exponential(t: float) -> float:
    behind = (CANDIDATES - 1) * exp(-t)
    return behind / (1 + behind)


def _flip(t: float) -> float:
    # The coin of the best surely shows heads; it wins a fair draw among all heads.
    chance = exp(-t)
    missing = CANDIDATES * log1p(-chance) if chance < 1 else -inf
    return 1 + expm1(missing) / (CANDIDATES * chance)


def _noisy_max(t: float) -> float:
    noise = np.linspace(-40.0, 60.0, 20_001)
    ahead = noise + t  # of one other, whose noise stays below it with chance F
    tail = np.exp(-np.abs(ahead)) / 2
    log_below = np.where(ahead < 0, ahead - log(2), np.log1p(-tail))  # ln F
    some = -np.expm1((CANDIDATES - 1) * log_below)
    return float(np.trapezoid(np.exp(-np.abs(noise)) / 2 * some, noise))


def draw_mechanisms(path: Path) -> Path:
    """The chance of an error beyond t, for shares on the left and for choices on the right."""
    caption = (
        f"{ROWS:,} rows, one use at ρ = {float(RHO):g} (ε = μ = {float(EPSILON):g}, exponential "
        f"mechanism ε = {float(2 * EPSILON):g}); bins and fresh rows as for "
        f"{QUESTIONS:,} questions   ·   {COMMAND}"
    )
    with picture(path, size=(11, 5), caption=caption) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        _draw(left, error_lines(), most=0.13)
        _draw(right, choice_lines(), most=0.36)
        left.set_title("A share: noise, bins, fresh rows")
        left.set_xlabel("t, distance from the share of the sample")
        left.set_ylabel("Pr[error > t]")
        right.set_title(f"The best of {CANDIDATES} shares")
        right.set_xlabel("t, how far all others lie behind the best")
        right.set_ylabel("Pr[the best is missed]")
        right.text(
            0.36, float(BETA) * 1.12, "dots: what the code promises at β = 0.05", fontsize=8,
            color=GREY, ha="right",
        )  # fmt: skip
    return path


def _draw(axes: "Axes", lines: Iterable[Line], *, most: float) -> None:
    beta = float(BETA)
    axes.set_yscale("log")
    axes.set_ylim(_LEAST, 1.15)
    axes.set_xlim(0, most)
    axes.axhline(beta, color=GREY, linewidth=0.8, linestyle=(0, (2, 3)))
    errors = [most * step / 400 for step in range(401)]
    for line in lines:
        chances = [line.law(t) for t in errors]
        shown = [chance if chance > _LEAST / 10 else _LEAST / 10 for chance in chances]
        axes.plot(errors, shown, line.dashes, color=line.colour, linewidth=2.0)
        if line.radius is not None:
            axes.plot([line.radius], [beta], "o", color=line.colour, markersize=line.dot, zorder=4)
        _name(axes, line)
    ruled(axes)


def _name(axes: "Axes", line: Line) -> None:
    arrow = {"arrowstyle": "-", "color": line.colour, "linewidth": 0.8}
    axes.annotate(
        line.name, line.pointing or line.named, xytext=line.named, fontsize=9, va="center",
        color=line.colour, fontweight="bold", arrowprops=arrow if line.pointing else None,
    )  # fmt: skip


if __name__ == "__main__":
    draw_mechanisms(Path(sys.argv[1]))

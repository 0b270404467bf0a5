"""Gaussian noise on a public grid, on a clock: shares, means, histograms, choices and quantiles.

All of them are paid from one budget, and one union over the promised questions covers them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, log, log2, pi, sin, sqrt
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Span, Target, Width
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.finding import Chosen, Level
from peekproof.core.numerics import argmin, decimal_up, float_up, log_of, up
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    VACUOUS,
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    fixed_point,
    is_number,
    place_in,
    says_nothing,
)
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.protocol import opened, with_levels
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.gaussian import rounded_gaussian, rounded_gaussians
from peekproof.query import form
from peekproof.query.tree import Column
from peekproof.theory.generalization.choice import choice_certificate, quantile_certificate
from peekproof.theory.generalization.drift import choice_cost, rounding_radius
from peekproof.theory.generalization.gaussian import (
    levels,
    own_certificate,
    own_drift,
    session_certificate,
    vector_cost,
)
from peekproof.theory.generalization.noise import gaussian_accuracy, normal_shortfall
from peekproof.theory.generalization.statistic import statistic_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(Mechanism):
    """total/(rows·levels) + N(0, sigma²), rounded to a multiple of `step`, clipped to [0, 1].

    Guarantees: `cost()` for every total that moves by at most `levels` when one record is
    replaced: a count (levels = 1), or a sum of contributions in fixed point.
    Proof: the share moves by at most 1/n, so the unrounded answer loses μ² = 1/(nσ)²;
    rounding (exact, on a grid fixed beforehand) and clipping are post-processing. The Gaussian
    is the continuous one, so theorems about it apply without a gap.
    Public: all fields.  Secret: the total given to `release`.
    """

    kind: ClassVar[str] = "gaussian"
    plainly: ClassVar[str] = "Gaussian noise on every answer."
    remembers: ClassVar[bool] = False
    place: ClassVar[int] = 0
    automatic: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = frozenset(
        {"share", "mean", "cells", "quantile", "choice", "statistic"}
    )

    rows: int
    sigma: Fraction
    step: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(levels=self.levels)
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(step=self.step)
        check.grid(self.step)

    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:
        points = self.step.denominator
        centre = Fraction(total.reveal() * points, self.rows * self.levels)
        drawn = rounded_gaussian(centre=centre, scale=self.sigma * points, rng=Pool(rng))
        return Fraction(min(points, max(0, drawn)), points)

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the share of the sample, except with probability β."""
        noise = gaussian_accuracy(sigma=self.sigma, count=1, beta=beta)
        return up(noise.radius + rounding_radius(self.step))

    def certify(self, target: Target) -> Certificate:
        return session_certificate(rows=self.rows, sigma=self.sigma, step=self.step, target=target)

    def certify_own(self, target: Target, *, budget: GDP) -> Certificate:
        """The certificate of an answer whose noise is not that of its session's plan."""
        return own_certificate(
            rows=self.rows, sigma=self.sigma, step=self.step, budget=budget, target=target
        )

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "Gaussian":  # noqa: ARG003
        return best_gaussian(rows, target)

    def budget(self, target: Target) -> GDP:
        return self.cost() * target.questions

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:  # noqa: ARG002
        made = {"cells": self._cells, "quantile": self._quantile, "choice": self._choice}
        return made.get(ask.what.shape, self._number)(ask, past.target)

    def _number(self, ask: Ask, target: Target) -> "Noisy":
        levels, noise = ask.what.levels, Noise(self.sigma, self.step)
        if ask.radius is not None:
            lost = 1 / levels if levels > 1 else 0.0
            noise = ask.in_shares(lambda radius: _noise_within(self, target, radius), lost=lost)
        return Noisy(
            rows=self.rows,
            sigma=noise.sigma,
            step=noise.step,
            levels=levels,
            moved_by=ask.what.moved_by,
        )

    def _cells(self, ask: Ask, target: Target) -> "NoisyCells":
        what = ask.what

        def drawn(radius: float | None) -> NoisyCells:
            return _cells_within(
                self, target, cells=what.cells, ball=what.ball, levels=what.levels, radius=radius
            )

        if ask.radius is None:
            return drawn(None)
        return ask.in_shares(drawn, lost=1 / what.levels if what.levels > 1 else 0.0)

    def _quantile(self, ask: Ask, target: Target) -> "NoisyQuantile":
        what = ask.what
        accepted = "left out: a quantile has a loss in its level instead"
        ask.without("radius", accepted=accepted)
        return _quantile_within(self, target, cells=what.cells, level=what.level, loss=ask.loss)

    def _choice(self, ask: Ask, target: Target) -> "NoisyChoice":
        what, loss = ask.what, ask.loss
        ask.without("radius", accepted="left out: a choice has a loss instead")
        if loss is not None:
            loss = check.positive_float(loss=loss) / float(what.span.width)
        return _choice_within(
            self, target, candidates=what.cells, sensitivity=what.levels, loss=loss
        )

    def gathers(self, target: Target) -> bool:  # noqa: ARG002
        return True

    def phrase(self, target: Target) -> str:  # noqa: ARG002
        return "Gaussian noise"

    def counts_as(self, cost: GDP, target: Target) -> int:
        """How many questions a draw of this cost counts as: at least as many as it is worth."""
        return min(target.questions, max(1, ceil(cost.mu_squared / self.cost().mu_squared)))

    def worth(self, draw: Draw, target: Target) -> Fraction:  # noqa: ARG002
        """How many planned questions a draw costs as much as."""
        return draw.cost.amount / self.cost().mu_squared


@final
@dataclass(frozen=True, slots=True)
class Noise:
    """How much noise, and on which grid."""

    sigma: Fraction
    step: Fraction


# σ is a whole number of grid steps in [64, 128): fine enough that rounding adds less than a
# thousandth to the radius, coarse enough that low-order bits carry nothing.
FINEST_STEPS = 64


def on_grid(rows: int, sigma: float, *, shift: int = 0) -> Gaussian:
    """Noise near `sigma`, but a whole number of steps: `shift` more than its rounding down."""
    exponent = max(0, -floor(log2(sigma / FINEST_STEPS)))
    steps = max(1, floor(sigma * 2.0**exponent) + shift)
    step = Fraction(2) ** -exponent
    return Gaussian(rows=rows, sigma=steps * step, step=step)


def best_gaussian(rows: int, target: Target) -> Gaussian:
    """The mechanism with about the smallest radius over all noise scales on the grid.

    The search uses σ·z + sin a with a ≈ (μ/4)·√(2 ln(2/β) + μ²/16), which is T-drift-gauss but for
    a thousandth; what it finds is then certified exactly.
    """
    level, _ = levels(target)
    shortfall = normal_shortfall(beta=level, count=target.questions)
    log_level = log(2) - log_of(level)

    def radius(log_sigma: float) -> float:
        mu = sqrt(target.questions) / (rows * exp(log_sigma))
        angle = mu / 4 * sqrt(2 * log_level + mu * mu / 16)
        return exp(log_sigma) * shortfall + sin(min(angle, pi / 2))

    # Balanced parts give σ² ≈ √k·c/n with c between 0.1 and 2 for any sensible level.
    guess = log(target.questions) / 4 - log(rows) / 2
    sigma = exp(argmin(radius, low=guess - 5, high=guess + 2))
    candidates = [on_grid(rows, sigma, shift=shift) for shift in (-1, 0, 1, 2)]
    return min(candidates, key=lambda each: each.certify(target).radius)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianVector:
    """total_j/(rows·levels) + N(0, sigma²) for each of `cells` totals, rounded and clipped.

    Guarantees: `cost()` if some ball of squared radius `ball` holds the contribution of every
    record, in units of `levels`. A histogram costs about four questions, whatever the number of
    its cells.
    Proof: T-drift-vector; rounding (exact, on a grid fixed beforehand) and clipping are
    post-processing.
    Public: all fields.  Secret: the totals given to `release`.
    """

    kind: ClassVar[str] = "gaussian-vector"

    rows: int
    sigma: Fraction
    step: Fraction
    cells: int
    ball: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_fraction(sigma=self.sigma)
        check.positive_integer(cells=self.cells)
        check.positive_fraction(ball=self.ball)
        check.positive_integer(levels=self.levels)
        check.grid(self.step)

    def cost(self) -> GDP:
        return vector_cost(rows=self.rows, sigma=self.sigma, squared_radius=self.ball)

    def release(self, totals: Exact[tuple[int, ...]], *, rng: Entropy) -> tuple[Fraction, ...]:
        points, whole = self.step.denominator, self.rows * self.levels
        found = opened(totals, numbers=self.cells)
        centres = [Fraction(total * points, whole) for total in found]
        drawn = rounded_gaussians(centres=centres, scale=self.sigma * points, rng=rng)
        return tuple(Fraction(min(points, max(0, each)), points) for each in drawn)

    def radius(self, *, beta: Fraction) -> float:
        """How far the worst cell errs from the sample, except with probability β."""
        noise = gaussian_accuracy(sigma=self.sigma, count=self.cells, beta=beta)
        return up(noise.radius + rounding_radius(self.step))

    def certify_own(self, target: Target, *, budget: GDP, draws: int) -> Certificate:
        """The certificate of all cells together, counted as `draws` questions of a session."""
        return own_certificate(
            rows=self.rows,
            sigma=self.sigma,
            step=self.step,
            budget=budget,
            target=target,
            cells=self.cells,
            draws=draws,
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.kind,
            "sigma": str(self.sigma),
            "step": str(self.step),
            "cells": str(self.cells),
            "ball": str(self.ball),
        }
        return with_levels(described, self.levels)


# ε of a choice is a multiple of this, so that ledgers add short numbers.
_STEP = 2**30

# A smaller loss, in rows, costs more than any session has.
_LEAST_ROWS = 0.1

_FEWER = "plan for fewer questions, or hold more rows"
_SMALLER = "ask for it with a smaller loss, or plan for fewer questions"


def _own(promise: Draw | Mechanism) -> Gaussian:
    """The promise, if its clock is the one that such draws are paid from."""
    if not isinstance(promise, Gaussian):
        raise ValueError("noise where the promise has none")
    return promise


def _too_narrow(promise: Gaussian, target: Target, radius: float) -> InvalidInput:
    least = decimal_up(own_drift(promise.budget(target), target))
    return InvalidInput(
        argument="radius",
        accepted=f"above {least}, which no noise takes away here",
        given=repr(radius),
        hint=_FEWER,
    )


@lru_cache(maxsize=256)
def _noise_within(promise: Gaussian, target: Target, radius: float) -> Noise:
    """The cheapest noise whose interval reaches no further than `radius` (T-own-radius).

    A radius that the plan keeps anyway costs at most a planned question.
    """
    found = _own_noise(promise, target, radius)
    if radius < promise.certify(target).radius:
        if found is None:
            raise _too_narrow(promise, target, radius)
        return found
    planned = Noise(promise.sigma, promise.step)
    return found if found is not None and found.sigma > promise.sigma else planned


def _own_noise(promise: Gaussian, target: Target, radius: float) -> Noise | None:
    budget, (_, level) = promise.budget(target), levels(target)
    room = radius - own_drift(budget, target)
    if room <= 0:
        return None
    shortfall = normal_shortfall(beta=level, count=target.questions)
    for shift in (0, -1, -2):  # rounding to the grid may need a step or two
        noise = on_grid(promise.rows, room / (shortfall + 1 / 128), shift=shift)
        if noise.certify_own(target, budget=budget).radius <= radius:
            return Noise(noise.sigma, noise.step)
    return None


@lru_cache(maxsize=256)
def _cells_within(
    promise: Gaussian,
    target: Target,
    *,
    cells: int,
    ball: Fraction,
    levels: int,
    radius: float | None,
) -> "NoisyCells":
    """The draw for all cells: with the noise of a planned question, or as a radius needs it."""

    def drawn(noise: Noise) -> NoisyCells:
        law = GaussianVector(
            rows=promise.rows,
            sigma=noise.sigma,
            step=noise.step,
            cells=cells,
            ball=ball,
            levels=levels,
        )
        return NoisyCells(
            rows=promise.rows,
            sigma=noise.sigma,
            step=noise.step,
            cells=cells,
            ball=ball,
            levels=levels,
            counts=promise.counts_as(law.cost(), target),
        )

    if radius is not None:
        return _narrow_cells(promise, target, drawn, cells=cells, radius=radius)
    found = drawn(Noise(promise.sigma, promise.step))
    if found.drawn_certificate(promise, target).radius >= VACUOUS:
        raise says_nothing(
            "one whose cells may each be anything", hint="plan for fewer questions, or ask shares"
        )
    return found


def _narrow_cells(
    promise: Gaussian,
    target: Target,
    drawn: Callable[[Noise], "NoisyCells"],
    *,
    cells: int,
    radius: float,
) -> "NoisyCells":
    narrowest = own_drift(promise.budget(target), target)
    # As if it counted as one question: that needs a little less noise than it will have to have.
    _, level = levels(target)
    shortfall = normal_shortfall(beta=level / target.questions, count=cells)
    for shift in (0, -1, -2) if radius > narrowest else ():
        noise = on_grid(promise.rows, (radius - narrowest) / (shortfall + 1 / 128), shift=shift)
        found = drawn(Noise(noise.sigma, noise.step))
        if found.drawn_certificate(promise, target).radius <= radius:
            return found
    raise _too_narrow(promise, target, radius)


@lru_cache(maxsize=256)
def _quantile_within(
    promise: Gaussian, target: Target, *, cells: int, level: Fraction, loss: float | None
) -> "NoisyQuantile":
    """The choice of a value from a grid, whose level may be off by about `loss` in the sample."""
    epsilon = _epsilon(promise, target, cells, loss)
    law = Quantile(rows=promise.rows, cells=cells, level=level, epsilon=epsilon)
    found = NoisyQuantile(
        rows=promise.rows,
        cells=cells,
        level=level,
        epsilon=epsilon,
        counts=promise.counts_as(choice_cost(law.cost()), target),
    )
    if found.certificate(promise, target).radius >= max(level, 1 - level):
        raise says_nothing("a quantile of any level at all", hint=_SMALLER)
    return found


@lru_cache(maxsize=256)
def _choice_within(
    promise: Gaussian, target: Target, *, candidates: int, sensitivity: int, loss: float | None
) -> "NoisyChoice":
    """The choice of one of `candidates`, which may lose about `loss` against the sample's best."""
    epsilon = _epsilon(promise, target, candidates, loss)
    law = Exponential(candidates=candidates, epsilon=epsilon, sensitivity=sensitivity)
    found = NoisyChoice(
        rows=promise.rows,
        candidates=candidates,
        epsilon=epsilon,
        sensitivity=sensitivity,
        counts=promise.counts_as(choice_cost(law.cost()), target),
    )
    if found.certificate(promise, target).radius >= 1:
        raise says_nothing(f"a choice of any of {candidates:,}", hint=_SMALLER)
    return found


def _epsilon(promise: Gaussian, target: Target, candidates: int, loss: float | None) -> Fraction:
    """The ε at which a choice that counts as one question loses at most `loss` on average.

    It counts as more, so it will lose a little less. By default half of the planned radius.
    """
    wanted = promise.certify(target).radius / 2 if loss is None else check.positive_float(loss=loss)
    _, level = levels(target)
    count = check.positive_integer(candidates=candidates) * target.questions
    if wanted * promise.rows < _LEAST_ROWS:
        raise InvalidInput(
            argument="loss",
            accepted="what a row or more stands for",
            given=repr(loss),
            hint="a choice that loses nothing would have to be the best of the sample itself",
        )
    needed = 2 * (log_of(count / level) + 1) / (promise.rows * wanted)
    return Fraction(ceil(needed * _STEP), _STEP)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Noisy(Draw):
    """One share, mean or statistic with noise: the planned one, or as a radius of its own needs."""

    kind: ClassVar[str] = "gaussian"

    rows: int
    sigma: Fraction
    step: Fraction
    levels: int = 1
    moved_by: Fraction | None = None

    @property
    def law(self) -> Gaussian:
        return Gaussian(rows=self.rows, sigma=self.sigma, step=self.step, levels=self.levels)

    @property
    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def made_for(self, asked: Demand) -> bool:
        if asked.moved_by != self.moved_by:
            return False
        if asked.shape == "statistic":
            return self.moved_by is not None and asked.levels == self.levels
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        return (self.law.release(exact, rng=rng),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        own = _own(promise)
        if (self.sigma, self.step) == (own.sigma, own.step):
            found = own.certify(target)
        else:
            found = self.law.certify_own(target, budget=own.budget(target))
        if self.moved_by is not None:
            found = statistic_certificate(found)
        return fixed_point(found, self.levels)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the custodian said of a statistic, on which every answer of the session rests."""
        if self.moved_by is None:
            return ()
        said = "one row moves the statistic by at most its declared sensitivity"
        return (f"{said}, {self.moved_by}",)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyCells(Draw):
    """All cells of a histogram at once: about four questions, whatever the number of cells."""

    kind: ClassVar[str] = "gaussian-vector"

    rows: int
    sigma: Fraction
    step: Fraction
    cells: int
    ball: Fraction
    counts: int
    levels: int = 1

    @property
    def law(self) -> GaussianVector:
        return GaussianVector(
            rows=self.rows,
            sigma=self.sigma,
            step=self.step,
            cells=self.cells,
            ball=self.ball,
            levels=self.levels,
        )

    @property
    def cost(self) -> GDP:
        return vector_cost(rows=self.rows, sigma=self.sigma, squared_radius=self.ball)

    @property
    def draws(self) -> int:
        return self.counts

    def least_draws(self, promise: Mechanism, target: Target) -> int:
        return _own(promise).counts_as(self.cost, target)

    def made_for(self, asked: Demand) -> bool:
        said = self.cells, self.ball, self.levels
        return asked.shape == "cells" and (asked.cells, asked.ball, asked.levels) == said

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> Value:
        return self.law.release(exact, rng=rng)

    def drawn_certificate(self, promise: Mechanism, target: Target) -> Certificate:
        """That of the cells as they are drawn, before they are read as numbers."""
        budget = _own(promise).budget(target)
        return self.law.certify_own(target, budget=budget, draws=self.counts)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        return fixed_point(self.drawn_certificate(promise, target), self.levels)

    @property
    def numbers(self) -> int:
        return self.cells


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyChoice(Draw):
    """The place of one of some candidates, by the exponential mechanism."""

    kind: ClassVar[str] = "exponential"

    rows: int
    candidates: int
    epsilon: Fraction
    counts: int
    sensitivity: int = 1

    @property
    def law(self) -> Exponential:
        return Exponential(
            candidates=self.candidates, epsilon=self.epsilon, sensitivity=self.sensitivity
        )

    @property
    def cost(self) -> GDP:
        return choice_cost(self.law.cost())

    @property
    def draws(self) -> int:
        return self.counts

    def least_draws(self, promise: Mechanism, target: Target) -> int:
        return _own(promise).counts_as(self.cost, target)

    def made_for(self, asked: Demand) -> bool:
        said = self.candidates, self.sensitivity
        return asked.shape == "choice" and (asked.cells, asked.levels) == said

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> Value:
        return (Fraction(self.law.release(exact, rng=rng)),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        found = choice_certificate(
            rows=self.rows,
            candidates=self.candidates,
            epsilon=self.epsilon,
            budget=_own(promise).budget(target),
            target=target,
            draws=self.counts,
        )
        # Two means are compared, each read in fixed point.
        return fixed_point(found, max(1, self.sensitivity // 2))

    def chosen(self, value: Value) -> int:
        return place_in(value, self.candidates)

    def shares(self, value: Value) -> Value:
        """None: what was chosen is told, and not its share."""
        self.chosen(value)
        return ()

    def finding(self, value: Value, certificate: Certificate, span: Span) -> Chosen:
        gap = float_up(Fraction(certificate.radius) * span.width)
        return Chosen(self.chosen(value), self.candidates, gap)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyQuantile(Draw):
    """A value of a grid near which a share `level` of the rows has been passed."""

    kind: ClassVar[str] = "quantile"

    rows: int
    cells: int
    level: Fraction
    epsilon: Fraction
    counts: int

    @property
    def law(self) -> Quantile:
        return Quantile(rows=self.rows, cells=self.cells, level=self.level, epsilon=self.epsilon)

    @property
    def cost(self) -> GDP:
        return choice_cost(self.law.cost())

    @property
    def draws(self) -> int:
        return self.counts

    def least_draws(self, promise: Mechanism, target: Target) -> int:
        return _own(promise).counts_as(self.cost, target)

    def made_for(self, asked: Demand) -> bool:
        said = self.cells, self.level
        return asked.shape == "quantile" and (asked.cells, asked.level) == said

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> Value:
        return (Fraction(self.law.release(exact, rng=rng)),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        return quantile_certificate(
            rows=self.rows,
            candidates=self.cells,
            epsilon=self.epsilon,
            budget=_own(promise).budget(target),
            target=target,
            draws=self.counts,
        )

    def chosen(self, value: Value) -> int:
        return place_in(value, self.cells)

    def shares(self, value: Value) -> Value:
        """None: certain is the level of what is told, not the ends of it."""
        self.chosen(value)
        return ()

    def finding(self, value: Value, certificate: Certificate, span: Span) -> Level:
        grid = form.Quantile(Column(""), self.level, float(span.low), float(span.high), self.cells)
        levels = Interval.around(self.level, radius=certificate.radius)
        return Level(grid.value(self.chosen(value)), levels)

    def width(
        self,
        promise: Mechanism,
        target: Target,
        scale: Fraction,  # noqa: ARG002
        *,
        failed: bool | None = None,  # noqa: ARG002
    ) -> Width:
        return Width.within(self.certificate(promise, target).radius, of=" of its level")

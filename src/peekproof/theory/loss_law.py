"""Privacy-loss distributions: laws of a loss on finitely many values, composed on a grid.

`LossLaw` is the law of a privacy loss with finitely many values, and gives its (ε, δ) curve.
`GridLaw` is such a law on a grid, and is composed by sums of positive terms. The common mechanisms
are there as laws on a grid, each of which dominates the true one. `composed_law` bounds the loss
of any mixture of them numerically, and from above.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, floor, inf, log, sqrt, tanh
from statistics import NormalDist
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from peekproof.core import check
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory import divergence
from peekproof.theory.conversion import float_above, least_holding
from peekproof.theory.divergence import (
    GaussianPair,
    LaplacePair,
    Number,
    Pair,
    as_float,
    exp_of,
    expm1_of,
    upper_tail,
)

# Weights below ROUGH may have lost digits to underflow: 5e-324 at each of at most 2e9 steps.
# Where there are any, UNDERFLOW is added; no δ below 1e-300 is accepted, so it decides nothing.
UNDERFLOW = 1e-312
ROUGH = 1e-300
_ROOM = 2.0**-38


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossLaw:
    """Losses in descending order, their probabilities, and the probability of larger ones.

    Losses and weights are rounded up by whoever builds the law, so both answers are upper bounds.
    """

    losses: NDArray[np.float64]
    weights: NDArray[np.float64]
    beyond: float

    def delta_at(self, epsilon: float) -> float:
        """E(1 − e^{ε − loss})₊: the δ of this ε. Rounds: up; all terms are positive."""
        above = int(np.searchsorted(-self.losses, -epsilon))
        terms = self.weights[:above] * -np.expm1(epsilon - self.losses[:above])
        return min(1.0, up(float(terms.sum()) + self.beyond)) if above or self.beyond else 0.0

    def epsilon_at(self, delta: float) -> Fraction:
        """The least ε ≥ 0 whose δ is at most this one. Rounds: up."""
        law = self._shortened(delta * 2.0**-50)
        if (solved := law._solved(delta)) is not None:
            return Fraction(solved)
        epsilon = least_holding(
            lambda epsilon: law.delta_at(epsilon) <= delta,
            high=up(float(law.losses[0])),
            argument="delta",
        )
        return Fraction(epsilon)

    def _shortened(self, mass: float) -> "LossLaw":
        """The law with its largest losses, up to this mass, counted as beyond: faster to search."""
        above = np.cumsum(self.weights)
        cut = int(np.searchsorted(above[:-1], mass))
        return LossLaw(
            losses=self.losses[cut:],
            weights=self.weights[cut:],
            beyond=self.beyond + (up(float(above[cut - 1])) if cut else 0.0),
        )

    def _solved(self, delta: float) -> float | None:
        """An ε that meets δ with next to nothing to spare, or None.

        Between two losses the curve is A − e^ε·B, with A and B sums over the losses above, so it
        can be solved there. Rounding only misplaces the solution, and it is tested.
        """
        positive = int(np.searchsorted(-self.losses, 0.0))
        if not positive:
            return None
        losses, weights, top = self.losses[:positive], self.weights[:positive], self.losses[0]
        mass = self.beyond + np.cumsum(weights)
        shifted = np.cumsum(weights * np.exp(np.minimum(top - losses, 700.0)))
        above = int(np.searchsorted(mass - np.exp(losses - top) * shifted, delta))
        if above == 0 or top - losses[above - 1] > 690 or mass[above - 1] <= delta:
            return None
        scale = float(shifted[above - 1])
        epsilon = float(top) + log((float(mass[above - 1]) - delta) / scale)
        for _ in range(4):
            if not epsilon > 0:
                return None
            spare = delta - self.delta_at(epsilon)
            if 0 <= spare <= delta * _ROOM:
                return epsilon
            epsilon += (delta * _ROOM / 2 - spare) / (scale * exp(epsilon - float(top)))
        return None


ULP = 2.0**-52
_MOST_CELLS = 2 * 10**7
_PER_CELL = 400  # multiplications a cell, before a convolution takes too long
_BLOCK = 8192  # longer scalar products would wake threads that cost more than they give
_FINEST = Fraction(1, 10**200)
_SPARSE = 8  # with fewer atoms than this, shifting and adding is faster than a convolution


def length(cells: int, *, step: Fraction) -> int:
    """The number of cells, if it fits memory and patience."""
    if cells > _MOST_CELLS:
        accepted = f"coarser: the law would need {cells:,} cells, more than {_MOST_CELLS:,}"
        raise InvalidInput(argument="step", accepted=accepted, given=f"{float(step):g}")
    return cells


def width_of(step: Fraction) -> float:
    """The step as a float, if floats can hold it and what it divides."""
    if not _FINEST <= step <= 1 / _FINEST:
        raise InvalidInput(argument="step", accepted="from 1e-200 to 1e200", given="another")
    return float(step)


def _convolved(long: NDArray[np.float64], short: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(len(long) + len(short) - 1)
    for start in range(0, len(short), _BLOCK):
        block = short[start : start + _BLOCK]
        weights[start : start + len(long) + len(block) - 1] += np.convolve(long, block)
    return weights


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GridLaw:
    """Probabilities of the losses (first + i)·step, and of an infinite one.

    Every weight is an upper bound, and mass may only have moved upwards: whatever is composed
    of such laws has a δ(ε) that is not below the true one.
    """

    step: Fraction
    first: int
    weights: NDArray[np.float64]
    beyond: float = 0.0

    @classmethod
    def of_atoms(cls, atoms: Iterable[tuple[Fraction, float]], *, step: Fraction) -> "GridLaw":
        """The law of atoms (loss, probability), each split between its two neighbours on the grid.

        Proof. Outcomes of loss a < l < b with probabilities u + v = p under the first law and
        u·e^{−b} + v·e^{−a} = p·e^{−l} under the second can be merged into the one outcome of loss
        l: the true pair is a function of this one, and no function raises a divergence.
        """
        placed: dict[int, float] = {}
        width = width_of(step)
        for loss, probability in atoms:
            below = floor(loss / step)
            # Both distances are exact before they become floats, so that neither cancels.
            above_it, rest = float(loss - below * step), float((below + 1) * step - loss)
            to_upper = expm1(-above_it) / expm1(-width)
            to_lower = exp(-above_it) * expm1(-rest) / expm1(-width)
            for place, share in ((below, to_lower), (below + 1, to_upper)):
                if share > 0:
                    weight = probability * share * (1 + 16 * ULP)
                    placed[place] = (placed.get(place, 0.0) + weight) * (1 + ULP)
        first = min(placed)
        weights = np.zeros(length(max(placed) - first + 1, step=step))
        for place, weight in placed.items():
            weights[place - first] = weight
        return cls(step=step, first=first, weights=weights)

    @classmethod
    def nothing(cls, *, step: Fraction) -> "GridLaw":
        """No loss at all, the neutral element."""
        return cls(step=step, first=0, weights=np.ones(1))

    def then(self, other: "GridLaw") -> "GridLaw":
        """The law of the sum of two independent losses."""
        short, long = sorted((self.weights, other.weights), key=len)
        (places,) = short.nonzero()
        length(len(short) + len(long) - 1, step=self.step)
        sparse = len(places) < max(_SPARSE, len(short) // _SPARSE)
        work = len(places) if sparse else len(short)
        length(work * len(long) // _PER_CELL, step=self.step)
        if sparse:
            weights = np.zeros(len(short) + len(long) - 1)
            for place in places:
                weights[place : place + len(long)] += short[place] * long
        else:
            weights = _convolved(long, short)
        return GridLaw(
            step=self.step,
            first=self.first + other.first,
            weights=weights * (1 + (len(places) + 8) * ULP),
            beyond=self.beyond + other.beyond + UNDERFLOW,
        )

    def trimmed(self, mass: float) -> "GridLaw":
        """A shorter law: up to `mass` at the top counts as infinite, at the bottom moves up."""
        if mass <= 0:
            return self
        falling = np.cumsum(self.weights[::-1])
        top = int(np.searchsorted(falling, mass, side="right"))
        top = min(top, len(self.weights) - 1)
        kept = self.weights[: len(self.weights) - top].copy()
        bottom = min(int(np.searchsorted(np.cumsum(kept), mass, side="right")), len(kept) - 1)
        kept[bottom] += float(kept[:bottom].sum()) * (1 + len(kept) * ULP)
        cut = float(falling[top - 1]) * (1 + len(self.weights) * ULP) if top else 0.0
        return GridLaw(
            step=self.step,
            first=self.first + bottom,
            weights=kept[bottom:],
            beyond=self.beyond + cut,
        )

    def times(self, count: int, *, lost: float) -> "GridLaw":
        """The law of `count` independent copies, by squaring; at most `lost` becomes infinite."""
        result, square, copies = GridLaw.nothing(step=self.step), self, 1
        # What is cut from the law of some copies counts once for each time that law is used.
        share = lost / (4 * count.bit_length() * count)
        while True:
            if count & copies:
                result = result.then(square).trimmed(share * copies)
            if copies * 2 > count:
                return result
            square = square.then(square).trimmed(share * copies)
            copies *= 2

    def curve(self) -> LossLaw:
        """The (ε, δ) curve, every loss rounded up."""
        steps = np.arange(self.first + len(self.weights) - 1, self.first - 1, -1, dtype=np.float64)
        losses = steps * width_of(self.step)
        losses += np.abs(losses) * 4 * ULP
        return LossLaw(losses=losses, weights=self.weights[::-1], beyond=min(1.0, self.beyond))


# Gauss–Legendre on pieces of at most an eighth of a standard deviation: with the law within 40
# of them, the error is below 1e-15 of every piece.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PIECES = 8
_FARTHEST = 37.5  # standard deviations: beyond lies less than 1e-307


def response_law(epsilon: Fraction, *, step: Fraction) -> GridLaw:
    """Randomised response: +ε with odds e^ε, else −ε. No ε-private mechanism is worse."""
    eps = float_above(epsilon=epsilon)
    falls = exp(-eps) / (1 + exp(-eps))
    return GridLaw.of_atoms([(epsilon, 1 / (1 + exp(-eps))), (-epsilon, falls)], step=step)


def laplace_law(epsilon: Fraction, *, step: Fraction) -> GridLaw:
    """Laplace noise: ½ at ε, ½e^{−ε} at −ε, and the density ¼e^{(t−ε)/2} between them.

    The density on a piece [a, b] is replaced by atoms ½e^{(b−ε)/2}·tanh((b−a)/4) at b and
    ½e^{(a−ε)/2}·tanh((b−a)/4) at a, which have the same probabilities as the piece under both
    laws: the piece is a function of the two atoms.
    """
    low, high = floor(-epsilon / step) + 1, ceil(epsilon / step) - 1  # the lines inside (−ε, ε)
    ends = GridLaw.of_atoms(_laplace_ends(epsilon, low * step, high * step), step=step)
    if low > high:
        return ends
    lines = np.arange(low, high + 1) * float(step)
    margin = 1 + (16 + 4 * float(epsilon)) * ULP  # rounding ε moves e^ε by that much
    share = np.exp((lines - float(epsilon)) / 2) * (tanh(float(step) / 4) / 2 * margin)
    inner = ends.weights[low - ends.first : high + 1 - ends.first]
    inner[1:] += share[1:]
    inner[:-1] += share[:-1]
    inner *= 1 + 4 * ULP
    return ends


def _laplace_ends(
    epsilon: Fraction, low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, float]]:
    """The atoms, and the pieces of density between them and the outermost grid lines."""
    eps = float_above(epsilon=epsilon)
    yield epsilon, 0.5
    yield -epsilon, exp(-eps) / 2
    pieces = ((-epsilon, low), (high, epsilon)) if low <= high else ((-epsilon, epsilon),)
    for a, b in pieces:
        share = tanh(float((b - a) / 4)) / 2
        yield b, exp(float((b - epsilon) / 2)) * share
        yield a, exp(float((a - epsilon) / 2)) * share


def gaussian_law(loss: GDP, *, step: Fraction, lost: float) -> GridLaw:
    """Gaussian noise: N(μ²/2, μ²), of which at most `lost` at either end is cut off.

    Above it counts as infinite, below it moves up, so that no δ falls.

    Each point t of a cell [a, b] is split between a and b as an atom would be.
    """
    if not loss.mu_squared:
        return GridLaw.nothing(step=step)
    square = float_above(mu_squared=loss.mu_squared)
    mu, width = sqrt(square), width_of(step)
    reach = min(_FARTHEST, -NormalDist().inv_cdf(lost)) if lost > 1e-300 else _FARTHEST
    low = floor((square / 2 - reach * mu) / width)
    high = ceil((square / 2 + reach * mu) / width) + 1
    per_cell = max(1, ceil(_PIECES * width / mu))
    length((high - low) * per_cell * len(_NODES), step=step)
    piece = width / per_cell
    # Points as distances from the lower end of their cell, so that nothing cancels.
    inside = ((np.arange(per_cell)[:, None] + (_NODES + 1) / 2) * piece).ravel()
    mass = np.tile(_WEIGHTS / 2 * piece, per_cell)
    cells = np.arange(low, high)[:, None] * width
    score = (cells + inside - square / 2) / mu
    density = np.exp(-score * score / 2) * (mass / (mu * sqrt(2 * np.pi)))
    weights = np.zeros(high - low + 1)
    weights[1:] += density @ (np.expm1(-inside) / np.expm1(-width))
    weights[:-1] += density @ (np.exp(-inside) * np.expm1(inside - width) / np.expm1(-width))
    weights[0] += lost + 1e-307
    return GridLaw(
        step=step,
        first=low,
        weights=weights * (1 + 2.0**-36),
        beyond=float_up(Fraction(lost)) + 1e-307,
    )


_GROWTH = 1.2  # how much longer a law may become before it is trimmed again


@theorem("T-grid", "zhu-dong-wang-2022", "Adaptive composition of dominating pairs")
def composed_law(
    *,
    responses: Mapping[Fraction, int],
    laplaces: Mapping[Fraction, int],
    gaussian: GDP,
    step: Fraction,
    lost: float,
) -> LossLaw:
    """The privacy loss of mechanisms together, on a grid, as a law with at least its δ(ε).

        δ(ε) = E(1 − e^{ε−L})₊,   L = Σ L_i independent, L_i the loss of mechanism i

    `responses` and `laplaces` map an ε to how many mechanisms have it: any that are ε-private,
    and Laplace noise; all Gaussian noise is one, for its squares add. `lost` is what may be cut
    from the ends of the laws for speed; it is added to δ.

    Proof. Each pair of output laws is a function of the pair placed on the grid, so that pair
    dominates it, and products of dominating pairs dominate adaptive compositions. Sums of
    positive floats, each rounded up, keep every probability an upper bound.

    Holds when: all parameters are fixed in advance; the questions may adapt.
    Rounds: up. The step costs tightness, to second order, and never validity.
    """
    check.positive_fraction(step=step)
    if not 0 <= lost < 1:  # also false for NaN
        raise InvalidInput(argument="lost", accepted="from 0 to below 1", given=repr(lost))
    for epsilon in (*responses, *laplaces):
        check.amount(epsilon=epsilon)
    groups = [
        (response_law(epsilon, step=step), check.positive_integer(count=count))
        for epsilon, count in sorted(responses.items())
    ] + [
        (laplace_law(epsilon, step=step), check.positive_integer(count=count))
        for epsilon, count in sorted(laplaces.items())
    ]
    share = lost / (4 * (len(groups) + 1))
    total = gaussian_law(gaussian, step=step, lost=share)
    longest = len(total.weights)
    for law, count in sorted(groups, key=lambda group: -group[1]):
        repeated = law if count == 1 else law.times(count, lost=share)
        total = total.then(repeated)
        if len(total.weights) > _GROWTH * longest:
            total = total.trimmed(share)
            longest = len(total.weights)
    return total.curve()


STEPS = 256  # intervals of a curve to plot
SPREAD = 5  # standard deviations of a normal law to plot, each way


class LossVariable(Protocol):
    """What an observer of X ~ P learns in favour of P against Q, in nats."""

    def mean(self) -> float:
        """E L, which is the divergence D(P‖Q)."""
        ...

    def tail(self, threshold: Number) -> float:
        """Pr[L > threshold]."""
        ...

    def points(self) -> tuple[tuple[float, float], ...]:
        """(t, Pr[L ≤ t]) with t rising; a jump is two points with the same t."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Atom:
    """One value of a loss variable, infinite where Q is 0, and its exact probability under P."""

    loss: float
    probability: Fraction


@final
@dataclass(frozen=True, slots=True)
class FiniteLoss:
    """The loss of a finite pair: the atoms ln(p/q) with probability p."""

    pair: Pair

    def atoms(self) -> tuple[Atom, ...]:
        """The values from small to large, each once: outcomes with equal p/q are merged."""
        laws = list(zip(self.pair.p, self.pair.q, strict=True))
        mass: dict[Fraction, Fraction] = {}
        for p, q in laws:
            if p and q:
                mass[p / q] = mass.get(p / q, Fraction(0)) + p
        atoms = [Atom(log_of(ratio), mass[ratio]) for ratio in sorted(mass)]
        lost = sum((p for p, q in laws if not q), Fraction(0))
        return (*atoms, Atom(inf, lost)) if lost else tuple(atoms)

    def mean(self) -> float:
        return self.pair.kl()

    def tail(self, threshold: Number) -> float:
        """Pr[L > threshold]; an atom's own `loss` as threshold excludes that atom."""
        least = divergence.number(threshold=threshold)
        above = (atom.probability for atom in self.atoms() if atom.loss > least)
        return float(sum(above, Fraction(0)))

    def points(self) -> tuple[tuple[float, float], ...]:
        """Both ends of every jump; an infinite loss shows as a last value below 1."""
        below, steps = Fraction(0), list[tuple[float, float]]()
        for atom in self.atoms():
            if atom.loss < inf:
                steps.append((atom.loss, float(below)))
                below += atom.probability
                steps.append((atom.loss, float(below)))
        return tuple(steps)


@final
@dataclass(frozen=True, slots=True)
class GaussianShiftLoss:
    """The loss of a Gaussian pair: L ~ N(μ²/2, μ²)."""

    pair: GaussianPair

    def mean(self) -> float:
        return self.pair.kl()

    def tail(self, threshold: Number) -> float:
        """Pr[L > t] = Φ(μ/2 − t/μ)."""
        t, mu = divergence.number(threshold=threshold), self.pair.mu
        if mu == 0:
            return float(t < 0)
        return upper_tail(t / mu - mu / 2)

    def points(self) -> tuple[tuple[float, float], ...]:
        """Evenly from five standard deviations below the mean to five above."""
        mu = self.pair.mu
        if mu == 0:
            return ((0.0, 0.0), (0.0, 1.0))
        scores = [Fraction(SPREAD * (2 * i - STEPS), STEPS) for i in range(STEPS + 1)]
        return tuple((as_float(mu * mu / 2 + mu * z), upper_tail(-z)) for z in scores)


@final
@dataclass(frozen=True, slots=True)
class LaplaceShiftLoss:
    """The loss of a Laplace pair: atoms at ±ε₀ and a density between them.

    Pr[L = ε₀] = ½,   Pr[L = −ε₀] = ½e^{−ε₀},   density ¼e^{(t−ε₀)/2} for |t| < ε₀.
    """

    pair: LaplacePair

    def mean(self) -> float:
        return self.pair.kl()

    def tail(self, threshold: Number) -> float:
        """Pr[L > t] = 1 − ½e^{(t−ε₀)/2} for −ε₀ ≤ t < ε₀."""
        t, most = divergence.number(threshold=threshold), self.pair.epsilon
        if t >= most:
            return 0.0
        if t < -most:
            return 1.0
        return (1 - expm1_of((t - most) / 2)) / 2

    def points(self) -> tuple[tuple[float, float], ...]:
        """The two jumps and an even grid between them."""
        most = self.pair.epsilon
        if most == 0:
            return ((0.0, 0.0), (0.0, 1.0))
        grid = [most * Fraction(2 * i - STEPS, STEPS) for i in range(STEPS + 1)]
        rise = [(as_float(t), exp_of((t - most) / 2) / 2) for t in grid]
        return ((as_float(-most), 0.0), *rise, (as_float(most), 1.0))

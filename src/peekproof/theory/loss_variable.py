"""The privacy-loss random variable L = ln(dP/dQ)(X), X ~ P, of a pair of laws."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Protocol, final

from peekproof.core.numerics import log_of
from peekproof.theory import divergence
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

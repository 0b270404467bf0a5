"""What was released: frozen descriptions, which accountants interpret.

Every event states its neighbouring relation: sensitivities and losses are about data sets that
differ in that way, and events of different relations never compose.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput


class Neighbours(Enum):
    """How two data sets may differ that must be hard to tell apart."""

    REPLACE_ONE = "replace one record"
    ADD_OR_REMOVE_ONE = "add or remove one record"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace:
    """Continuous Laplace noise of this scale on one number that moves by at most `sensitivity`.

    Noise on a vector of that L1 sensitivity is a `Pure` release of ε = Δ/scale.
    """

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(scale=self.scale)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace:
    """Discrete Laplace noise, P(z) ∝ e^{−|z|/scale}, on integers of L1 `sensitivity`.

    Its losses are larger than those of continuous noise: moved by 1, it is randomised response.
    """

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(scale=self.scale)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """Continuous Gaussian noise (or an exact rounding of it) on a value of L2 `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """Discrete Gaussian noise, P(z) ∝ e^{−z²/2σ²}, on integers of L2 `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """A choice with probability proportional to e^{ε·score/(2Δ)}, Δ the score's sensitivity."""

    epsilon: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(epsilon=self.epsilon)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pure:
    """Any ε-differentially private release."""

    epsilon: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(epsilon=self.epsilon)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Approximate:
    """Any (ε, δ)-differentially private release."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.amount(epsilon=self.epsilon)
        check.unit_fraction(delta=self.delta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Concentrated:
    """Any ρ-zero-concentrated release."""

    rho: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(rho=self.rho)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SampledGaussian:
    """Gaussian noise on a sum over a Poisson sample: each record takes part with chance `rate`.

    Its theorems are for adding or removing a record, so that is the only relation it has.
    """

    sigma: Fraction
    rate: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)
        check.positive_fraction(rate=self.rate)
        check.unit_fraction(rate=self.rate)
        if self.neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
            raise InvalidInput(
                argument="neighbours",
                accepted=f"to {Neighbours.ADD_OR_REMOVE_ONE.value}, for a Poisson sample",
                given=f"to {self.neighbours.value}",
            )


Event = (
    Laplace
    | DiscreteLaplace
    | Gaussian
    | DiscreteGaussian
    | Exponential
    | Pure
    | Approximate
    | Concentrated
    | SampledGaussian
)

"""One event read as a loss of each notion; None where the notion says nothing about it."""

from fractions import Fraction

from peekproof.accounting.event import (
    Approximate,
    Concentrated,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
)
from peekproof.core.charge import GDP, RDP, ZCDP, ApproxDP, PureDP
from peekproof.theory import discrete_noise
from peekproof.theory.conversion import (
    gdp_to_rdp,
    gdp_to_zcdp,
    laplace_to_rdp,
    pure_to_rdp,
    pure_to_zcdp_sharp,
    zcdp_to_rdp,
)


def as_pure(event: Event) -> PureDP | None:
    """The ε of an event that has one without δ."""
    match event:
        case (
            Laplace(scale=scale, sensitivity=sensitivity)
            | DiscreteLaplace(scale=scale, sensitivity=sensitivity)
        ):
            return discrete_noise.laplace(scale=scale, sensitivity=sensitivity)
        case Pure(epsilon=epsilon) | Exponential(epsilon=epsilon):
            return PureDP(epsilon)
        case Approximate(epsilon=epsilon, delta=Fraction(numerator=0)):
            return PureDP(epsilon)
        case _:
            return None


def as_approximate(event: Event) -> ApproxDP | None:
    """The (ε, δ) of an event that is described by one pair."""
    if isinstance(event, Approximate):
        return ApproxDP(epsilon=event.epsilon, delta=event.delta)
    pure = as_pure(event)
    return ApproxDP(epsilon=pure.epsilon, delta=Fraction(0)) if pure else None


def as_gaussian(event: Event) -> GDP | None:
    """The μ² of continuous Gaussian noise."""
    if isinstance(event, Gaussian):
        return discrete_noise.gaussian(sigma=event.sigma, sensitivity=event.sensitivity)
    return None


def as_zcdp(event: Event) -> ZCDP | None:
    """The ρ of an event, the smallest that is known."""
    match event:
        case Concentrated(rho=rho):
            return ZCDP(rho)
        case DiscreteGaussian(sigma=sigma, sensitivity=sensitivity):
            return discrete_noise.discrete_gaussian(sigma=sigma, sensitivity=sensitivity)
        case Gaussian():
            gaussian = as_gaussian(event)
            return gdp_to_zcdp(gaussian) if gaussian else None
        case Exponential(epsilon=epsilon):
            return min(
                discrete_noise.bounded_range(PureDP(epsilon)), pure_to_zcdp_sharp(PureDP(epsilon))
            )
        case _:
            pure = as_pure(event)
            return pure_to_zcdp_sharp(pure) if pure else None


def as_rdp(event: Event, *, order: Fraction) -> RDP | None:
    """The Rényi loss of one order, the smallest that is known."""
    pure = as_pure(event)
    if isinstance(event, Laplace) and pure:
        return laplace_to_rdp(pure, order=order)
    if isinstance(event, Gaussian) and (gaussian := as_gaussian(event)):
        return gdp_to_rdp(gaussian, order=order)
    zcdp = as_zcdp(event)
    if zcdp is None:
        return None
    by_line = zcdp_to_rdp(zcdp, order=order)
    if pure is None:
        return by_line
    by_pure = pure_to_rdp(pure, order=order)
    return min(by_line, by_pure, key=lambda loss: loss.epsilon)

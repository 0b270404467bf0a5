"""dp-accounting: privacy loss distributions, Rényi divergences and the exact Gaussian."""

from collections.abc import Callable
from functools import partial, reduce
from importlib import import_module
from math import sqrt
from typing import Any

from accounting.contender import Contender
from accounting.question import (
    DELTA,
    EPSILONS,
    RATE,
    SAMPLED_SIGMA,
    SCALE,
    SIGMAS,
    TARGET,
)

event = import_module("dp_accounting")
exact = import_module("dp_accounting.gaussian_mechanism")
rdp = import_module("dp_accounting.rdp")
laws = import_module("dp_accounting.pld.privacy_loss_distribution")
common = import_module("dp_accounting.pld.common")
closed = import_module("dp_accounting.pld.accountant")

GRIDS = (1e-4, 1e-5)


def by_law(make: Callable[..., Any], count: int) -> dict[str, Contender]:
    def answer(**options: object) -> float:
        law = make(**options)
        composed = law.self_compose(count) if count > 1 else law
        return float(composed.get_epsilon_for_delta(DELTA))

    found = {
        f"dp-accounting PLD, grid {grid:g}": Contender(
            "upper", partial(answer, value_discretization_interval=grid)
        )
        for grid in GRIDS
    }
    found["dp-accounting PLD, optimistic"] = Contender(
        "lower",
        partial(
            answer,
            value_discretization_interval=GRIDS[0],
            pessimistic_estimate=False,
            use_connect_dots=False,
        ),
    )
    return found


def by_renyi(make: Callable[[], Any]) -> dict[str, Contender]:
    def answer() -> float:
        accountant = rdp.RdpAccountant()
        accountant.compose(make())
        return float(accountant.get_epsilon(DELTA))

    return {"dp-accounting RDP": Contender("upper", answer)}


def laplace(count: int) -> dict[str, Contender]:
    parameters = common.DifferentialPrivacyParameters(1 / SCALE, 0)
    return {
        **by_law(lambda **options: laws.from_laplace_mechanism(SCALE, **options), count),
        **by_renyi(lambda: event.SelfComposedDpEvent(event.LaplaceDpEvent(SCALE), count)),
        "dp-accounting advanced composition": Contender(
            "upper", lambda: float(closed.advanced_composition(parameters, count, DELTA))
        ),
    }


def gaussian(count: int) -> dict[str, Contender]:
    return {
        **by_law(lambda **options: laws.from_gaussian_mechanism(SCALE, **options), count),
        **by_renyi(lambda: event.SelfComposedDpEvent(event.GaussianDpEvent(SCALE), count)),
        "dp-accounting exact Gaussian": Contender(
            "exact", lambda: float(exact.get_epsilon_gaussian(SCALE / sqrt(count), DELTA))
        ),
    }


def laplace_mixed(count: int) -> dict[str, Contender]:
    scales = [float(1 / epsilon) for epsilon in EPSILONS[:count]]

    def make(**options: object) -> object:
        return reduce(
            lambda law, other: law.compose(other),
            [laws.from_laplace_mechanism(scale, **options) for scale in scales],
        )

    return by_law(make, 1) | by_renyi(
        lambda: event.ComposedDpEvent([event.LaplaceDpEvent(scale) for scale in scales])
    )


def gaussian_mixed(count: int) -> dict[str, Contender]:
    sigmas = [float(sigma) for sigma in SIGMAS[:count]]

    def closed_form() -> float:
        together = 1 / sqrt(sum(sigma**-2 for sigma in sigmas))
        return float(exact.get_epsilon_gaussian(together, DELTA))

    return {
        **by_renyi(lambda: event.ComposedDpEvent([event.GaussianDpEvent(s) for s in sigmas])),
        "dp-accounting exact Gaussian": Contender("exact", closed_form),
    }


def calibration(count: int) -> dict[str, Contender]:
    return {
        "dp-accounting exact Gaussian": Contender(
            "exact", lambda: float(exact.get_sigma_gaussian(TARGET, DELTA)) * sqrt(count)
        )
    }


def subsampled(count: int) -> dict[str, Contender]:
    def make(**options: object) -> object:
        return laws.from_gaussian_mechanism(SAMPLED_SIGMA, sampling_prob=RATE, **options)

    sampled = event.PoissonSampledDpEvent(RATE, event.GaussianDpEvent(SAMPLED_SIGMA))
    return by_law(make, count) | by_renyi(lambda: event.SelfComposedDpEvent(sampled, count))

"""prv-accountant: loss variables by Fourier transform, with a declared error."""

from collections.abc import Sequence
from functools import partial
from importlib import import_module

from accounting.contender import Contender
from accounting.question import DELTA, EPSILONS, RATE, SAMPLED_SIGMA, SCALE, SIGMAS

prv = import_module("prv_accountant")
variables = import_module("prv_accountant.privacy_random_variables")

ERRORS = (0.1, 0.01)


def within_errors(each: Sequence[object], counts: list[int]) -> dict[str, Contender]:
    """The upper end for each declared error, and the estimate in the middle for the smaller."""

    def answer(error: float, end: int) -> float:
        accountant = prv.PRVAccountant(
            each, max_self_compositions=counts, eps_error=error, delta_error=DELTA / 1000
        )
        return float(accountant.compute_epsilon(DELTA, counts)[end])

    found = {
        f"prv-accountant, error {error:g}": Contender("upper", partial(answer, error, 2))
        for error in ERRORS
    }
    found["prv-accountant, estimate"] = Contender("estimate", partial(answer, ERRORS[-1], 1))
    return found


def first(found: dict[str, Contender]) -> dict[str, Contender]:
    """The coarsest alone: where it is not done in time, the finer ones are not either."""
    return dict(list(found.items())[:1])


def laplace(count: int) -> dict[str, Contender]:
    return within_errors([variables.LaplaceMechanism(mu=1 / SCALE)], [count])


def gaussian(count: int) -> dict[str, Contender]:
    return within_errors([variables.GaussianMechanism(float(SCALE))], [count])


def laplace_mixed(count: int) -> dict[str, Contender]:
    each = [variables.LaplaceMechanism(mu=float(epsilon)) for epsilon in EPSILONS[:count]]
    return first(within_errors(each, [1] * count))


def gaussian_mixed(count: int) -> dict[str, Contender]:
    each = [variables.GaussianMechanism(float(sigma)) for sigma in SIGMAS[:count]]
    return first(within_errors(each, [1] * count))


def subsampled(count: int) -> dict[str, Contender]:
    sampled = variables.PoissonSubsampledGaussianMechanism(
        noise_multiplier=SAMPLED_SIGMA, sampling_probability=RATE
    )
    return within_errors([sampled], [count])

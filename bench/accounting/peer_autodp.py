"""autodp: Rényi divergences, the exact Gaussian and the Fourier accountant."""

from importlib import import_module
from math import sqrt

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

mechanisms = import_module("autodp.mechanism_zoo")
transformers = import_module("autodp.transformer_zoo")
closed = import_module("autodp.dp_acct")
calibrator = import_module("autodp.privacy_calibrator")


def composed(kind: str, each: list[object], counts: list[int]) -> float:
    return float(getattr(transformers, kind)()(each, counts).get_approxDP(DELTA))


def closed_form(epsilons: list[float]) -> float:
    accountant = closed.DP_acct()
    for epsilon in epsilons:
        accountant.update_DPlosses(epsilon, 0)
    return float(accountant.get_eps(DELTA))


def laplace(count: int) -> dict[str, Contender]:
    plain = mechanisms.LaplaceMechanism(b=SCALE)
    fourier = mechanisms.LaplaceMechanism(b=SCALE, phi_off=False)
    return {
        "autodp RDP": Contender("upper", lambda: composed("Composition", [plain], [count])),
        "autodp Fourier": Contender("estimate", lambda: composed("ComposeAFA", [fourier], [count])),
        "autodp closed form": Contender("upper", lambda: closed_form([1 / SCALE] * count)),
    }


def gaussian(count: int) -> dict[str, Contender]:
    plain = mechanisms.GaussianMechanism(SCALE)
    exact = mechanisms.ExactGaussianMechanism(SCALE)
    fourier = mechanisms.GaussianMechanism(SCALE, phi_off=False)
    return {
        "autodp RDP": Contender("upper", lambda: composed("Composition", [plain], [count])),
        "autodp exact Gaussian": Contender(
            "exact", lambda: composed("ComposeGaussian", [exact], [count])
        ),
        "autodp Fourier": Contender("estimate", lambda: composed("ComposeAFA", [fourier], [count])),
    }


def laplace_mixed(count: int) -> dict[str, Contender]:
    epsilons = [float(epsilon) for epsilon in EPSILONS[:count]]
    each = [mechanisms.LaplaceMechanism(b=1 / epsilon) for epsilon in epsilons]
    return {
        "autodp RDP": Contender("upper", lambda: composed("Composition", each, [1] * count)),
        "autodp closed form": Contender("upper", lambda: closed_form(epsilons)),
    }


def gaussian_mixed(count: int) -> dict[str, Contender]:
    each = [mechanisms.ExactGaussianMechanism(float(sigma)) for sigma in SIGMAS[:count]]
    return {
        "autodp exact Gaussian": Contender(
            "exact", lambda: composed("ComposeGaussian", each, [1] * count)
        )
    }


def calibration(count: int) -> dict[str, Contender]:
    return {
        "autodp exact Gaussian": Contender(
            "exact",
            lambda: float(calibrator.ana_gaussian_mech(TARGET, DELTA)["sigma"]) * sqrt(count),
        )
    }


def subsampled(count: int) -> dict[str, Contender]:
    def answer() -> float:
        plain = mechanisms.GaussianMechanism(SAMPLED_SIGMA)
        plain.neighboring = "add_remove"
        sampling = transformers.AmplificationBySampling(PoissonSampling=True)
        sampled = sampling.amplify(plain, RATE, improved_bound_flag=True)
        return composed("Composition", [sampled], [count])

    return {"autodp RDP": Contender("upper", answer)}

"""The exact answer at 30 digits, where there is a formula for it."""

from importlib import import_module
from typing import Any

from accounting.question import ANSWERS, SCALE, SIGMAS, TARGET, Question

mp = import_module("mpmath")


def _delta(mu: Any, epsilon: Any) -> Any:
    a = epsilon / mu - mu / 2
    return mp.ncdf(-a) - mp.exp(epsilon) * mp.ncdf(-a - mu)


def _gaussian(square: Any) -> float:
    mu, target = mp.sqrt(square), mp.log(mp.mpf(10) ** -6)
    # The closed bound for concentrated privacy lies above the root.
    high = mu * mp.sqrt(-2 * target) + square / 2
    root = mp.findroot(
        lambda x: mp.log(_delta(mu, x)) - target, (0, high), solver="anderson", tol=1e-20
    )
    return float(root)


def exact(question: Question) -> float | None:
    """The exact ε or σ, or None where only bounds are known."""
    with mp.workdps(30):
        match question.family:
            case "laplace" if question.count == 1:
                return float(mp.mpf(1) / SCALE + 2 * mp.log1p(-(mp.mpf(10) ** -6)))
            case "gaussian":
                return _gaussian(mp.mpf(question.count) / SCALE**2)
            case "gaussian_mixed":
                return _gaussian(
                    mp.fsum((mp.mpf(s.denominator) / s.numerator) ** 2 for s in SIGMAS)
                )
            case "calibration":
                target = mp.log(mp.mpf(10) ** -6)
                mu = mp.findroot(
                    lambda x: mp.log(_delta(x, mp.mpf(TARGET))) - target,
                    (0.1, 0.5),
                    solver="anderson",
                    tol=1e-20,
                )
                return float(mp.sqrt(ANSWERS) / mu)
            case _:
                return None

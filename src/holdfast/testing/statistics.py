"""Statistical tests whose chance of failing on correct code is stated, summed and bounded.

A test declares its share with `@statistical(false_alarm=…)` and compares p-values with it.
Every p-value here is a finite-sample bound, not an approximation, so the share is honest.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from math import exp, fsum, inf, lgamma, log, log1p, sqrt
from typing import ParamSpec, TypeVar

from holdfast.core.errors import InvalidInput

P = ParamSpec("P")
R = TypeVar("R")

_declared: dict[str, float] = {}


def statistical(*, false_alarm: float) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare how often a test may fail although the code is right."""
    if not 0 < false_alarm < 1:
        raise InvalidInput(
            argument="false_alarm", accepted="between 0 and 1", given=repr(false_alarm)
        )

    def declare(test: Callable[P, R]) -> Callable[P, R]:
        _declared[f"{test.__module__}.{test.__qualname__}"] = false_alarm
        return test

    return declare


def declared_false_alarms() -> dict[str, float]:
    """The share of every declared test that has been imported."""
    return dict(_declared)


def fit_p_value(sample: Iterable[int], cdf: Callable[[int], float]) -> float:
    """A bound on the p-value of integers drawn from the law with distribution function `cdf`.

        Pr[ sup |F_m − F| ≥ D ] ≤ 2 e^{−2mD²}

    The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant; it holds for
    every law, discrete ones included.
    """
    counts = Counter(sample)
    size = counts.total()
    if size == 0:
        raise InvalidInput(argument="sample", accepted="at least one draw", given="none")
    below, distance = 0, 0.0
    for value in sorted(counts):
        distance = max(distance, abs(below / size - cdf(value - 1)))
        below += counts[value]
        distance = max(distance, abs(below / size - cdf(value)))
    return min(1.0, 2 * exp(-2 * size * distance**2))


def excess_p_value(hits: int, *, trials: int, probability: float) -> float:
    """Pr[Binomial(trials, probability) ≥ hits]: small if events happen too often."""
    if hits <= 0 or probability in (0, 1):
        return float(hits <= 0 or (probability == 1 and hits <= trials))
    logs = (log(probability), log1p(-probability))
    top = lgamma(trials + 1)
    return min(
        1.0,
        fsum(
            exp(top - lgamma(i + 1) - lgamma(trials - i + 1) + i * logs[0] + (trials - i) * logs[1])
            for i in range(hits, trials + 1)
        ),
    )


def mean_deviation(*, trials: int, false_alarm: float, spread: float = 1.0) -> float:
    """How far a mean of independent values in an interval of width `spread` may lie above its own.

    Pr[ mean − E ≥ t ] ≤ e^{−2mt²/spread²}      (Hoeffding)
    """
    return spread * sqrt(-log(false_alarm) / (2 * trials)) if trials else inf

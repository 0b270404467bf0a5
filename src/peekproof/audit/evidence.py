"""What a number of draws is evidence of: bounds that hold for every number of them.

None is an approximation, so that a test which declares its false alarm is as rarely wrong as it
says. Probabilities are bounded by Chernoff: m draws of probability p reach a share s ≥ p with
probability at most e^{−m·KL(s‖p)}, and so downwards.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, lgamma, log, log1p, sqrt
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, up

HALVINGS = 60

# The largest share of its wealth that a bet risks: with all of it, one bad draw would end the game.
_RISKED = 0.9


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Two ends between which a probability lies, except with the false alarm they were made for."""

    low: float
    high: float

    @property
    def complement(self) -> "Chance":
        return Chance(low=1 - self.high, high=1 - self.low)


def chance(hits: int, *, trials: int, false_alarm: float) -> Chance:
    """Where the probability of an event lies that happened so often, each end wrong with half.

    Rounds: outward, by the bisection, which keeps the far end.
    """
    check.positive_integer(trials=trials)
    if not 0 <= hits <= trials:
        raise InvalidInput(
            argument="hits", accepted=f"an integer from 0 to {trials}", given=repr(hits)
        )
    if not 0 < false_alarm < 1:
        raise InvalidInput(
            argument="false_alarm", accepted="between 0 and 1", given=repr(false_alarm)
        )
    exponent, share = log(2 / false_alarm) / trials, hits / trials
    return Chance(
        low=_furthest(share, 0.0, exponent=exponent), high=_furthest(share, 1.0, exponent=exponent)
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Two ends between which a mean lies, except with the false alarm they were made for."""

    low: float
    high: float


def mean_limits(values: Sequence[float], *, low: float, high: float, false_alarm: float) -> Limits:
    """Where the mean of independent values in [low, high] lies, each end wrong with half.

    Where they spread little the limits are narrow; Hoeffding's depend on the width alone. Proof,
    for values y in [0, 1]. To a supposed mean m belongs the wealth

        W = Π_i (1 + b_i·(y_i − m)),   b_i = min(λ_i, c/m),   c < 1

    of one who bets λ_i, chosen from the values before the i-th, that it will be above m. Every
    factor is at least 1 − c > 0, and if the mean is at most m, none has an expectation above 1
    given the values before it: W is a nonnegative supermartingale, and by Ville it ever reaches 1/a
    with probability at most a. Such m are rejected. Each factor falls as m grows, as 1 + λ(y − m)
    and 1 − c + cy/m do, and as both agree at m = c/λ; so with m all smaller numbers are rejected,
    and the true mean is among them with probability at most a. The other end is that of 1 − y. How
    λ_i is chosen, √(2 ln(1/a)/(Nv)) with v the variance seen so far of the N values, costs width
    and never validity.
    Rounds: outward, by the bisection, which keeps the end that was rejected.
    """
    if not low < high or not all(low <= value <= high for value in values):
        raise InvalidInput(
            argument="values", accepted=f"numbers from {low!r} to {high!r}", given=repr(values)[:80]
        )
    if not 0 < false_alarm < 1:
        raise InvalidInput(
            argument="false_alarm", accepted="between 0 and 1", given=repr(false_alarm)
        )
    shares = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    shares, width = np.clip(shares, 0.0, 1.0), high - low
    above, below = (_least_mean(each, level=false_alarm / 2) for each in (shares, 1 - shares))
    return Limits(low=max(low, down(low + width * above)), high=min(high, up(high - width * below)))


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
        distance = max(distance, abs(below / size - _cumulative(cdf, value - 1)))
        below += counts[value]
        distance = max(distance, abs(below / size - _cumulative(cdf, value)))
    return min(1.0, 2 * exp(-2 * size * distance**2))


def _cumulative(cdf: Callable[[int], float], value: int) -> float:
    found = cdf(value)
    if not found >= 0:  # NaN is no distance away from anything
        raise InvalidInput(argument="cdf", accepted="probabilities", given=f"{found!r} at {value}")
    return found


def excess_p_value(hits: int, *, trials: int, probability: float) -> float:
    """Pr[Binomial(trials, probability) ≥ hits]: small if events happen too often."""
    if not 0 <= probability <= 1:
        raise InvalidInput(
            argument="probability", accepted="between 0 and 1", given=repr(probability)
        )
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


def _surprise(share: float, probability: float) -> float:
    """KL(share ‖ probability), in nats."""
    here = share * log(share / probability) if share else 0.0
    rest = 1 - share
    return here + (rest * (log(rest) - log1p(-probability)) if rest else 0.0)


def _furthest(share: float, end: float, *, exponent: float) -> float:
    """The probability towards `end` beyond which a share would be surprising."""
    if share == end:
        return end
    near, far = share, end
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        if middle in (0.0, 1.0) or _surprise(share, middle) > exponent:
            far = middle
        else:
            near = middle
    return far


def _bets(shares: npt.NDArray[np.float64], *, level: float) -> npt.NDArray[np.float64]:
    """What is bet on each value, from those before it alone."""
    size = len(shares)
    before = np.arange(1, size + 1)
    centres = (0.5 + np.cumsum(shares)) / (before + 1)
    spreads = (0.25 + np.cumsum((shares - centres) ** 2)) / (before + 1)
    known = np.concatenate(([0.25], spreads[:-1]))  # what a value adds is for the next one only
    return np.asarray(np.sqrt(-2 * log(level) / (size * known)))


def _least_mean(shares: npt.NDArray[np.float64], *, level: float) -> float:
    """The largest supposed mean that is rejected as too small, or 0."""
    if not len(shares):
        return 0.0
    # No partial sum is below ln(1 − c) for each value, and an addition errs by one part in 2⁵³.
    slack = 1e-15 * (1 + len(shares)) ** 2
    bets, enough = _bets(shares, level=level), -log(level) * (1 + 1e-12) + slack
    near, far = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        factors = np.minimum(bets, _RISKED / middle) * (shares - middle)
        if float(np.cumsum(np.log1p(factors)).max()) >= enough:
            near = middle
        else:
            far = middle
    return near

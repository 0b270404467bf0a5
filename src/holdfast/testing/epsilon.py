"""How much an event happened more often on one data set than on its neighbour, at least.

Bounds are Chernoff's: m draws of probability p reach a share s ≥ p with probability at most
e^{−m·KL(s‖p)}, and so downwards. They hold for every m, so a false alarm is as rare as declared.
"""

from dataclasses import dataclass
from math import inf, log, log1p
from typing import final

from holdfast.core import check
from holdfast.core.errors import InvalidInput

HALVINGS = 60


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


def epsilon_floor(hits_one: int, hits_other: int, *, trials: int, false_alarm: float) -> float:
    """A lower bound on the ε of a mechanism from how often an event happened on two neighbours.

    ln(p/q) with the lowest p and the highest q that the counts leave; wrong with probability at
    most `false_alarm`. Negative if the counts tell nothing, −inf if the event never happened.
    """
    one = chance(hits_one, trials=trials, false_alarm=false_alarm)
    other = chance(hits_other, trials=trials, false_alarm=false_alarm)
    return log(one.low / other.high) if one.low else -inf


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

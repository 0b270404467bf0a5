"""Rényi losses, added order by order."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log1p
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event, Laplace
from peekproof.accounting.reading import as_pure, as_rdp, as_zcdp
from peekproof.core import check
from peekproof.core.charge import RDP, ZCDP, PureDP
from peekproof.core.numerics import log_of
from peekproof.theory.conversion import failure, float_above, rdp_to_approx, rdp_to_approx_at

# Orders 1 + e^x that are looked at first; then the best is refined between its neighbours.
_COARSE = [x / 2 for x in range(-14, 33)]
_FINEST = 1e-4
_LARGE = 600.0


@final
@dataclass(frozen=True, slots=True)
class Renyi:
    """The sum at each order, and the best order."""

    NAME: ClassVar[str] = "Rényi"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-rdp-comp", "T-rdp-dp")

    def covers(self, event: Event) -> bool:
        return as_zcdp(event) is not None

    def curve(self, conversation: Conversation, *, order: Fraction) -> RDP:
        """The Rényi loss of the whole conversation at one order."""

        def reading(event: Event) -> RDP | None:
            return as_rdp(event, order=order)

        losses = read_all(conversation, reading, accountant=self.NAME)
        total = sum((loss.epsilon * count for loss, count in losses.items()), Fraction(0))
        return RDP(order=order, epsilon=total)

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        log_delta = log_of(failure(delta=delta))
        rough = self._rough(conversation)

        def bound(x: float) -> float:
            return rough(x) - log1p(1 / x) - (log_delta + log1p(x)) / x

        order = _best_order(bound)
        return rdp_to_approx([self.curve(conversation, order=order)], delta=delta).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        level = float_above(epsilon=check.amount(epsilon=epsilon))
        rough = self._rough(conversation)

        def bound(x: float) -> float:
            return x * (rough(x) - level) - (1 + x) * log1p(1 / x) - log(x)

        order = _best_order(bound)
        return rdp_to_approx_at([self.curve(conversation, order=order)], epsilon=epsilon).delta

    def _rough(self, conversation: Conversation) -> Callable[[float], float]:
        """The sum at order 1 + x in plain floats, to find a good order with."""
        read_all(conversation, as_zcdp, accountant=self.NAME)
        counts = conversation.counts.items()
        eps = np.array([_size(as_pure(event)) for event, _ in counts])
        rhos = np.array([_size(as_zcdp(event)) for event, _ in counts])
        laplace = np.array([isinstance(event, Laplace) for event, _ in counts])
        times = np.array([float_above(count=Fraction(count)) for _, count in counts])

        def total(x: float) -> float:
            pure = np.where(laplace, _laplace(eps, x), _response(eps, x))
            each = np.where(eps > 0, np.minimum(pure, (1 + x) * rhos), (1 + x) * rhos)
            return float(each @ times)

        return total


def _size(loss: PureDP | ZCDP | None) -> float:
    match loss:
        case PureDP(epsilon=epsilon):
            return float_above(epsilon=epsilon)
        case ZCDP(rho=rho):
            return float_above(rho=rho)
        case _:
            return 0.0


def _laplace(eps: NDArray[np.float64], x: float) -> NDArray[np.float64]:
    near = np.minimum(x * eps, _LARGE)
    grown = ((1 + x) * np.expm1(near) + x * np.expm1(-(1 + x) * eps)) / (1 + 2 * x)
    return np.where(x * eps < _LARGE, np.log1p(grown) / x, eps)


def _response(eps: NDArray[np.float64], x: float) -> NDArray[np.float64]:
    near = np.minimum(eps, _LARGE / (1 + x))
    grown = 2 * np.sinh((1 + x) * near / 2) * np.sinh(x * near / 2) / np.cosh(near / 2)
    return np.where((1 + x) * eps < _LARGE, np.log1p(grown) / x, eps)


def _best_order(bound: Callable[[float], float]) -> Fraction:
    """An order near the best; any order gives a valid bound."""
    at = {x: bound(exp(x)) for x in _COARSE}
    best = min(at, key=lambda x: at[x])
    reach = _COARSE[1] - _COARSE[0]
    while reach > _FINEST:
        reach /= 2
        for x in (best - reach, best + reach):
            if (value := bound(exp(x))) < at[best]:
                at[x], best = value, x
    return 1 + Fraction(exp(best))

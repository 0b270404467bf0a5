"""Privacy accountants: basic, advanced, optimal, zCDP, Gaussian, Rényi and numerical.

Each interprets a conversation whose events are described and fixed in advance, and each is a
theorem or a family of them. `Basic` adds losses up. `Advanced` has them grow like a square root,
in closed form. `Optimal` is the best that can be said from (ε, δ) alone. `Zcdp` adds
zero-concentrated losses, and `Renyi` adds Rényi losses order by order. `GaussianExact` is for
Gaussian noise alone, and exact whatever the number of answers. `Numerical` has the sharpest bound
for a mixture: laws of the privacy loss, composed on a grid. Accountants that ask dp-accounting are
in `accounting.library`.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, log, log1p, tanh
from typing import ClassVar, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from peekproof.accounting.calibration import few, step_for
from peekproof.accounting.events import (
    Conversation,
    Event,
    Laplace,
    as_approximate,
    as_gaussian,
    as_pure,
    as_rdp,
    as_zcdp,
)
from peekproof.core import check
from peekproof.core.charge import GDP, RDP, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, log_of, up
from peekproof.theory.composition import (
    advanced_mixed,
    advanced_within,
    basic,
    gdp,
    joined,
    left_over,
    log_survival,
    zcdp,
)
from peekproof.theory.conversion import (
    LEAST_DELTA,
    failure,
    float_above,
    gdp_to_approx,
    gdp_to_approx_at,
    rdp_to_approx,
    rdp_to_approx_at,
    zcdp_to_approx,
    zcdp_to_approx_at,
)
from peekproof.theory.loss_law import LossLaw, composed_law
from peekproof.theory.optimal_composition import (
    optimal,
    optimal_at,
    optimal_mixed,
    optimal_mixed_at,
    responses_of,
)

L = TypeVar("L", bound=Hashable)


class Accountant(Protocol):
    """Bounds the loss of a conversation whose parameters were fixed in advance.

    Not a filter: it has no `admit`, so no session can be gated by it.
    """

    NAME: ClassVar[str]
    THEOREMS: ClassVar[tuple[str, ...]]

    def covers(self, event: Event) -> bool:
        """Whether the theorem says anything about such an event."""
        ...

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        """An ε that the conversation keeps at this δ."""
        ...

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        """A δ that the conversation keeps at this ε; 1 where the theorem says nothing."""
        ...


def require_covered(conversation: Conversation, accountant: Accountant) -> None:
    """Refuse a conversation with an event that the accountant does not cover."""
    for event in conversation.counts:
        if not accountant.covers(event):
            raise _uncovered(event, accountant.NAME)


def read_all(
    conversation: Conversation, reading: Callable[[Event], L | None], *, accountant: str
) -> dict[L, int]:
    """All events as losses of one notion, equal ones together; refused if one has none."""
    losses: dict[L, int] = {}
    for event, count in conversation.counts.items():
        loss = reading(event)
        if loss is None:
            raise _uncovered(event, accountant)
        losses[loss] = losses.get(loss, 0) + count
    return losses


def _uncovered(event: Event, accountant: str) -> InvalidInput:
    return InvalidInput(
        argument="events",
        accepted=f"ones that the {accountant} accountant covers",
        given=type(event).__name__,
        hint="ask an accountant that covers it",
    )


@final
@dataclass(frozen=True, slots=True)
class Basic:
    """Σε and Σδ."""

    NAME: ClassVar[str] = "basic"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-basic",)

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        total = self._total(conversation)
        if failure(delta=delta) < total.delta:
            raise InvalidInput(
                argument="delta",
                accepted=f"at least {float(total.delta):g}, the sum over the events",
                given=f"{float(delta):g}",
            )
        return total.epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        total = self._total(conversation)
        return total.delta if epsilon >= total.epsilon else Fraction(1)

    def _total(self, conversation: Conversation) -> ApproxDP:
        return basic(read_all(conversation, as_approximate, accountant=self.NAME))


@final
@dataclass(frozen=True, slots=True)
class Advanced:
    """Advanced composition with the sharp mean and the best slack, or Σε if that is less."""

    NAME: ClassVar[str] = "advanced"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-advanced-best", "T-basic")

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        losses = read_all(conversation, as_approximate, accountant=self.NAME)
        return min(advanced_within(losses, delta=delta).epsilon, basic(losses).epsilon)

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        losses = read_all(conversation, as_approximate, accountant=self.NAME)
        plain = basic(losses)
        if epsilon >= plain.epsilon:
            return plain.delta
        slack = max(LEAST_DELTA, _slack(losses, epsilon))
        # The slack is a guess in floats: it counts only once the theorem has accepted it.
        growth = 1 if slack < Fraction(1, 10**280) else Fraction(1, 10**6)
        while slack < 1 and advanced_mixed(losses, slack=slack).epsilon > epsilon:
            slack, growth = slack * (1 + growth), growth * 2
        return min(Fraction(1), plain.delta + slack)


def _slack(losses: dict[ApproxDP, int], epsilon: Fraction) -> Fraction:
    """δ′ = exp(−(ε − Σε_i tanh(ε_i/2))²/(2Σε_i²)), a little above."""
    pairs = [
        (float_above(epsilon=loss.epsilon), float_above(count=Fraction(count)))
        for loss, count in losses.items()
    ]
    mean = fsum(count * eps * tanh(eps / 2) for eps, count in pairs)
    spread = fsum(count * eps * eps for eps, count in pairs)
    excess = max(0.0, float(epsilon) - mean)
    return Fraction(min(1.0, up(exp(-excess * excess / (2 * spread)) * (1 + 1e-9))))


@final
@dataclass(frozen=True, slots=True)
class Optimal:
    """Kairouz–Oh–Viswanath for equal parameters, Murtagh–Vadhan on a fine grid for others."""

    NAME: ClassVar[str] = "optimal"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-optimal", "T-optimal-mixed")

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        losses = self._losses(conversation)
        if len(losses) == 1:
            ((each, count),) = losses.items()
            return optimal(each, count=count, delta=delta).epsilon
        return optimal_mixed(losses, delta=delta, step=_step(losses)).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        losses = self._losses(conversation)
        if len(losses) == 1:
            ((each, count),) = losses.items()
            return optimal_at(each, count=count, epsilon=epsilon).delta
        return optimal_mixed_at(losses, epsilon=epsilon, step=_step(losses)).delta

    def _losses(self, conversation: Conversation) -> dict[ApproxDP, int]:
        return read_all(conversation, as_approximate, accountant=self.NAME)


def _step(losses: dict[ApproxDP, int]) -> Fraction:
    return step_for(responses=responses_of(losses), laplaces={}, gaussian=GDP(Fraction(0)))


@final
@dataclass(frozen=True, slots=True)
class Zcdp:
    """Σρ, and the best order for its conversion."""

    NAME: ClassVar[str] = "zCDP"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-zcdp-comp", "T-zcdp-dp")

    def covers(self, event: Event) -> bool:
        return as_zcdp(event) is not None

    def total(self, conversation: Conversation) -> ZCDP:
        """The ρ of the whole conversation."""
        return zcdp(read_all(conversation, as_zcdp, accountant=self.NAME))

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        return zcdp_to_approx(self.total(conversation), delta=delta).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        return zcdp_to_approx_at(self.total(conversation), epsilon=epsilon).delta


@final
@dataclass(frozen=True, slots=True)
class GaussianExact:
    """√(Σμ²), and the exact curve of the Gaussian mechanism."""

    NAME: ClassVar[str] = "Gaussian, exact"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-gdp-comp", "T-gdp-dp")

    def covers(self, event: Event) -> bool:
        return as_gaussian(event) is not None

    def total(self, conversation: Conversation) -> GDP:
        """The μ² of the whole conversation."""
        return gdp(read_all(conversation, as_gaussian, accountant=self.NAME))

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        return gdp_to_approx(self.total(conversation), delta=delta).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        return gdp_to_approx_at(self.total(conversation), epsilon=epsilon).delta


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


# Cut from the ends of the laws, as a part of δ; and the whole of it when only ε is known.
_PART = 2.0**-24
_LOST = 1e-100


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Numerical:
    """Privacy-loss laws of Laplace, Gaussian and any (ε, δ) events together, rounded up."""

    NAME: ClassVar[str] = "numerical"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-grid",)

    def covers(self, event: Event) -> bool:
        return as_gaussian(event) is not None or as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        parts = _Parts.of(conversation)
        rest = left_over(failure(delta=delta), survival=parts.survival)
        epsilon = parts.law(lost=rest * _PART).epsilon_at(rest)
        return min(epsilon, parts.most) if parts.most is not None else epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        parts = _Parts.of(conversation)
        known = parts.most is not None and epsilon >= parts.most
        # A smaller ε has a larger δ, and beyond 1e300 there are no floats.
        level = float_down(min(epsilon, Fraction(10**300)))
        rest = 0.0 if known else parts.law(lost=_LOST).delta_at(level)
        return joined(rest, survival=parts.survival)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A conversation sorted by the kind of law."""

    responses: dict[Fraction, int]
    laplaces: dict[Fraction, int]
    gaussian: GDP
    survival: float
    most: Fraction | None

    @classmethod
    def of(cls, conversation: Conversation) -> "_Parts":
        kinds = read_all(conversation, _kind, accountant=Numerical.NAME)
        laplaces, responses = dict[Fraction, int](), dict[Fraction, int]()
        pairs = dict[ApproxDP, int]()
        gaussian = GDP(Fraction(0))
        for (loss, is_laplace), count in kinds.items():
            if isinstance(loss, GDP):
                gaussian += loss * count
                continue
            group = laplaces if is_laplace else responses
            group[loss.epsilon] = group.get(loss.epsilon, 0) + count
            pairs[loss] = pairs.get(loss, 0) + count
        return cls(
            responses=few(responses),
            laplaces=few(laplaces),
            gaussian=gaussian,
            survival=log_survival((loss.delta, count) for loss, count in pairs.items()),
            most=None if gaussian.mu_squared else basic(pairs).epsilon,
        )

    def law(self, *, lost: float) -> LossLaw:
        step = step_for(responses=self.responses, laplaces=self.laplaces, gaussian=self.gaussian)
        return composed_law(
            responses=self.responses,
            laplaces=self.laplaces,
            gaussian=self.gaussian,
            step=step,
            lost=lost,
        )


def _kind(event: Event) -> tuple[GDP | ApproxDP, bool] | None:
    loss = as_gaussian(event) or as_approximate(event)
    return (loss, isinstance(event, Laplace)) if loss else None

"""Accountants of the library dp-accounting (extra `pld`): moments, and privacy-loss distributions.

`Moments` is the moments accountant for noise on Poisson samples, and `Pld` composes privacy-loss
distributions. What the library answers is checked before it is believed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite, sqrt
from typing import TYPE_CHECKING, ClassVar, final

from peekproof.accounting.accountants import require_covered
from peekproof.accounting.events import (
    Conversation,
    DiscreteGaussian,
    Event,
    Gaussian,
    Laplace,
    SampledGaussian,
    as_approximate,
    as_gaussian,
)
from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import failure

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    from dp_accounting.rdp import RdpAccountant
from collections.abc import Iterable
from importlib.util import find_spec

from peekproof.accounting.accountants import (
    Accountant,
    Advanced,
    Basic,
    GaussianExact,
    Numerical,
    Optimal,
    Renyi,
    Zcdp,
)


@contextmanager
def answering() -> Iterator[None]:
    """Refuse, in the library's place, what its floats cannot hold."""
    try:
        yield
    except InvalidInput:
        raise
    except (ArithmeticError, ValueError) as error:
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given="a conversation for which it fails",
        ) from error


def finite(value: float) -> Fraction:
    """The answer as an exact amount; a NaN, an infinity or a negative one is refused."""
    if not isfinite(value) or value < 0:
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given=f"a conversation for which it answers {value}",
        )
    return Fraction(value)


def positive(value: float) -> Fraction:
    """The answer as an exact amount above 0: a Rényi loss of 0 means that its floats gave out."""
    if not (exact := finite(value)):
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given="a conversation for which it answers 0",
        )
    return exact


_MARGIN = Fraction(1, 10**9)  # of the library's floats


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """Rényi losses of Gaussian noise on Poisson samples, as for noisy gradient descent.

    Only Gaussian events reach the library: its accountant forgets how often an exponential
    mechanism was repeated.
    """

    NAME: ClassVar[str] = "moments"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-moments",)

    def covers(self, event: Event) -> bool:
        return isinstance(event, SampledGaussian | Gaussian)

    @theorem("T-moments", "abadi-et-al-2016", "The moments accountant")
    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        """The ε at this δ of Gaussian noise on Poisson samples, by its Rényi losses.

        Holds when: all parameters are fixed in advance; neighbours add or remove one record
        where records are sampled.
        Rounds: as the library does, with a margin of 1e-9.
        """
        failure(delta=delta)
        if not conversation.counts:
            return Fraction(0)
        with answering():
            reached = positive(_composed_moments(self, conversation).get_epsilon(float(delta)))
        return reached * (1 + _MARGIN)

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        """The δ at this ε, by T-moments."""
        check.amount(epsilon=epsilon)
        if not conversation.counts:
            return Fraction(0)
        with answering():
            reached = positive(_composed_moments(self, conversation).get_delta(float(epsilon)))
        return min(Fraction(1), reached * (1 + _MARGIN))


def _composed_moments(accountant: Moments, conversation: Conversation) -> "RdpAccountant":
    from dp_accounting import dp_event  # noqa: PLC0415
    from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415

    require_covered(conversation, accountant)
    total = RdpAccountant()
    for event, count in conversation.counts.items():
        if isinstance(event, Gaussian | SampledGaussian):
            noise = dp_event.GaussianDpEvent(float(event.sigma / event.sensitivity))
            if isinstance(event, SampledGaussian):
                noise = dp_event.PoissonSampledDpEvent(float(event.rate), noise)
            total.compose(noise, count)
    return total


# The library convolves by Fourier transforms, whose errors are absolute: about 1e-14 of the mass.
LEAST_DELTA = Fraction(1, 10**10)
_SAFETY = Fraction(1, 10**13)
_INTERVAL = 1e-4
_MOST_CELLS = 20_000


@final
@dataclass(frozen=True, slots=True)
class Pld:
    """Numerical losses of a whole mixture, also of noise on Poisson samples.

    The pair of laws of every event is stated here: sensitivities are those of the event's own
    neighbouring relation, and the library is never asked to double or to refuse them.
    """

    NAME: ClassVar[str] = "PLD"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-pld",)

    def covers(self, event: Event) -> bool:
        match event:
            case Laplace() | Gaussian() | SampledGaussian():
                return True
            case DiscreteGaussian(sensitivity=sensitivity):
                return sensitivity == 1  # of a vector, L2 2 is more than one integer moved by 2
            case _:
                return as_approximate(event) is not None

    @theorem("T-pld", "zhu-dong-wang-2022", "Adaptive composition of dominating pairs")
    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        """The ε at this δ of a composed privacy-loss distribution.

            ε = min{ε ≥ 0 : E(1 − e^{ε−L})₊ ≤ δ},   L = Σ L_i

        Holds when: all parameters are fixed in advance; the questions may adapt. Discretisation
        is pessimistic; the floating point of the library is trusted, with 1e-13 kept back.
        Rounds: as the library does. T-grid gives proven roundings for all but Poisson samples.
        """
        reserved = _usable(delta) - _SAFETY
        if not conversation.counts:
            return Fraction(0)
        with answering():
            return finite(_composed_law(self, conversation).get_epsilon_for_delta(float(reserved)))

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        """The δ at this ε, by T-pld; never below what the library can tell from 0."""
        check.amount(epsilon=epsilon)
        if not conversation.counts:
            return Fraction(0)
        with answering():
            reached = _composed_law(self, conversation).get_delta_for_epsilon(float(epsilon))
        return min(Fraction(1), max(finite(reached), LEAST_DELTA) + _SAFETY)


def _usable(delta: Fraction) -> Fraction:
    if failure(delta=delta) < LEAST_DELTA:
        accepted = "a Fraction from 1e-10 to below 1 for Fourier transforms"
        raise InvalidInput(argument="delta", accepted=accepted, given=f"{float(delta):g}")
    return delta


def _composed_law(accountant: Pld, conversation: Conversation) -> "PrivacyLossDistribution":
    require_covered(conversation, accountant)
    spread = sqrt(sum(_square(event) * count for event, count in conversation.counts.items()))
    interval = max(_INTERVAL, spread / _MOST_CELLS)
    total = None
    # In one order, whatever the order of the charges: floats would remember it.
    for event, count in sorted(conversation.counts.items(), key=repr):
        law = _law(event, interval)
        law = law if count == 1 else law.self_compose(count)
        total = law if total is None else total.compose(law)
    if total is None:
        raise InvalidInput(argument="events", accepted="at least one", given="none")
    return total


def _square(event: Event) -> float:
    """Roughly the variance of the loss, to choose a grid with."""
    if isinstance(event, SampledGaussian):
        return float((event.rate * event.sensitivity / event.sigma) ** 2)
    if isinstance(event, DiscreteGaussian):
        return float((event.sensitivity / event.sigma) ** 2)
    gaussian, approximate = as_gaussian(event), as_approximate(event)
    if gaussian:
        return float(gaussian.mu_squared)
    return float(approximate.epsilon) ** 2 if approximate else 0.0


# What is composed is a new law, so one that is kept is never changed.
@lru_cache(maxsize=16)
def _law(event: Event, interval: float) -> "PrivacyLossDistribution":
    from dp_accounting.pld import common  # noqa: PLC0415
    from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415

    match event:
        case Laplace(scale=scale, sensitivity=sensitivity):
            return pld.from_laplace_mechanism(
                float(scale), float(sensitivity), value_discretization_interval=interval
            )
        case Gaussian(sigma=sigma, sensitivity=sensitivity):
            return pld.from_gaussian_mechanism(
                float(sigma), float(sensitivity), value_discretization_interval=interval
            )
        case SampledGaussian(sigma=sigma, sensitivity=sensitivity, rate=rate):
            return pld.from_gaussian_mechanism(
                float(sigma),
                float(sensitivity),
                value_discretization_interval=interval,
                sampling_prob=float(rate),
            )
        case DiscreteGaussian(sigma=sigma, sensitivity=sensitivity):
            return pld.from_discrete_gaussian_mechanism(
                float(sigma), int(sensitivity), value_discretization_interval=interval
            )
        case _:
            loss = as_approximate(event)
            if loss is None:
                accepted = "ones whose loss has a known distribution"
                raise InvalidInput(argument="events", accepted=accepted, given=repr(event))
            return pld.from_privacy_parameters(
                common.DifferentialPrivacyParameters(float(loss.epsilon), float(loss.delta)),
                value_discretization_interval=interval,
            )


PROVEN: tuple[Accountant, ...] = (
    Basic(),
    Advanced(),
    Optimal(),
    Zcdp(),
    Renyi(),
    GaussianExact(),
    Numerical(),
)
BRIDGES: tuple[Accountant, ...] = (Moments(), Pld())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one accountant says about a conversation."""

    accountant: Accountant
    epsilon: Fraction


def available() -> tuple[Accountant, ...]:
    """Every accountant that can run here: the bridges need dp-accounting."""
    return (*PROVEN, *BRIDGES) if find_spec("dp_accounting") else PROVEN


def covering(
    conversation: Conversation, *, among: Iterable[Accountant] | None = None
) -> tuple[Accountant, ...]:
    """The accountants, of all that are available, that cover every event of the conversation."""
    return tuple(
        accountant
        for accountant in (available() if among is None else among)
        if all(accountant.covers(event) for event in conversation.counts)
    )


def compare(
    conversation: Conversation, *, delta: Fraction, among: Iterable[Accountant] | None = None
) -> tuple[Row, ...]:
    """What every accountant says that covers the conversation, the smallest ε first.

    One that cannot reach this δ is left out.
    """
    rows = []
    for accountant in covering(conversation, among=among):
        try:
            rows.append(
                Row(accountant=accountant, epsilon=accountant.epsilon(conversation, delta=delta))
            )
        except InvalidInput:
            continue
    return tuple(sorted(rows, key=lambda row: row.epsilon))


def tightest(conversation: Conversation, *, delta: Fraction) -> Row:
    """The smallest ε that any available accountant gives at this δ, and which one does.

    Pass the conversation to `compare` with `among=PROVEN` to leave the bridges out.
    """
    rows = compare(conversation, delta=delta)
    if not rows:
        raise covered_by_none(conversation)
    return rows[0]


def covered_by_none(conversation: Conversation) -> InvalidInput:
    """The refusal of a conversation that no available accountant bounds at the level asked for."""
    kinds = ", ".join(sorted({type(event).__name__ for event in conversation.counts}))
    return InvalidInput(
        argument="events",
        accepted="covered together by some accountant, at this level",
        given=kinds or "none",
        hint="noise on Poisson samples needs dp-accounting (pip install 'peekproof[pld]')",
    )

"""Privacy events: what was released, as frozen descriptions that accountants interpret.

Every event states its neighbouring relation: sensitivities and losses are about data sets that
differ in that way, and events of different relations never compose. A `Conversation` says which
events there were, and how often each.

One event is read as a loss of each notion, or as None where the notion says nothing about it.
Events and losses can be written as text, and `parse` reads it: `laplace(scale=100)`,
`1000 * gaussian(sigma=50, sensitivity=2)`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import final

from peekproof.accounting.conversions import Loss
from peekproof.core import check
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory import discrete_noise
from peekproof.theory.conversion import (
    gdp_to_rdp,
    gdp_to_zcdp,
    laplace_to_rdp,
    pure_to_rdp,
    pure_to_zcdp_sharp,
    zcdp_to_rdp,
)


class Neighbours(Enum):
    """How two data sets may differ that must be hard to tell apart."""

    REPLACE_ONE = "replace one record"
    ADD_OR_REMOVE_ONE = "add or remove one record"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace:
    """Continuous Laplace noise of this scale on one number that moves by at most `sensitivity`.

    Noise on a vector of that L1 sensitivity is a `Pure` release of ε = Δ/scale.
    """

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(scale=self.scale)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace:
    """Discrete Laplace noise, P(z) ∝ e^{−|z|/scale}, on integers of L1 `sensitivity`.

    Its losses are larger than those of continuous noise: moved by 1, it is randomised response.
    """

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(scale=self.scale)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """Continuous Gaussian noise (or an exact rounding of it) on a value of L2 `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """Discrete Gaussian noise, P(z) ∝ e^{−z²/2σ²}, on integers of L2 `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """A choice with probability proportional to e^{ε·score/(2Δ)}, Δ the score's sensitivity."""

    epsilon: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(epsilon=self.epsilon)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pure:
    """Any ε-differentially private release."""

    epsilon: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(epsilon=self.epsilon)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Approximate:
    """Any (ε, δ)-differentially private release."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.amount(epsilon=self.epsilon)
        check.unit_fraction(delta=self.delta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Concentrated:
    """Any ρ-zero-concentrated release."""

    rho: Fraction
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(rho=self.rho)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SampledGaussian:
    """Gaussian noise on a sum over a Poisson sample: each record takes part with chance `rate`.

    Its theorems are for adding or removing a record, so that is the only relation it has.
    """

    sigma: Fraction
    rate: Fraction
    sensitivity: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(sensitivity=self.sensitivity)
        check.positive_fraction(rate=self.rate)
        check.unit_fraction(rate=self.rate)
        if self.neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
            raise InvalidInput(
                argument="neighbours",
                accepted=f"to {Neighbours.ADD_OR_REMOVE_ONE.value}, for a Poisson sample",
                given=f"to {self.neighbours.value}",
            )


Event = (
    Laplace
    | DiscreteLaplace
    | Gaussian
    | DiscreteGaussian
    | Exponential
    | Pure
    | Approximate
    | Concentrated
    | SampledGaussian
)


@final
@dataclass(frozen=True, slots=True)
class Conversation:
    """Events fixed in advance with their counts; the questions behind them may adapt.

    It is a multiset: the order of charges and how they were batched cannot matter to anyone.
    """

    counts: Mapping[Event, int]

    def __post_init__(self) -> None:
        for count in self.counts.values():
            check.positive_integer(count=count)
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))
        relations = {event.neighbours for event in self.counts}
        if len(relations) > 1:
            raise InvalidInput(
                argument="events",
                accepted="of one neighbouring relation",
                given=" and ".join(sorted(f"'{relation.value}'" for relation in relations)),
                hint="state every sensitivity for the same change of the data",
            )

    @classmethod
    def of(cls, *events: Event | tuple[Event, int]) -> "Conversation":
        """A conversation of single events and of pairs (event, count)."""
        return cls({}).then(*events)

    def then(self, *events: Event | tuple[Event, int]) -> "Conversation":
        """This conversation, continued."""
        counts = dict(self.counts)
        for event, count in _pairs(events):
            counts[event] = counts.get(event, 0) + check.positive_integer(count=count)
        return Conversation(counts)

    def repeated(self, times: int) -> "Conversation":
        """This conversation, held `times` times."""
        check.positive_integer(times=times)
        return Conversation({event: count * times for event, count in self.counts.items()})

    @property
    def neighbours(self) -> Neighbours:
        """The relation that all events share; replacing one record if there are none."""
        return next((event.neighbours for event in self.counts), Neighbours.REPLACE_ONE)

    def __reduce__(self) -> tuple[type["Conversation"], tuple[dict[Event, int]]]:
        return Conversation, (dict(self.counts),)  # a mapping proxy cannot be pickled

    def __len__(self) -> int:
        return sum(self.counts.values())


def _pairs(events: Iterable[Event | tuple[Event, int]]) -> Iterator[tuple[Event, int]]:
    for event in events:
        yield event if isinstance(event, tuple) else (event, 1)


def as_pure(event: Event) -> PureDP | None:
    """The ε of an event that has one without δ."""
    match event:
        case (
            Laplace(scale=scale, sensitivity=sensitivity)
            | DiscreteLaplace(scale=scale, sensitivity=sensitivity)
        ):
            return discrete_noise.laplace(scale=scale, sensitivity=sensitivity)
        case Pure(epsilon=epsilon) | Exponential(epsilon=epsilon):
            return PureDP(epsilon)
        case Approximate(epsilon=epsilon, delta=Fraction(numerator=0)):
            return PureDP(epsilon)
        case _:
            return None


def as_approximate(event: Event) -> ApproxDP | None:
    """The (ε, δ) of an event that is described by one pair."""
    if isinstance(event, Approximate):
        return ApproxDP(epsilon=event.epsilon, delta=event.delta)
    pure = as_pure(event)
    return ApproxDP(epsilon=pure.epsilon, delta=Fraction(0)) if pure else None


def as_gaussian(event: Event) -> GDP | None:
    """The μ² of continuous Gaussian noise."""
    if isinstance(event, Gaussian):
        return discrete_noise.gaussian(sigma=event.sigma, sensitivity=event.sensitivity)
    return None


def as_zcdp(event: Event) -> ZCDP | None:
    """The ρ of an event, the smallest that is known."""
    match event:
        case Concentrated(rho=rho):
            return ZCDP(rho)
        case DiscreteGaussian(sigma=sigma, sensitivity=sensitivity):
            return discrete_noise.discrete_gaussian(sigma=sigma, sensitivity=sensitivity)
        case Gaussian():
            gaussian = as_gaussian(event)
            return gdp_to_zcdp(gaussian) if gaussian else None
        case Exponential(epsilon=epsilon):
            return min(
                discrete_noise.bounded_range(PureDP(epsilon)), pure_to_zcdp_sharp(PureDP(epsilon))
            )
        case _:
            pure = as_pure(event)
            return pure_to_zcdp_sharp(pure) if pure else None


def as_rdp(event: Event, *, order: Fraction) -> RDP | None:
    """The Rényi loss of one order, the smallest that is known."""
    pure = as_pure(event)
    if isinstance(event, Laplace) and pure:
        return laplace_to_rdp(pure, order=order)
    if isinstance(event, Gaussian) and (gaussian := as_gaussian(event)):
        return gdp_to_rdp(gaussian, order=order)
    zcdp = as_zcdp(event)
    if zcdp is None:
        return None
    by_line = zcdp_to_rdp(zcdp, order=order)
    if pure is None:
        return by_line
    by_pure = pure_to_rdp(pure, order=order)
    return min(by_line, by_pure, key=lambda loss: loss.epsilon)


# Each kind with the parameters it takes; a trailing ? marks one that may be left out.
KINDS: Mapping[str, tuple[type[Event], tuple[str, ...]]] = {
    "laplace": (Laplace, ("scale", "sensitivity?")),
    "discrete-laplace": (DiscreteLaplace, ("scale", "sensitivity?")),
    "gaussian": (Gaussian, ("sigma", "sensitivity?")),
    "discrete-gaussian": (DiscreteGaussian, ("sigma", "sensitivity?")),
    "exponential": (Exponential, ("epsilon",)),
    "pure": (Pure, ("epsilon",)),
    "approximate": (Approximate, ("epsilon", "delta")),
    "zcdp": (Concentrated, ("rho",)),
    "sampled-gaussian": (SampledGaussian, ("sigma", "rate", "sensitivity?")),
}
LOSSES: Mapping[str, tuple[Callable[..., Loss], tuple[str, ...]]] = {
    "pure": (PureDP, ("epsilon",)),
    "approximate": (ApproxDP, ("epsilon", "delta")),
    "zcdp": (ZCDP, ("rho",)),
    "gdp": (lambda mu: GDP(mu**2), ("mu",)),
    "rdp": (RDP, ("order", "epsilon")),
    "tv": (TV, ("distance",)),
}
_SHAPE = re.compile(r"\s*(?:([\d,_]{1,15})\s*[*x×]\s*)?([\w-]+)\s*\(([^()]*)\)\s*", re.ASCII)
_NUMBER = re.compile(r"(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?(/\d{1,40})?", re.ASCII)


def number(text: str, *, argument: str) -> Fraction:
    """An exact amount: 0.01, 1e-6 and 1/3 are what they say."""
    if not _NUMBER.fullmatch(text.strip()):
        raise InvalidInput(
            argument=argument, accepted="a number such as 0.5, 1e-6 or 1/3", given=repr(text)
        )
    value, _, divisor = text.strip().partition("/")
    if divisor and not int(divisor):
        raise InvalidInput(argument=argument, accepted="finite", given=repr(text))
    return Fraction(value) / int(divisor or 1)


def parse(text: str, *, neighbours: Neighbours = Neighbours.REPLACE_ONE) -> tuple[Event, int]:
    """One event and how often it occurs."""
    shape = _SHAPE.fullmatch(text)
    if not shape:
        raise InvalidInput(
            argument="event",
            accepted="such as laplace(scale=100) or 1000 * gaussian(sigma=50)",
            given=repr(text),
        )
    times, kind, inside = shape.groups()
    if kind.lower() not in KINDS:
        near = get_close_matches(kind.lower(), KINDS, n=1)
        raise InvalidInput(
            argument="event",
            accepted=f"one of {', '.join(KINDS)}",
            given=repr(kind),
            hint=f"did you mean {near[0]}?" if near else "",
        )
    build, parameters = KINDS[kind.lower()]
    values = _values(inside, kind.lower(), parameters)
    if build is not SampledGaussian:
        return build(**values, neighbours=neighbours), _count(times)
    return build(**values), _count(times)  # type: ignore[arg-type]


def parse_loss(text: str) -> Loss:
    """One loss, such as zcdp(rho=0.1)."""
    shape = _SHAPE.fullmatch(text)
    if not shape or shape[1] or shape[2].lower() not in LOSSES:
        raise InvalidInput(
            argument="loss",
            accepted=f"one of {', '.join(LOSSES)}, such as zcdp(rho=0.1)",
            given=repr(text),
        )
    build, parameters = LOSSES[shape[2].lower()]
    return build(**_values(shape[3], shape[2].lower(), parameters))


def parse_all(
    lines: Iterable[str], *, neighbours: Neighbours = Neighbours.REPLACE_ONE
) -> Conversation:
    """A conversation, an event a line; empty lines and what follows # are passed over."""
    texts = (line.partition("#")[0].strip() for line in lines)
    return Conversation.of(*(parse(text, neighbours=neighbours) for text in texts if text))


def _count(times: str | None) -> int:
    digits = (times or "1").replace(",", "").replace("_", "")
    if not digits:
        raise InvalidInput(argument="count", accepted="an integer of at least 1", given=repr(times))
    return int(digits)


def _values(inside: str, kind: str, parameters: tuple[str, ...]) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    known = [name.rstrip("?") for name in parameters]
    for part in filter(None, (part.strip() for part in inside.split(","))):
        name, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals:  # the first parameters may be given by their place
            name, text = known[len(values)] if len(values) < len(known) else part, name
        if name not in known or name in values:
            raise InvalidInput(
                argument=kind, accepted=f"given {', '.join(known)}, each once", given=part
            )
        values[name] = number(text, argument=name)
    if missing := [name for name in parameters if not name.endswith("?") and name not in values]:
        raise InvalidInput(
            argument=kind, accepted=f"given {' and '.join(missing)}", given=inside or "nothing"
        )
    return values

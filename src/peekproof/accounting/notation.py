"""Events and losses as text: `laplace(scale=100)`, `1000 * gaussian(sigma=50, sensitivity=2)`."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from fractions import Fraction

from peekproof.accounting.conversation import Conversation
from peekproof.accounting.conversions import Loss
from peekproof.accounting.event import (
    Approximate,
    Concentrated,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Neighbours,
    Pure,
    SampledGaussian,
)
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput

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

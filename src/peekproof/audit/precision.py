"""Floating-point audit: what the digits of released numbers tell of the input, at least.

Noise in floating point leaves traces: which doubles can come out depends on the exact value,
though sizes are distributed as they should be. So events are made of digits, of whatever anybody
can look at in a released number besides its size, and bound the loss as any other event does; and
every release must lie where everybody knew beforehand that it may.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from math import frexp
from numbers import Rational, Real
from typing import Any, TypeVar, final

from peekproof.audit.distinguisher import (
    Claim,
    Event,
    Halves,
    Proposal,
    Telling,
    checked,
    drawn,
    mapped,
    most_telling,
    weighed,
)

# A double's significand, as an integer.
BITS = 53
LOW = 4


def leaves(release: Any) -> Iterator[Any]:
    """What a release is made of, in order: numbers, and what else there is."""
    if isinstance(release, tuple | list):
        for part in release:
            yield from leaves(part)
    elif is_dataclass(release):
        for field in fields(release):
            yield from leaves(getattr(release, field.name))
    else:
        yield release


def exact(number: Any) -> Fraction | None:
    """The number as it is, without rounding; None if it is not finite or not a number."""
    if not isinstance(number, Real):
        return None
    try:
        return Fraction(number) if isinstance(number, Rational) else Fraction(float(number))
    except (OverflowError, ValueError):  # infinite, or NaN
        return None


def finest_digit(number: Any) -> int | None:
    """The place of the last binary digit that is not 0: −2 for 3/4, 3 for 8."""
    value = exact(number)
    if not value:
        return None
    top, bottom = value.numerator, value.denominator
    return _zeros(top) - _zeros(bottom)


def denominator(number: Any) -> int | None:
    """What the number is a multiple of 1 over, without factors 2, which `finest_digit` has."""
    value = exact(number)
    return None if value is None else value.denominator >> _zeros(value.denominator)


def exponent(number: Any) -> int | None:
    """The order of magnitude, in powers of two."""
    value = exact(number)
    if value is None:
        return None
    return abs(value).numerator.bit_length() - value.denominator.bit_length()


def spare_digits(number: Any) -> int | None:
    """How many of the last digits of a double are 0: rounding elsewhere leaves some."""
    whole = _significand(number)
    return None if whole is None else min(BITS, _zeros(whole)) if whole else BITS


def low_digits(number: Any) -> int | None:
    """The last digits of a double."""
    whole = _significand(number)
    return None if whole is None else whole % 2**LOW


FEATURES: dict[str, Callable[[Any], Any]] = {
    "place of the last digit": finest_digit,
    "odd part of the denominator": denominator,
    "exponent": exponent,
    "zeros at the end of the double": spare_digits,
    "last digits of the double": low_digits,
}


def multiples_of(step: Fraction) -> Callable[[Any], bool]:
    """Whether all numbers of a release are multiples of the step, to the last digit."""

    def on_grid(release: Any) -> bool:
        found = [exact(part) for part in leaves(release) if isinstance(part, Real)]
        return all(each is not None and (each / step).denominator == 1 for each in found)

    return on_grid


def _significand(number: Any) -> int | None:
    if not isinstance(number, float) or exact(number) is None:
        return None
    return int(abs(frexp(number)[0]) * 2**BITS)


def _zeros(whole: int) -> int:
    """How many binary digits at the end are 0."""
    return (whole & -whole).bit_length() - 1


R = TypeVar("R")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """What digits prove of a loss, and the releases that lie where none may.

    That the claim is refuted by one of `tellings` is wrong with probability at most `false_alarm`,
    for all features of digits together. Strays, of the `compared` draws that were held against
    what may come out, are no matter of chance.
    """

    tellings: tuple[Telling, ...]
    strays: tuple[Any, ...]
    compared: int
    false_alarm: float
    claim: Claim

    @property
    def epsilon(self) -> float:
        return max(each.epsilon() for each in self.tellings)

    @property
    def mu(self) -> float:
        return max(each.mu for each in self.tellings)

    @property
    def exceeds(self) -> bool:
        return any(each.exceeds(self.claim) for each in self.tellings)

    @property
    def tells(self) -> bool:
        """The verdict: digits tell more than the claim allows, or lie outside of the grid."""
        return bool(self.strays) or self.exceeds

    def to_dict(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "mu": self.mu,
            "claim": str(self.claim),
            "exceeds": self.exceeds,
            "strays": [repr(each) for each in self.strays],
            "tells": self.tells,
            "compared": self.compared,
            "false_alarm": self.false_alarm,
            "events": [each.to_dict() for each in self.tellings],
        }

    def __str__(self) -> str:
        best = max(self.tellings, key=lambda each: (each.exceeds(self.claim), each.epsilon()))
        verdict = "refuted" if self.exceeds else "not refuted (which proves nothing)"
        lines = [
            f"by digits alone: ε ≥ {self.epsilon:.3f}, μ ≥ {self.mu:.3f}",
            str(best),
            f"claimed {self.claim}: {verdict}",
        ]
        if self.compared:
            such = f", such as {self.strays[0]!r}" if self.strays else ""
            stray = f"{len(self.strays)} of {self.compared} draws{such}"
            lines.append(f"outside of the grid: {stray}")
        return "\n".join([*lines, f"wrong with probability at most {self.false_alarm:g}"])


def precision(
    one: Callable[[], R],
    other: Callable[[], R],
    *,
    claim: Claim,
    trials: int,
    false_alarm: float,
    outputs: Callable[[Any], bool] | None = None,
    features: Mapping[str, Callable[[Any], Hashable]] | None = None,
) -> Precision:
    """What the digits of `trials` releases on each of two neighbouring inputs tell.

    Every number in a release is looked at by all of `FEATURES`, and by `features` of your own, such
    as whether it is some exact value plus a number that a textbook sampler can draw. Half of the
    draws find the most telling number and event of each feature; the other half tests them all.
    `outputs` says whether a release is one that may come out on any input.
    """
    checked(claim)
    halves = drawn(one, other, trials=trials)
    strays = [each for each in halves.all if outputs is not None and not outputs(each)]
    parts = halves.mapped(lambda release: tuple(leaves(release)))
    events = [
        event
        for name, feature in {**FEATURES, **(features or {})}.items()
        for event in _found(name, feature, parts, false_alarm=false_alarm)
    ]
    return Precision(
        tellings=weighed(events, *parts.testing, false_alarm=false_alarm),
        strays=tuple(strays),
        compared=0 if outputs is None else len(halves.all),
        false_alarm=false_alarm,
        claim=claim,
    )


def _found(
    name: str, feature: Callable[[Any], Hashable], parts: Halves, *, false_alarm: float
) -> list[Event[Any]]:
    """The most telling events of one feature, over all places at which a release has numbers."""
    width = max(len(each) for side in parts.proposing for each in side)
    found: list[Proposal] = []
    for place in range(width):
        look = _look(feature, place)
        proposing, picking = mapped(parts.proposing, look), mapped(parts.picking, look)
        title = f"{name}, number {place}" if width > 1 else name
        found += [
            replace(each, event=_behind(look, each.event, title))
            for each in most_telling(proposing, picking, false_alarm=false_alarm)
        ]
    best = [max(found, key=lambda p: p.epsilon), max(found, key=lambda p: p.mu)] if found else []
    return [each.event for each in {id(each): each for each in best}.values()]


def _look(feature: Callable[[Any], Hashable], place: int) -> Callable[[tuple[Any, ...]], Hashable]:
    """What the feature sees of the number at a place; None if there is no number."""

    def look(parts: tuple[Any, ...]) -> Hashable:
        there = place < len(parts) and isinstance(parts[place], Real)
        return feature(parts[place]) if there else None

    return look


def _behind(
    look: Callable[[tuple[Any, ...]], Hashable], event: Event[Any], title: str
) -> Event[Any]:
    return Event(
        name=f"{title}: {event.name.removeprefix('release ')}",
        holds=lambda parts: event.holds(look(parts)),
    )

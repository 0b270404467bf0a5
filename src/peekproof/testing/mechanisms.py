"""Laws of every mechanism, to run against your own.

    for law in LAWS:
        law(one_shot(MyMechanism(…), …))

Each raises `Violation` with what it saw. They need no test runner, and they are certain but for
`noise_is_drawn`, which says how often it is wrong. What only a statistical test can see, the loss
and the radius, is in `peekproof.testing.trials`.
"""

from collections.abc import Mapping
from fractions import Fraction
from inspect import signature
from itertools import pairwise
from math import isfinite
from typing import Protocol, TypeVar

from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.mechanisms.protocol import Cost, Described
from peekproof.noise.entropy import Seeded
from peekproof.testing.case import Case
from peekproof.testing.releases import (
    every_release_is_public,
    it_shows_no_statistic,
    no_release_is_rounded,
    noise_is_drawn,
    the_bits_asked_for_do_not_tell,
    the_same_bits_give_the_same_release,
)
from peekproof.testing.violation import Violation, require

S = TypeVar("S")
R = TypeVar("R")

LEVELS = (
    Fraction(1, 10**12),
    Fraction(1, 1000),
    Fraction(1, 20),
    Fraction(1, 2),
    Fraction(99, 100),
)
ABSURD = (Fraction(0), Fraction(1), Fraction(-1, 10), Fraction(3, 2), float("nan"), True, "1", None)


def it_has_what_every_mechanism_has(case: Case[S, R]) -> None:
    """A kind, a cost, a radius, a description, and a way to release."""
    mechanism = case.mechanism
    kind = getattr(type(mechanism), "KIND", None)
    require(isinstance(kind, str) and kind, f"{case.name} has no KIND")
    lacking = [name for name in ("cost", "radius", "describe") if not hasattr(mechanism, name)]
    require(not lacking, f"{case.name} lacks {', '.join(lacking)}")
    releases = hasattr(mechanism, "release") or hasattr(mechanism, "start")
    require(releases, f"{case.name} has neither `release` nor `start`")
    require(case.typical, f"the case of {case.name} asks nothing")


def its_description_rebuilds_it(case: Case[S, R]) -> None:
    """Strings, of which none can be left out, give an equal mechanism."""
    described = case.mechanism.describe()
    texts = all(isinstance(text, str) for pair in described.items() for text in pair)
    require(texts, f"{case.name} describes itself by more than strings")
    require(described.get("kind") == case.mechanism.KIND, f"{case.name} describes another kind")
    rebuilt = _rebuilt(case, described)
    require(rebuilt == case.mechanism, f"{case.name} is not what its description rebuilds")
    for name in described.keys() - {"kind"}:
        fewer = {key: text for key, text in described.items() if key != name}
        needed = _rebuilt(case, fewer) != case.mechanism
        require(needed, f"{case.name} is rebuilt without its {name}, so not from its description")


def its_cost_is_exact(case: Case[S, R]) -> None:
    """A positive Fraction that takes no statistic and that no release changes."""
    cost = case.mechanism.cost()
    amount = amount_of(cost)
    require(isinstance(amount, Fraction), f"{case.name} costs {amount!r}, which is not exact")
    require(amount > 0, f"{case.name} costs nothing")
    require(not signature(case.mechanism.cost).parameters, f"the cost of {case.name} needs to know")
    for conversation in case.conversations:
        case.transcript(conversation, rng=Seeded(0))
        require(case.mechanism.cost() == cost, f"{case.name} changes its cost after a release")


def its_radius_falls_with_the_level(case: Case[S, R]) -> None:
    """A radius is finite, not below 0, and a larger β never widens it."""
    radii = [case.mechanism.radius(beta=beta) for beta in LEVELS]
    sound = all(isfinite(radius) and radius >= 0 for radius in radii)
    require(sound, f"{case.name} has the radii {radii}")
    require(all(wide >= narrow for wide, narrow in pairwise(radii)), f"{case.name}: {radii}")


def absurd_levels_are_refused(case: Case[S, R]) -> None:
    """A β of 0 or less, of 1 or more, or that is no number, is refused."""
    for beta in ABSURD:
        try:
            case.mechanism.radius(beta=beta)  # type: ignore[arg-type]
        except InvalidInput:
            continue
        except Exception as other:
            raise Violation(f"{case.name} meets β = {beta!r} with {other!r}") from other
        raise Violation(f"{case.name} accepted β = {beta!r}")


def it_cannot_be_changed(case: Case[S, R]) -> None:
    """No attribute can be set, old or new."""
    mechanism = case.mechanism
    fields = getattr(mechanism, "__dataclass_fields__", ())
    for name in (*fields, "cost", "release", "something_new"):
        try:
            setattr(mechanism, name, getattr(mechanism, name, None))
        except (AttributeError, TypeError):  # frozen classes with slots raise either
            continue
        raise Violation(f"{case.name} lets {name} be set")


class Law(Protocol):
    """Something that every mechanism keeps, whatever it takes and releases."""

    __name__: str

    def __call__(self, case: Case[S, R], /) -> None:
        """Raise `Violation` if it is broken."""
        ...


LAWS: tuple[Law, ...] = (
    it_has_what_every_mechanism_has,
    its_description_rebuilds_it,
    its_cost_is_exact,
    every_release_is_public,
    no_release_is_rounded,
    its_radius_falls_with_the_level,
    absurd_levels_are_refused,
    the_same_bits_give_the_same_release,
    noise_is_drawn,
    the_bits_asked_for_do_not_tell,
    it_shows_no_statistic,
    it_cannot_be_changed,
)


def amount_of(cost: Cost) -> Fraction:
    """The number that a cost is about."""
    match cost:
        case PureDP(epsilon=amount) | GDP(mu_squared=amount) | ZCDP(rho=amount):
            return amount
        case Draws(count=amount):
            return amount
    raise Violation(f"{cost!r} is not the cost of a mechanism")


def _rebuilt(case: Case[S, R], described: Mapping[str, str]) -> Described | None:
    try:
        return case.rebuild(described)
    except (KeyError, PeekproofError):
        return None

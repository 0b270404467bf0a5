"""Conformance tests for mechanisms: laws of every mechanism, to run against your own.

    for law in LAWS:
        law(one_shot(MyMechanism(…), …))

A `Case` is a mechanism under test: what to ask it, what may come out, and how to build it again.
Each law raises `Violation` with what it saw. They need no test runner, and they are certain but
for `noise_is_drawn`, which says how often it is wrong. Some of them are about what a mechanism
releases: from where it may come, and what must not show.

What only many draws can show is not in `LAWS`: that the loss and the radius are as the mechanism
says. `loss_floor_stays_below_the_cost` and `release_errs_within_radius` state how often they are
wrong about a mechanism that keeps its word, and raise `Violation` about one that does not. A test
declares its share with `peekproof.testing.statistics`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from inspect import signature
from itertools import pairwise
from math import isfinite
from typing import Generic, Protocol, TypeVar, final

from peekproof.audit.distinguisher import Event, most_likely, weighed
from peekproof.audit.precision import leaves
from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.core.errors import BudgetExhausted, InvalidInput, PeekproofError
from peekproof.core.secret import Exact
from peekproof.mechanisms import base
from peekproof.mechanisms.protocol import Cost, Described, Interactive, OneShot, Priced
from peekproof.noise.entropy import Entropy, Seeded, SystemEntropy
from peekproof.testing.statistics import Violation, excess_p_value, require

S = TypeVar("S")
R = TypeVar("R")

Rebuild = Callable[[Mapping[str, str]], object]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Generic[S, R]):
    """Made by `one_shot` or `interactive`; a conversation is the statistics asked in turn.

    typical     conversations within the public range
    extreme     conversations at the ends of what the mechanism accepts, and beyond
    misshapen   conversations that it must refuse for their public shape
    neighbours  pairs of conversations that may come from data with one record replaced
    rebuild     the mechanism from its description, on the same rows; those of sessions are read
                as a ledger reads them
    outputs     whether a release is one of those that everybody can list beforehand
    error       how far a release errs from its statistic, in the units of the radius
    """

    mechanism: Priced
    talk: Callable[[tuple[S, ...], Entropy], Iterator[R]]
    typical: tuple[tuple[S, ...], ...]
    extreme: tuple[tuple[S, ...], ...]
    misshapen: tuple[tuple[S, ...], ...]
    neighbours: tuple[tuple[tuple[S, ...], tuple[S, ...]], ...]
    rebuild: Rebuild
    outputs: Callable[[R], bool]
    error: Callable[[S, R], Fraction | float]

    @property
    def name(self) -> str:
        return type(self.mechanism).__name__

    @property
    def conversations(self) -> tuple[tuple[S, ...], ...]:
        """All that it must answer."""
        return (*self.typical, *self.extreme, *(each for pair in self.neighbours for each in pair))

    def transcript(self, conversation: tuple[S, ...], *, rng: Entropy) -> tuple[R, ...]:
        """What it releases, up to where it stops."""
        return tuple(self.talk(conversation, rng))


def one_shot(
    mechanism: OneShot[S, R],
    *,
    rebuild: Rebuild | None = None,
    outputs: Callable[[R], bool],
    error: Callable[[S, R], Fraction | float],
    typical: tuple[S, ...],
    extreme: tuple[S, ...] = (),
    misshapen: tuple[S, ...] = (),
    neighbours: tuple[tuple[S, S], ...] = (),
) -> Case[S, R]:
    """The case of a mechanism that looks at one statistic and releases one thing."""

    def talk(conversation: tuple[S, ...], rng: Entropy) -> Iterator[R]:
        for statistic in conversation:
            yield mechanism.release(Exact(statistic), rng=rng)

    return Case(
        mechanism=mechanism,
        talk=talk,
        typical=tuple((each,) for each in typical),
        extreme=tuple((each,) for each in extreme),
        misshapen=tuple((each,) for each in misshapen),
        neighbours=tuple(((one,), (other,)) for one, other in neighbours),
        rebuild=rebuild or _from_record(mechanism),
        outputs=outputs,
        error=error,
    )


def interactive(
    mechanism: Interactive[S, R],
    *,
    rebuild: Rebuild | None = None,
    outputs: Callable[[R], bool],
    error: Callable[[S, R], Fraction | float],
    typical: tuple[tuple[S, ...], ...],
    extreme: tuple[tuple[S, ...], ...] = (),
    misshapen: tuple[tuple[S, ...], ...] = (),
    neighbours: tuple[tuple[tuple[S, ...], tuple[S, ...]], ...] = (),
) -> Case[S, R]:
    """The case of a mechanism that is asked in turn, and that may stop."""

    def talk(conversation: tuple[S, ...], rng: Entropy) -> Iterator[R]:
        run = mechanism.start(rng=rng)
        for statistic in conversation:
            try:
                released = run.release(Exact(statistic))
            except BudgetExhausted:
                return
            yield released

    return Case(
        mechanism=mechanism,
        talk=talk,
        typical=typical,
        extreme=extreme,
        misshapen=misshapen,
        neighbours=neighbours,
        rebuild=rebuild or _from_record(mechanism),
        outputs=outputs,
        error=error,
    )


def _from_record(mechanism: Priced) -> Rebuild:
    """What reads the record of a mechanism, on as many rows as it has."""
    if not isinstance(mechanism, base.Mechanism):
        raise InvalidInput(
            argument="rebuild", accepted="given for a mechanism that is no Mechanism", given="None"
        )
    rows = mechanism.rows
    return lambda record: base.recorded_mechanism(record, rows=rows)


def description_of(mechanism: Priced | Described) -> dict[str, str]:
    """What rebuilds it: the record of one that sessions open with, or what it says itself."""
    if isinstance(mechanism, base.Mechanism):
        return mechanism.record()
    described: Described = mechanism  # type: ignore[assignment]
    return described.describe()


@final
class Recorded:
    """Entropy that remembers how many bits were asked for, call by call."""

    def __init__(self, rng: Entropy) -> None:
        self._rng = rng
        self.description = rng.description
        self.asked: list[int] = []

    def bits(self, count: int) -> int:
        self.asked.append(count)
        return self._rng.bits(count)


SEEDS = range(8)

# Draws among which two must differ.
DRAWS = 400


def every_release_is_public(case: Case[S, R]) -> None:
    """Whatever the statistic, a release is one of the outputs known beforehand."""
    for conversation in case.conversations:
        for seed in SEEDS:
            for released in case.transcript(conversation, rng=Seeded(seed)):
                require(case.outputs(released), f"{case.name} released {released!r}")


def no_release_is_rounded(case: Case[S, R]) -> None:
    """Releases are integers, Fractions, names or made of these: the bits of a float tell."""
    for conversation in case.conversations:
        for released in case.transcript(conversation, rng=Seeded(0)):
            inexact = [leaf for leaf in leaves(released) if not _exact(leaf)]
            require(not inexact, f"{case.name} released {inexact}")


def the_same_bits_give_the_same_release(case: Case[S, R]) -> None:
    """All randomness comes from the entropy that is passed."""
    for conversation in case.conversations:
        for seed in SEEDS:
            one, other = (case.transcript(conversation, rng=Seeded(seed)) for _ in range(2))
            require(one == other, f"{case.name} draws bits from elsewhere")


def noise_is_drawn(case: Case[S, R]) -> None:
    """If a loss is claimed, two releases of the same conversation differ, for one of all.

    Wrong with probability at most p^399, if for one of them the likeliest transcript has
    probability p: less than 10⁻¹⁷ for p = 0.9.
    """
    if isinstance(case.mechanism.cost(), Draws):
        return
    rng = SystemEntropy()
    for conversation in case.conversations:
        first = case.transcript(conversation, rng=rng)
        if any(case.transcript(conversation, rng=rng) != first for _ in range(1, DRAWS)):
            return
    raise Violation(f"{case.name} claims a loss and repeats every release {DRAWS} times")


def the_bits_asked_for_do_not_tell(case: Case[S, R]) -> None:
    """How many bits a release takes depends on the bits and on what was released before alone.

    The same bits are given for all conversations; two are compared up to where they part. A sampler
    that refines a real until it can be rounded passes if it hardly ever needs to. What is bought
    wholesale, through a `Pool`, is compared wholesale.
    """
    for seed in SEEDS:
        seen: dict[tuple[R, ...], list[int]] = {}
        for conversation in case.conversations:
            for before, asked in _takes(case, conversation, seed):
                require(
                    seen.setdefault(before, asked) == asked,
                    f"{case.name} asks for {sum(asked)} bits or {sum(seen[before])}",
                )


def it_shows_no_statistic(case: Case[S, R]) -> None:
    """What is printed of a mechanism stays as it was; a refusal says nothing of what it saw."""
    mechanism = case.mechanism
    shown = repr(mechanism), str(mechanism), description_of(mechanism)
    for conversation in case.conversations:
        case.transcript(conversation, rng=Seeded(1))
        after = repr(mechanism), str(mechanism), description_of(mechanism)
        require(after == shown, f"{case.name} looks different after a release")
    for conversation in case.misshapen:
        said = _refusal(case, conversation)
        told = [leaf for leaf in leaves(conversation) if len(str(leaf)) > 3 and str(leaf) in said]
        require(not told, f"{case.name} tells what it saw: {said}")


def _takes(
    case: Case[S, R], conversation: tuple[S, ...], seed: int
) -> Iterator[tuple[tuple[R, ...], list[int]]]:
    """Before each release: what was released already; and the bits asked for up to it."""
    rng = Recorded(Seeded(seed))
    before: tuple[R, ...] = ()
    for released in case.talk(conversation, rng):
        yield before, list(rng.asked)
        before = (*before, released)


def _refusal(case: Case[S, R], conversation: tuple[S, ...]) -> str:
    try:
        case.transcript(conversation, rng=Seeded(1))
    except PeekproofError as refused:
        return f"{refused} {refused!r} {refused.fields()}"
    raise Violation(f"{case.name} answers what has not the shape that it is for")


def _exact(leaf: object) -> bool:
    return leaf is None or isinstance(leaf, int | Fraction | str | Enum)


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
    kind = getattr(type(mechanism), "kind", None)
    require(isinstance(kind, str) and kind, f"{case.name} has no kind")
    said = "record" if isinstance(mechanism, base.Mechanism) else "describe"
    lacking = [name for name in ("cost", "radius", said) if not hasattr(mechanism, name)]
    require(not lacking, f"{case.name} lacks {', '.join(lacking)}")
    releases = hasattr(mechanism, "release") or hasattr(mechanism, "start")
    require(releases, f"{case.name} has neither `release` nor `start`")
    require(case.typical, f"the case of {case.name} asks nothing")


def its_description_rebuilds_it(case: Case[S, R]) -> None:
    """Strings, of which none can be left out, give an equal mechanism."""
    described = description_of(case.mechanism)
    texts = all(isinstance(text, str) for pair in described.items() for text in pair)
    require(texts, f"{case.name} describes itself by more than strings")
    require(described.get("kind") == case.mechanism.kind, f"{case.name} describes another kind")
    rebuilt = _rebuilt(case, described)
    require(rebuilt == case.mechanism, f"{case.name} is not what its description rebuilds")
    for name in described.keys() - {"kind", "package"}:  # the package is for whoever lacks it
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


def _rebuilt(case: Case[S, R], described: Mapping[str, str]) -> object:
    try:
        return case.rebuild(described)
    except (KeyError, ValueError, PeekproofError):
        return None


def loss_floor_stays_below_the_cost(
    case: Case[S, R],
    event: Callable[[tuple[R, ...]], bool],
    *,
    trials: int,
    false_alarm: float,
    seed: int = 0,
) -> None:
    """On every pair of neighbours the event and its complement are as likely as the cost allows.

    Wrong about a mechanism that keeps its word with probability at most `false_alarm`, for all
    pairs together. A mechanism that only counts draws claims no loss and is not accepted.
    """
    cost = case.mechanism.cost()
    if not isinstance(cost, PureDP | GDP | ZCDP):
        raise InvalidInput(
            argument="case", accepted="a mechanism whose cost bounds a loss", given=case.name
        )
    require(case.neighbours, f"the case of {case.name} has no neighbours")
    rng = Seeded(seed)
    for number, pair in enumerate(case.neighbours):
        one, other = ([case.transcript(each, rng=rng) for _ in range(trials)] for each in pair)
        (telling,) = weighed(
            [Event(name=case.name, holds=event)],
            one,
            other,
            false_alarm=false_alarm / len(case.neighbours),
        )
        for likely, rare in telling.directions:
            require(
                likely.low <= most_likely(cost, rare.high),
                f"{case.name}, pair {number}: an event of probability at most {rare.high:.4g} "
                f"has at least {likely.low:.4g} on the neighbour, which {cost} excludes",
            )


def release_errs_within_radius(
    case: Case[S, R], *, beta: Fraction, trials: int, false_alarm: float, seed: int = 0
) -> None:
    """In no typical conversation does a release err by more than the radius too often.

    Wrong about a mechanism that keeps its word with probability at most `false_alarm`.
    """
    radius, rng = case.mechanism.radius(beta=beta), Seeded(seed)
    for conversation in case.typical:
        beyond = sum(_worst(case, conversation, rng) > radius for _ in range(trials))
        p_value = excess_p_value(beyond, trials=trials, probability=float(beta))
        require(
            p_value > false_alarm / len(case.typical),
            f"{case.name} errs by more than {radius:.4g} in {beyond} of {trials} draws, "
            f"with β = {float(beta):.4g}",
        )


def _worst(case: Case[S, R], conversation: tuple[S, ...], rng: Seeded) -> Fraction | float:
    released = case.transcript(conversation, rng=rng)
    return max(case.error(exact, out) for exact, out in zip(conversation, released, strict=False))

"""The contract of mechanisms: what a session promises by, and how it draws one answer.

A session holds one `Mechanism`, which was planned for a number of rows and a `Target` (so many
questions, at this confidence, all together). An analyst says an `Ask`: a `Query`, and what goes
with it (a radius, a loss, a guess). For each new one the session calls

    draw = mechanism.offer(ask, past)      how it will be answered and what that costs; or refused
    exact = mechanism.read(source, ...)    the only reader of rows, outside of any lock
    ... the ledger takes its lock, and offers once more after the newest past; if it fits ...
    value = draw.release(exact, rng=rng)   the only place where an exact value is opened
    ... the ledger charges draw.cost, counts it as draw.draws of the promised questions, and
    records draw and value, in one durable entry; only then the answer leaves ...
    certificate = draw.certificate(mechanism, target, failed=draw.failed(value))

Costs and levels may depend on the `Past`, which is what the ledger tells everybody, and never on
rows: `offer` has no access to them. All that an analyst sees later, also after a restart, follows
from the mechanism, the draw and the value, which are on record.

Both are frozen dataclasses. Their fields are public (but those that are marked `secret`), are what
the ledger records, and are read back by their annotations; `kind` names the class. A mechanism is
one file, and nothing else in the package names it: it is registered when it is imported, and those
of other packages are found by the entry point group "peekproof.mechanisms". One that is forgotten
somewhere fails closed: what a class does not say it takes is refused before anything is read.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from itertools import groupby
from types import UnionType
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast, final, get_args, get_type_hints

from peekproof.core import check
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate, Span, Target, Width
from peekproof.core.charge import Charge
from peekproof.core.errors import (
    BudgetExhausted,
    InvalidInput,
    MechanismMissing,
    PeekproofError,
    Refusal,
)
from peekproof.core.finding import Finding, Numbers
from peekproof.core.numerics import decimal_up, float_up, level_down
from peekproof.core.secret import SECRET, Exact, shown
from peekproof.data.source import Source
from peekproof.mechanisms.every import ENTRY_POINTS, OWN
from peekproof.noise.entropy import Entropy
from peekproof.query.question import Question
from peekproof.theory.generalization.checking import Transcript
from peekproof.theory.generalization.fixed_point import fixed_point_certificate

T = TypeVar("T")

# An answer as it is released: its numbers.
Value = tuple[Fraction, ...]

# Intervals that reach as far say no more than that a share is between 0 and 1.
VACUOUS = 0.5

# What ledgers record beside a draw: the units of its answer.
UNITS = ("low", "high", "most")

# More bits than a double can make of bounds and a guess; ledgers write them in decimal.
_MOST_BITS = 8_000

# An integer of more digits is written in hexadecimal: Python refuses to print its decimals.
_LONGEST = 10**1000

_MARK = "secret"
# What a record says besides the fields, which none may be called.
_RESERVED = frozenset({"kind", "package", *UNITS})
_SHOWN = 80

# What a query asks for, in words.
SHAPES: Mapping[str, str] = {
    "share": "a share",
    "mean": "a mean",
    "cells": "a histogram",
    "quantile": "a quantile",
    "choice": "a choice of the best",
    "statistic": "a statistic",
    "pairs": "a mean over pairs of rows",
}


def secret(default: object) -> Any:
    """A field that the ledger records and nobody is shown; `default` stands for it elsewhere."""
    return field(default=default, repr=False, metadata={_MARK: True})


class Recorded:
    """A frozen dataclass that a ledger writes down by its `kind`, and reads again.

    Every one has `rows`, the number of rows of the source, which the ledger says once for all.
    Fields are integers, fractions, texts, truth values, members of an Enum, tuples and small
    dataclasses of these, or None; what equals its default is not written.
    """

    __slots__ = ()

    kind: ClassVar[str]
    # Which fields are too long for people: they are left out where it is told how answers are made.
    unread: ClassVar[frozenset[str]] = frozenset()
    rows: int

    def __init_subclass__(cls) -> None:
        if wrong := sorted(_RESERVED & vars(cls).get("__annotations__", {}).keys() - {"kind"}):
            raise TypeError(
                f"{cls.__module__}.{cls.__name__} has a field {wrong[0]!r}, which records have "
                "another use for: give it another name"
            )
        if "kind" in vars(cls):
            kinds = _MECHANISMS if issubclass(cls, Mechanism) else _DRAWS
            known = kinds.get(cls.kind, cls)
            # A dataclass with slots is made twice; another class would take over its ledgers.
            if (known.__module__, known.__name__) != (cls.__module__, cls.__name__):
                raise TypeError(
                    f"{cls.__module__}.{cls.__name__} has the kind {cls.kind!r} of "
                    f"{known.__module__}.{known.__name__}: give it another"
                )
            kinds[cls.kind] = cls

    def record(self) -> dict[str, str]:
        """All fields but the rows, as text."""
        said = {
            SECRET + each.name if each.metadata.get(_MARK) else each.name: _text(
                getattr(self, each.name)
            )
            for each in fields(self)  # type: ignore[arg-type]
            if each.name != "rows" and getattr(self, each.name) != each.default
        }
        package = {"package": _package(type(self))} if is_foreign(type(self)) else {}
        return {"kind": self.kind, **package, **said}

    @property
    def described(self) -> dict[str, str]:
        """The record without what is secret, for anybody to read."""
        return shown(self.record())

    @property
    def parameters(self) -> dict[str, str]:
        """The fields for people: without what is secret, and what is too long to read."""
        apart = {"kind", "package", *self.unread}
        return {name: said for name, said in self.described.items() if name not in apart}

    @final
    def phrased(self, parameters: Mapping[str, str]) -> str:
        """Its kind and parameters in a line: gaussian (sigma = 1/100, step = 1/8192)."""
        said = ", ".join(f"{name} = {value}" for name, value in parameters.items())
        return f"{self.kind} ({said})" if said else self.kind


# All that are imported, by their kinds. A draw may be called as the mechanism that makes it.
_MECHANISMS: dict[str, type[Recorded]] = {}
_DRAWS: dict[str, type[Recorded]] = {}


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def is_foreign(cls: type) -> bool:
    """Whether it is of another package: what it says of itself is then checked at every turn."""
    return _package(cls) != __name__.partition(".")[0]


def recorded_mechanism(record: Mapping[str, str], *, rows: int) -> "Mechanism":
    """The mechanism that a ledger records, on so many rows.

    ValueError if it cannot be; MechanismMissing if nobody here knows it. Secrets that are left out
    are read as their defaults.
    """
    return cast(Mechanism, _recorded(_MECHANISMS, record, rows))


def recorded_draw(terms: Mapping[str, str], *, rows: int) -> "Draw":
    """The draw that a ledger records with an answer, besides the units of that; likewise."""
    said = {name: text for name, text in terms.items() if name not in UNITS}
    return cast(Draw, _recorded(_DRAWS, said, rows))


def _recorded(
    kinds: Mapping[str, type[Recorded]], record: Mapping[str, str], rows: int
) -> Recorded:
    kind, package = record["kind"], record.get("package", "")
    if kind not in kinds:
        every_mechanism()
    found = kinds.get(kind)
    if found is None or (_package(found) if is_foreign(found) else "") != package:
        raise MechanismMissing(mechanism=kind, package=package)
    return _made(found, tuple(record.items()), rows)  # type: ignore[arg-type] # a class


@lru_cache(maxsize=4096)
def _made(cls: type[Recorded], record: tuple[tuple[str, str], ...], rows: int) -> Recorded:
    hints = _annotations(cls)
    said = {
        name.removeprefix(SECRET): text for name, text in record if name not in ("kind", "package")
    }
    if unknown := said.keys() - hints.keys():
        raise ValueError(f"{cls.kind} has no {sorted(unknown)[0]}")
    found = {name: _parsed(text, hints[name]) for name, text in said.items()}
    needed = {
        each.name
        for each in fields(cls)  # type: ignore[arg-type]
        if each.default is MISSING and each.default_factory is MISSING
    }
    if lacking := needed - found.keys() - {"rows"}:
        raise ValueError(f"{cls.kind} lacks {sorted(lacking)[0]}")
    try:
        return cls(rows=rows, **found)  # type: ignore[call-arg]
    except PeekproofError as error:
        raise ValueError(str(error)) from error


def _annotations(cls: type[Recorded]) -> dict[str, Any]:
    names = {each.name for each in fields(cls)} - {"rows"}  # type: ignore[arg-type]
    return {name: hint for name, hint in get_type_hints(cls).items() if name in names}


def every_mechanism() -> dict[str, type["Mechanism"]]:
    """All mechanisms by their names: our own in the order in which plans try them, then others.

    Those of other packages that are installed here are imported.
    """
    _load()
    found = cast(dict[str, type[Mechanism]], _MECHANISMS)
    return dict(sorted(found.items(), key=lambda each: each[1].place))


@lru_cache(maxsize=1)
def _load() -> None:
    for module in OWN.values():
        import_module(module)
    for each in entry_points(group=ENTRY_POINTS):
        known = dict(_MECHANISMS), dict(_DRAWS)
        try:
            each.load()
        except Exception as error:
            # What it registered before it failed is not to be used.
            for registry, before in zip((_MECHANISMS, _DRAWS), known, strict=True):
                registry.clear()
                registry.update(before)
            said = f"the mechanism {each.name} ({each.value}) cannot be used here: {error!r}"
            warnings.warn(said, RuntimeWarning, stacklevel=2)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, int):
        return f"{value:#x}" if abs(value) >= _LONGEST else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return ":".join(_text(getattr(value, each.name)) for each in fields(value))
    if isinstance(value, tuple):
        inner = any(is_dataclass(each) for each in value)
        return (" " if inner else ":").join(_text(each) for each in value)
    if isinstance(value, Fraction | str):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be recorded")


def _parsed(text: str, annotation: Any) -> object:
    """The value of this type that a text stands for; ValueError if it is none."""
    args = get_args(annotation)
    if isinstance(annotation, UnionType):  # what is None is not written
        (annotation,) = (each for each in args if each is not type(None))
        return _parsed(text, annotation)
    if args:
        if args[-1] is Ellipsis:
            parts = text.split(" " if is_dataclass(args[0]) else ":")
            return tuple(_parsed(each, args[0]) for each in parts)
        return tuple(_parsed(each, kind) for each, kind in zip(text.split(":"), args, strict=True))
    if is_dataclass(annotation):
        hints = get_type_hints(annotation)
        names = [each.name for each in fields(annotation)]
        said = dict(zip(names, text.split(":"), strict=True))
        made = cast(Callable[..., object], annotation)
        return made(**{name: _parsed(each, hints[name]) for name, each in said.items()})
    if annotation is bool:
        return {"true": True, "false": False}[text]
    if annotation is int:
        return int(text, 16) if text.removeprefix("-").startswith("0x") else int(text)
    return annotation(text)


class Replies(Protocol):
    """Recorded answers, as a query reads its own: each in a shape that analysts know."""

    def number(self, what: "Query") -> Answer:
        """One number with its interval."""
        ...

    def cells(self, what: "Query", labels: Sequence[str], asked: Sequence[str]) -> HistogramAnswer:
        """A number for each label; `asked` says what each cell asks by itself."""
        ...

    def quantile(self, what: "Query", value: Callable[[int], float]) -> QuantileAnswer:
        """One of the points of a grid."""
        ...

    def choice(self, what: "Query", texts: Sequence[str]) -> Choice:
        """One of the candidates that are called like this."""
        ...


# What an ask is answered with.
Reply = Answer | HistogramAnswer | QuantileAnswer | Choice


class Demand(Protocol):
    """What a draw depends on of what is asked; audits read it again from the recorded text."""

    @property
    def digest(self) -> str:
        """The same for all that is the same; answered once, it is free.

        Of a text that was read again, "" if the text alone does not tell.
        """
        ...

    @property
    def shape(self) -> str:
        """Which of `SHAPES` it asks for."""
        ...

    @property
    def span(self) -> Span:
        """The units of its answer."""
        ...

    @property
    def levels(self) -> int:
        """1 for counts; otherwise what one row can add, in fixed point."""
        ...

    @property
    def cells(self) -> int:
        """How many numbers an answer has, or among how many one is chosen."""
        ...

    @property
    def ball(self) -> Fraction:
        """The squared radius of a ball that holds what any row adds to the cells."""
        ...

    @property
    def level(self) -> Fraction:
        """Of a quantile, which one."""
        ...

    @property
    def moved_by(self) -> Fraction | None:
        """Of a statistic, how far one row moves it: the custodian's word."""
        ...


class Query(Demand, Protocol):
    """What can be asked: a question in words, a choice of the best, a statistic, a score."""

    @property
    def text(self) -> str:
        """For people, in ledgers and histories.

        Audits of ledgers read it again, by what its kind registers for that with
        `session.wording`: no text of one kind is one of another.
        """
        ...

    @property
    def questions(self) -> Sequence[Question]:
        """What an engine is asked for it, in one pass with all others."""
        ...

    @property
    def charge_first(self) -> bool:
        """Whether that reading it fails could tell of rows, whatever holds them."""
        ...

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:
        """What is released from: the totals of its questions, or what the source measures."""
        ...

    def answer(self, replies: Replies) -> Reply:
        """What was answered to it, as the record of it says."""
        ...

    @property
    def route(self) -> str:
        """The last part of the address by which a gateway takes it."""
        ...

    def message(self) -> dict[str, object]:
        """What is sent to a gateway for it; InvalidInput if none takes it."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One thing that somebody wants to know, and what they said with it, in their own units.

    `guessed` is the share that a guesser says, where nobody gives a guess.
    """

    what: Query
    radius: float | None = None
    loss: float | None = None
    guess: float | None = None
    tolerance: float | None = None
    trained_on: int | None = None
    guessed: object = None

    @property
    def guessing(self) -> bool:
        """Whether a guess was said, or anything that goes with one."""
        return any(getattr(self, each) is not None for each in _OF_GUESSES)

    def without(self, *names: str, accepted: str, hint: str = "") -> None:
        """Refuse what a mechanism makes no use of."""
        for name in names:
            if (given := getattr(self, name)) is not None:
                shown = repr(given)[:_SHOWN]
                raise InvalidInput(argument=name, accepted=accepted, given=shown, hint=hint)

    @property
    def share(self) -> Fraction:
        """The guess as a share of the scale from 0 to 1."""
        if self.guess is None:
            if not isinstance(self.guessed, Fraction) or not 0 <= self.guessed <= 1:
                accepted = "one whose guess is a Fraction from 0 to 1"
                given = repr(self.guessed)[:_SHOWN]
                raise InvalidInput(argument="guesser", accepted=accepted, given=given)
            return self.guessed
        span = self.what.span
        share = short(guess=span.share(check.exact_number(guess=self.guess)))
        if not 0 <= share <= 1:
            accepted = f"from {float(span.low):g} to {float(span.high):g}"
            given = repr(self.guess)[:_SHOWN]
            raise InvalidInput(argument="guess", accepted=accepted, given=given)
        return share

    def allowed(self, share: Fraction) -> Fraction | None:
        """The tolerance as a part of the scale, if one is said.

        Every sample confirms a guess whose tolerance is the whole scale, so the answer says
        nothing. But it costs a question, and is all that anybody ever gets for it.
        """
        if self.tolerance is None:
            return None
        width = self.what.span.width
        wanted = (
            check.positive_fraction(tolerance=check.exact_number(tolerance=self.tolerance)) / width
        )
        most = max(share, 1 - share)
        if wanted >= most:
            raise InvalidInput(
                argument="tolerance",
                accepted=f"below {float(most * width):.6g} for this guess, from where on its "
                "interval is the whole scale and says nothing",
                given=repr(self.tolerance)[:_SHOWN],
                hint="the first answer to a question is the one that everybody gets; leave the "
                "tolerance out for one that leaves room for a good guess",
            )
        return short(tolerance=wanted)

    def in_shares(self, made: Callable[[float], T], *, lost: float = 0.0) -> T:
        """What `made` makes of the radius as a share; a refusal speaks of the analyst's units.

        `lost` is what reading the answer in fixed point takes: it is given back beforehand.
        """
        width, radius = self.what.span.width, self.radius
        if width == 1 and self.what.shape == "share":
            return made(own_radius(radius))
        share = check.positive_float(radius=radius) / float(width)
        if not lost:
            return made(own_radius(share))
        try:
            return made(max(own_radius(share) - lost, _SMALLEST_SHARE))
        except InvalidInput as refused:
            raise InvalidInput(
                argument="radius",
                accepted=f"{refused.accepted}, counted in shares of a width of {float(width):g}",
                given=repr(radius),
                hint=refused.hint,
            ) from None


# What goes with a guess, or is one.
_OF_GUESSES = ("guess", "tolerance", "trained_on", "guessed")

# A radius below what fixed point can read: refused, whoever asks for it.
_SMALLEST_SHARE = 1e-12


def short(**named: Fraction) -> Fraction:
    """The one value given, if a ledger can write it down."""
    ((name, value),) = named.items()
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise InvalidInput(
            argument=name, accepted="a number of fewer digits", given="thousands of digits"
        )
    return value


def own_radius(radius: object) -> float:
    """A radius that one question may have, as a part of its scale.

    An answer stays: one that says nothing would cost next to nothing, and be all that anybody
    ever gets for that question.
    """
    wanted = check.positive_float(radius=radius)
    if wanted >= VACUOUS:
        raise InvalidInput(
            argument="radius",
            accepted=f"below {VACUOUS:g}, from where on an interval says nothing",
            given=repr(radius),
            hint="the first answer to a question is the one that everybody gets; leave the "
            "radius out for the planned one",
        )
    return wanted


def says_nothing(given: str, *, hint: str) -> InvalidInput:
    """The refusal of a question whose interval is certain to be all of its range.

    An answer stays, and everybody who asks for it gets the same: it is refused before it is paid.
    """
    return InvalidInput(
        argument="question", accepted="one whose interval can say something", given=given, hint=hint
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What the ledger tells of a conversation: all that costs and levels may depend on.

    `failures` counts guesses that were corrected and choices that were told, `values` is among how
    many things they chose together. What was paid for and never answered is `pending`: it counts
    as told, for nobody can be sure.
    """

    target: Target
    spent: Fraction = Fraction(0)
    draws: int = 0
    failures: int = 0
    values: int = 1
    pending: tuple["Draw", ...] = ()

    @property
    def transcript(self) -> Transcript:
        """The same in the words of the theorems about guesses."""
        questions = max(self.draws, self.failures)
        return Transcript(questions=questions, failures=self.failures, values=self.values)

    def told(self, count: int) -> "Past":
        """The past in which also something was told, one of so many things; 0 if nothing was."""
        if not count:
            return self
        return replace(self, failures=self.failures + 1, values=self.values * count)


def is_number(asked: Demand, *, levels: int) -> bool:
    """Whether a share or a mean is asked for, in so many levels."""
    return asked.shape in ("share", "mean") and (asked.levels, asked.cells) == (levels, 1)


class Draw(Recorded, ABC):
    """How one answer is made. Known before anything is read; recorded with the answer."""

    __slots__ = ()

    @property
    @abstractmethod
    def cost(self) -> Charge:
        """What it uses up of the budget, exactly."""

    @property
    def draws(self) -> int:
        """How many of the promised questions it counts as."""
        return 1

    @property
    def part(self) -> int | None:
        """Which part of the rows it reads; None if all of them."""
        return None

    def least_draws(self, promise: "Mechanism", target: Target) -> int:  # noqa: ARG002
        """How many of the promised questions it must count as at least."""
        return 1

    def made_for(self, asked: Demand) -> bool:
        """Whether it is how such a query is answered, by all that it says of one.

        One that does not say is for a share, counted in whole rows. Audits refuse any other.
        """
        return is_number(asked, levels=1) and asked.shape == "share"

    @abstractmethod
    def release(self, exact: Exact[Any], *, rng: Entropy) -> Value:
        """Return what may be told: the only place where an exact value is opened."""

    @abstractmethod
    def certificate(
        self, promise: "Mechanism", target: Target, *, failed: bool = False
    ) -> Certificate:
        """What holds of the population; ValueError if the promise makes no such draw.

        `failed` is whether the answer corrects a guess, as far as this draw checks one.
        """

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed for this answer besides what the session assumes."""
        return ()

    def failed(self, value: Value) -> bool:  # noqa: ARG002 (most check nothing)
        """Whether an answer corrects the guess that was checked."""
        return False

    def verdict(self, value: Value) -> str:  # noqa: ARG002
        """What became of the guess that was checked, for a receipt; empty if none was."""
        return ""

    @property
    def on_receipt(self) -> dict[str, str]:
        """The parameters that a receipt names: what its certificate tells may be left out."""
        return self.parameters

    def told(self, value: Value | None) -> int:  # noqa: ARG002 (noise hides what they say)
        """Among how many things the answer chose, if later levels count that; else 0.

        None is an answer that nobody knows: it counts as if it had said the most.
        """
        return 0

    @property
    def numbers(self) -> int:
        """How many numbers of an answer lie in its interval."""
        return 1

    def shares(self, value: Value) -> Value:
        """The shares of its scale that an answer tells; ValueError if it cannot be one."""
        if len(value) != self.numbers or any(not 0 <= each <= 1 for each in value):
            raise ValueError("it is no share, or not as many as were drawn")
        return value

    def chosen(self, value: Value) -> int:  # noqa: ARG002
        """The place in a list that an answer tells; ValueError if it tells none."""
        raise ValueError("nothing was chosen")

    def sample(self, value: Value) -> tuple[Fraction, Fraction]:  # noqa: ARG002
        """Between which shares that of the sample lies, by what was told without noise."""
        raise ValueError("nothing is told of the sample")

    def finding(self, value: Value, certificate: Certificate, span: Span) -> Finding:
        """What an answer says of the population; ValueError if it cannot be one."""
        cells = [
            (float(span.value(share)), span.interval(certificate.interval(share)))
            for share in self.shares(value)
        ]
        return Numbers(tuple(cells), span)

    def width(
        self, promise: "Mechanism", target: Target, scale: Fraction, *, failed: bool | None = None
    ) -> Width:
        """How far the interval of the answer would reach, on a scale that is so wide.

        `failed` is how a guess came out, where that is known.
        """
        radius = self.certificate(promise, target, failed=bool(failed)).radius
        return Width.within(float_up(Fraction(radius) * scale))

    def check(self, promise: "Mechanism", past: Past, *, batch: int = 1) -> None:
        """Refuse, by a ValueError, a draw that the promise would not have made after this past.

        It was one of `batch` that were drawn together.
        """

    def within(
        self,
        promise: "Mechanism",  # noqa: ARG002
        value: Value,  # noqa: ARG002
    ) -> Fraction | None:
        """How far a corrected share errs, for guessers to learn from; None if nothing was told.

        What they make of it is never relied on.
        """
        return None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many guesses may fail, and how far one that passes may be from the sample."""

    failures: int
    tolerance: Fraction | None = None

    def __post_init__(self) -> None:
        check.positive_integer(failures=self.failures)
        if self.tolerance is None:
            return
        if check.positive_fraction(tolerance=self.tolerance) >= VACUOUS:
            accepted = "below 0.5 (wider intervals say nothing)"
            raise InvalidInput(argument="tolerance", accepted=accepted, given="more")
        if self.tolerance.denominator.bit_length() > _MOST_BITS:
            raise InvalidInput(
                argument="tolerance", accepted="a number of fewer digits", given="thousands"
            )


@final
@dataclass(frozen=True, slots=True)
class Options:
    """What a plan may be told besides rows and target; None is what is left open."""

    rounds: int | None = None
    limit: Limit | None = None

    @property
    def said(self) -> frozenset[str]:
        """The names of what is told."""
        names = {"rounds": self.rounds, "failures": self.limit}
        if self.limit and self.limit.tolerance is not None:
            names["tolerance"] = self.limit
        return frozenset(name for name, value in names.items() if value is not None)


@final
@dataclass(frozen=True, slots=True)
class Paid:
    """A draw was charged: number `number` of the ledger's entries."""

    number: int
    draw: Draw


@final
@dataclass(frozen=True, slots=True)
class Told:
    """The draw of entry `number` was answered."""

    number: int
    draw: Draw
    value: Value


class Mechanism(Recorded, ABC):
    """What a session promises by."""

    __slots__ = ()

    # What it does with a question, in a sentence.
    plainly: ClassVar[str] = ""
    # Where it stands in lists, and which of several equally narrow plans is taken.
    place: ClassVar[int] = 100
    # Whether a plan tries it if nobody names mechanisms; those of other packages must be named.
    automatic: ClassVar[bool] = False
    # Which options a plan by it makes use of, and which of them it must be told.
    options: ClassVar[frozenset[str]] = frozenset()
    required: ClassVar[frozenset[str]] = frozenset()
    # What can be asked: some of SHAPES.
    takes: ClassVar[frozenset[str]] = frozenset({"share", "mean"})
    # Whether an ask comes with a guess. Then each must be answered before the next is drawn.
    guesses: ClassVar[bool] = False
    # Whether it reads parts of the rows, which only an engine that can number them has.
    ordered: ClassVar[bool] = False
    # Whether several processes may answer from one ledger.
    shareable: ClassVar[bool] = True
    # Whether a session has something under way that ends with its process.
    volatile: ClassVar[bool] = False
    # Whether costs or levels depend on what was told, so that every answer must be looked at.
    remembers: ClassVar[bool] = True
    # Whether a ledger that is opened again is audited: what follows depends on all of its record.
    rechecked: ClassVar[bool] = False
    # Whether intervals grow with the conversation, so that its plan tells the widest.
    grows: ClassVar[bool] = False
    # Whether it is planned without a number of questions.
    open_ended: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def plan(cls, rows: int, target: Target, options: Options) -> Self | None:
        """The narrowest of its kind; None if it cannot be run on so few rows."""

    @classmethod
    def least_rows(cls, target: Target, options: Options) -> int:  # noqa: ARG003
        """With fewer there is no plan at all."""
        return 1

    @property
    def most_questions(self) -> int | None:
        """How many draws there can be at most, if it is planned without a number of questions."""
        return None

    @abstractmethod
    def budget(self, target: Target) -> Charge:
        """What all draws may use up together."""

    @abstractmethod
    def certify(self, target: Target) -> Certificate:
        """The widest that an answer as planned may need."""

    @abstractmethod
    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:
        """How it is answered, as number `place`, from 0, of `batch` new ones; or InvalidInput.

        It is called with what the mechanism takes, by `offer`, and twice: before rows are read,
        and under the ledger's lock, where it must be quick.
        """

    @final
    def offer(self, ask: Ask, past: Past, *, place: int = 0, batch: int = 1) -> Draw:
        """How it is answered; InvalidInput if it cannot be, a Refusal if it may not any more."""
        if ask.what.shape not in self.takes:
            raise self._not_taken(ask)
        if not self.guesses:
            ask.without(
                *_OF_GUESSES,
                accepted="left out: this session checks no guesses",
                hint="open the data with mechanisms=[peekproof.Checking]",
            )
        if ask.what.shape not in ("choice", "quantile"):
            ask.without("loss", accepted="left out: only quantiles and the best have a loss")
        draw = self.draw(ask, past, place=place, batch=batch)
        if is_foreign(type(self)) or is_foreign(type(draw)):
            _check_drawn(self, draw, past.target)
            if not draw.made_for(ask.what):
                said, shape = type(draw).__name__, SHAPES[ask.what.shape]
                raise TypeError(f"a {said} does not say that it is made for {shape}")
        return draw

    def _not_taken(self, ask: Ask) -> InvalidInput:
        what = ask.what
        *several, last = (words for shape, words in SHAPES.items() if shape in self.takes)
        said = f"{', '.join(several)} or {last}" if several else last
        if what.shape == "pairs":
            return InvalidInput(
                argument="statistic",
                accepted="of single rows: pairs are for sessions by peekproof.Checking",
                given=what.text[:_SHOWN],
                hint="open the data with mechanisms=[peekproof.Checking]",
            )
        if what.shape == "mean":
            return InvalidInput(
                argument="question",
                accepted=f"a share, in a session by {type(self).__name__}",
                given="a mean",
                hint="mechanisms=[peekproof.Checking] checks guesses about means",
            )
        return InvalidInput(
            argument="question",
            accepted=f"{said} in this session",
            given=SHAPES[what.shape],
            hint="open the data with mechanisms=[peekproof.Gaussian] and a number of questions",
        )

    def read(
        self,
        source: Source,
        asked: Sequence[Query],
        draws: Sequence[Draw],  # noqa: ARG002
    ) -> list[Exact[Any]]:
        """The exact values of what was paid for, in one pass over the rows."""
        questions = [each for what in asked for each in what.questions]
        totals = iter(source.totals(questions) if questions else ())
        return [what.exact([next(totals) for _ in what.questions], source) for what in asked]

    def worth(self, draw: Draw, target: Target) -> Fraction:  # noqa: ARG002
        """How many planned questions a draw costs as much as."""
        return Fraction(1)

    def fits(self, past: Past, *, room: Fraction, draws: int) -> int:
        """How many more questions fit, as planned, into so much room and so many draws.

        The room is in the unit of the budget: what is left of it, or of an analyst's share.
        """
        return min(draws, int(room // (self.budget(past.target).amount / past.target.questions)))

    @final
    def left(self, past: Past) -> int:
        """How many more questions fit as planned, if nothing is set aside for anybody."""
        room = self.budget(past.target).amount - past.spent
        return self.fits(past, room=room, draws=past.target.questions - past.draws)

    def rounds_left(self, past: Past, *, room: Fraction) -> int | None:  # noqa: ARG002
        """How many more rounds fit into so much room; None if they are not counted."""
        return None

    def refusal(self, asked: int, past: Past, *, remaining: int) -> Refusal:
        """Why so many new questions do not fit."""
        return BudgetExhausted(asked=asked, remaining=remaining, questions=past.target.questions)

    def next_width(self, past: Past, *, radius: float) -> Width:  # noqa: ARG002
        """How far the interval of the next share reaches, if it is asked as planned.

        `radius` is that of the plan.
        """
        return Width.within(radius)

    def words(self, past: Past, *, radius: float) -> str:
        """What is promised, in a few words, after this past."""
        level, size = level_down(past.target.confidence), past.target.questions
        return f"{self._head(radius)} at confidence {level} for all of {size:,} questions"

    def _head(self, radius: float, *, does: str = "") -> str:
        said = f"{does}, " if does else ""
        return f"{self.rows:,} rows, {said}shares within ±{decimal_up(radius)}"

    def one_radius(self, ask: Ask, target: Target) -> None:
        """Refuse a radius below the one that all answers have."""
        if ask.radius is None:
            return
        levels, least = ask.what.levels, self.certify(target).radius

        def wide_enough(wanted: float) -> None:
            if wanted < least:
                raise InvalidInput(
                    argument="radius",
                    accepted=f"at least {decimal_up(least)}, the radius of every answer of this "
                    "session",
                    given=repr(ask.radius),
                    hint="leave it out, or plan for fewer questions",
                )

        ask.in_shares(wide_enough, lost=1 / levels if levels > 1 else 0.0)

    def headline(self, radius: float) -> str:
        """The radius of a plan, to begin a sentence with."""
        return f"±{decimal_up(radius)}"

    def promise(self, target: Target) -> str:
        """What a plan promises, to end that sentence with."""
        return f"for all of {target.questions:,} {self.asked(target)} {self.together(target)}"

    def asked(self, target: Target) -> str:  # noqa: ARG002
        """What is promised for, and how it may come."""
        return "adaptively chosen questions"

    @final
    def together(self, target: Target) -> str:
        """About what, and at which confidence."""
        level = level_down(target.confidence)
        return f"about {self.rows:,} rows, all together with confidence {level}"

    def planned_radius(self, radius: float) -> float | None:
        """How far intervals of shares reach at most; None where their own tolerance says it."""
        return radius

    def summary(self, radius: float) -> str:
        """How far its answers reach, for a line about a ledger."""
        return f"shares within ±{decimal_up(radius)}"

    def counted(self, past: Past) -> str:  # noqa: ARG002
        """How many guesses have failed, where that is worth a word."""
        return ""

    def phrase(self, target: Target) -> str:  # noqa: ARG002
        """What it does, to stand in a sentence: "Gaussian noise" is narrower."""
        return self.kind

    def gathers(self, target: Target) -> bool:  # noqa: ARG002
        """Whether what an analyst asks at once may be drawn together, at the same price."""
        return False

    def check_target(self, target: Target) -> None:
        """Refuse, by a ValueError, a target that the mechanism was not planned for."""

    def again(self) -> Options:
        """What a new plan by such a mechanism has to be told."""
        return Options()

    def limited(self, target: Target) -> tuple[str, Limit | None]:  # noqa: ARG002
        """How many guesses may fail, in words and as a limit that it keeps; None if any number."""
        return "without a limit", None

    def keyed(self, rng: Entropy) -> Self:  # noqa: ARG002
        """The mechanism to run, with secrets that nobody has seen."""
        return self

    def start(self, *, rng: Entropy) -> "Run":
        """The mechanism at work in one session."""
        return Run(self, rng)

    def audit(self, target: Target, steps: Iterable[Paid | Told]) -> None:
        """Refuse, by a ValueError, a record that no session by this mechanism writes."""
        spent, draws, past = Fraction(0), 0, Past(target=target)
        pending: dict[int, list[Draw]] = {}
        # Those of one entry are made after the same past.
        for _, entry in groupby(steps, key=lambda step: (step.number, type(step))):
            found = list(entry)
            before = replace(past, spent=spent, draws=draws)
            for each in (draw for waiting in pending.values() for draw in waiting):
                before = before.told(each.told(None))
            for step in found:
                if isinstance(step, Paid):
                    step.draw.check(self, before, batch=len(found))
                    spent, draws = spent + step.draw.cost.amount, draws + step.draw.draws
                    pending.setdefault(step.number, []).append(step.draw)
                else:
                    pending[step.number].remove(step.draw)
                    step.draw.shares(step.value)
                    past = past.told(step.draw.told(step.value))


@lru_cache(maxsize=4096)
def _check_drawn(promise: Mechanism, draw: Draw, target: Target) -> None:
    """Refuse a draw that a ledger could not tell again, before anything is read or charged."""
    name = type(draw).__name__
    try:
        problem = _problem_of(promise, draw, target)
        for failed in (False, True):
            draw.certificate(promise, target, failed=failed)
    except Exception as error:
        raise TypeError(f"{name} cannot be recorded or certified ({error!r})") from error
    if problem:
        raise TypeError(f"{name} {problem}")


def _problem_of(promise: Mechanism, draw: Draw, target: Target) -> str:
    again = recorded_draw(draw.record(), rows=draw.rows)
    if again != draw or again.record() != draw.record() or draw.rows != promise.rows:
        return "is not what its record gives"
    if draw.cost.unit != promise.budget(target).unit:
        return "is charged in another unit"
    if draw.cost.amount < 0:
        return "has a cost below nothing"
    if type(draw.draws) is not int or draw.draws < 1:
        return f"counts as {draw.draws!r} questions"
    return ""


class Run:
    """A mechanism at work. What it remembers is lost with its session, and never on disk."""

    def __init__(self, mechanism: Mechanism, rng: Entropy) -> None:
        self._mechanism, self._rng = mechanism, rng

    def offer(self, ask: Ask, past: Past, *, place: int = 0, batch: int = 1) -> Draw:
        """As the mechanism offers it, in what this session has under way."""
        return self._mechanism.offer(ask, past, place=place, batch=batch)

    def release(self, draws: Sequence[Draw], exact: Sequence[Exact[Any]]) -> list[Value]:
        """The answers to what was paid for."""
        return [
            draw.release(total, rng=self._rng) for draw, total in zip(draws, exact, strict=True)
        ]

    def forget(self) -> None:
        """Go on as after a restart: what was drawn last may be on no record."""

    def under_way(self, past: Past) -> bool:  # noqa: ARG002
        """Whether this session goes on with something that is paid for already."""
        return False


def fixed_point(certificate: Certificate, levels: int) -> Certificate:
    """The certificate of what was read in so many levels; counts need no correction."""
    return certificate if levels == 1 else fixed_point_certificate(certificate, levels=levels)


def place_in(value: Value, size: int) -> int:
    """The place in a list that an answer tells; ValueError if it is none."""
    if len(value) != 1 or value[0].denominator != 1 or not 0 <= value[0] < size:
        raise ValueError("it is no place in the list")
    return int(value[0])

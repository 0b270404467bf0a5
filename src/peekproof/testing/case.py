"""A mechanism under test: what to ask it, what may come out, and how to build it again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar, final

from peekproof.core.errors import BudgetExhausted
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import Described, Interactive, OneShot
from peekproof.noise.entropy import Entropy

S = TypeVar("S")
R = TypeVar("R")

Rebuild = Callable[[Mapping[str, str]], Described]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Generic[S, R]):
    """Made by `one_shot` or `interactive`; a conversation is the statistics asked in turn.

    typical     conversations within the public range
    extreme     conversations at the ends of what the mechanism accepts, and beyond
    misshapen   conversations that it must refuse for their public shape
    neighbours  pairs of conversations that may come from data with one record replaced
    rebuild     the mechanism from its description, on the same rows
    outputs     whether a release is one of those that everybody can list beforehand
    error       how far a release errs from its statistic, in the units of the radius
    """

    mechanism: Described
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
    rebuild: Rebuild,
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
        rebuild=rebuild,
        outputs=outputs,
        error=error,
    )


def interactive(
    mechanism: Interactive[S, R],
    *,
    rebuild: Rebuild,
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
        rebuild=rebuild,
        outputs=outputs,
        error=error,
    )


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

"""What every mechanism has, whatever it releases; `peekproof.testing.mechanisms` checks it.

Releases are points of a grid that everybody knows beforehand. Of many numbers that are opened at
once it is public how many there are, and not what they are.
"""

from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar

from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.noise.entropy import Entropy

Cost = GDP | PureDP | ZCDP | Draws

Statistic = TypeVar("Statistic")
Released_co = TypeVar("Released_co", covariant=True)


class Priced(Protocol):
    """What is known of a mechanism before anything is read. All of it is public."""

    kind: ClassVar[str]

    def cost(self) -> Cost:
        """What one use costs, exactly; known before anything is read."""
        ...

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the sample, except with probability β. Rounds: up."""
        ...


class Described(Priced, Protocol):
    """A mechanism that says itself what rebuilds it; those of sessions are `base.Mechanism`."""

    def describe(self) -> dict[str, str]:
        """Strings that are enough to rebuild the mechanism on the same rows."""
        ...


class OneShot(Priced, Protocol[Statistic, Released_co]):
    """A mechanism that looks at one exact statistic and releases one thing."""

    def release(self, exact: Exact[Statistic], *, rng: Entropy) -> Released_co:
        """Return what may be told: the only place where an exact value is opened."""
        ...


class Run(Protocol[Statistic, Released_co]):
    """An interactive mechanism at work: it remembers, and it may stop."""

    def release(self, exact: Exact[Statistic]) -> Released_co:
        """The next release, which may depend on what came before."""
        ...


class Interactive(Priced, Protocol[Statistic, Released_co]):
    """A mechanism whose cost covers a whole conversation of statistics, chosen one by one."""

    def start(self, *, rng: Entropy) -> Run[Statistic, Released_co]:
        """A new conversation; it costs `cost()` however long it becomes."""
        ...


def nearest_share(count: int, *, rows: int, step: Fraction) -> Fraction:
    """count/rows, rounded to the nearest multiple of `step` (ties upward), clipped to [0, 1]."""
    cells = step.denominator
    return Fraction(min(cells, max(0, (2 * count * cells + rows) // (2 * rows))), cells)


def exact_share(total: int, *, whole: int) -> Fraction:
    """total/whole, clipped to [0, 1]."""
    return Fraction(min(whole, max(0, total)), whole)


def with_levels(description: dict[str, str], levels: int) -> dict[str, str]:
    """The description of a mechanism for totals in fixed point; counts need no mention."""
    return description if levels == 1 else {**description, "levels": str(levels)}


def opened(exact: Exact[tuple[int, ...]], *, numbers: int) -> tuple[int, ...]:
    """The numbers themselves, if there are as many as the mechanism is made for."""
    found = exact.reveal()
    if len(found) != numbers:
        raise InvalidInput(
            argument="exact", accepted=f"{numbers:,} integers", given="another number of them"
        )
    return found

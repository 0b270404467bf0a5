"""What every mechanism has, whatever it releases; `peekproof.testing.mechanisms` checks it."""

from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar

from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.core.secret import Exact
from peekproof.noise.entropy import Entropy

Cost = GDP | PureDP | ZCDP | Draws

Statistic = TypeVar("Statistic")
Released_co = TypeVar("Released_co", covariant=True)


class Described(Protocol):
    """What the ledger and the documentation need to know of a mechanism. All of it is public."""

    KIND: ClassVar[str]

    def cost(self) -> Cost:
        """What one use costs, exactly; known before anything is read."""
        ...

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the sample, except with probability β. Rounds: up."""
        ...

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism on the same rows."""
        ...


class OneShot(Described, Protocol[Statistic, Released_co]):
    """A mechanism that looks at one exact statistic and releases one thing."""

    def release(self, exact: Exact[Statistic], *, rng: Entropy) -> Released_co:
        """What may leave the house. Only here is an exact value opened."""
        ...


class Run(Protocol[Statistic, Released_co]):
    """An interactive mechanism at work: it remembers, and it may stop."""

    def release(self, exact: Exact[Statistic]) -> Released_co:
        """The next release, which may depend on what came before."""
        ...


class Interactive(Described, Protocol[Statistic, Released_co]):
    """A mechanism whose cost covers a whole conversation of statistics, chosen one by one."""

    def start(self, *, rng: Entropy) -> Run[Statistic, Released_co]:
        """A new conversation; it costs `cost()` however long it becomes."""
        ...

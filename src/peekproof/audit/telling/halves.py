"""Draws on two inputs, divided: some propose events, some pick among them, the rest tests."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, final

from peekproof.audit.telling.statistics import Pair, frozen
from peekproof.core import check
from peekproof.core.errors import InvalidInput

FEWEST = 8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """A quarter, a quarter, and a half of the draws on either input."""

    proposing: Pair
    picking: Pair
    testing: Pair

    def mapped(self, part: Callable[[Any], Any]) -> "Halves":
        """The same of what `part` makes of each draw."""
        return Halves(
            proposing=mapped(self.proposing, part),
            picking=mapped(self.picking, part),
            testing=mapped(self.testing, part),
        )

    @property
    def all(self) -> list[Any]:
        """Every draw."""
        pairs = (self.proposing, self.picking, self.testing)
        return [each for pair in pairs for side in pair for each in side]


def mapped(pair: Pair, part: Callable[[Any], Any]) -> Pair:
    """What `part` makes of each draw of a pair."""
    return [part(each) for each in pair[0]], [part(each) for each in pair[1]]


def drawn(one: Callable[[], Any], other: Callable[[], Any], *, trials: int) -> Halves:
    """`trials` releases on each input, by turns: what changes with time changes for both."""
    if check.positive_integer(trials=trials) < FEWEST:
        raise InvalidInput(
            argument="trials", accepted=f"an integer of at least {FEWEST}", given=str(trials)
        )
    first, second = trials // 4, trials // 2
    pairs = [(_countable(one()), _countable(other())) for _ in range(trials)]
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    return Halves(
        proposing=(sides[0][:first], sides[1][:first]),
        picking=(sides[0][first:second], sides[1][first:second]),
        testing=(sides[0][second:], sides[1][second:]),
    )


def _countable(release: Any) -> Hashable:
    kept = frozen(release)
    try:
        hash(kept)
    except TypeError:
        raise InvalidInput(
            argument="release",
            accepted="a number, something that can be hashed, or a tuple, list or array of these",
            given=type(release).__name__,
        ) from None
    return kept

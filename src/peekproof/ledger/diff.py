"""Where two ledgers part."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import final

from peekproof.ledger.entry import Entry


@final
@dataclass(frozen=True, slots=True)
class Identical:
    """Both have the same entries, so many."""

    entries: int


@final
@dataclass(frozen=True, slots=True)
class FirstContinues:
    """The first has all of the second's `shared` entries, and `more`."""

    shared: int
    more: int


@final
@dataclass(frozen=True, slots=True)
class SecondContinues:
    """The second has all of the first's `shared` entries, and `more`."""

    shared: int
    more: int


@final
@dataclass(frozen=True, slots=True)
class Parted:
    """After `shared` entries that are the same, each says something else."""

    shared: int
    first: Entry
    second: Entry


Difference = Identical | FirstContinues | SecondContinues | Parted


def difference(first: Iterable[Entry], second: Iterable[Entry]) -> Difference:
    """How two ledgers differ, by their entries in order; one digest covers all before it."""
    shared = first_more = second_more = 0
    for one, other in zip_longest(first, second):
        if one is None:
            second_more += 1
        elif other is None:
            first_more += 1
        elif one == other:
            shared += 1
        else:
            return Parted(shared, one, other)
    if first_more:
        return FirstContinues(shared, first_more)
    if second_more:
        return SecondContinues(shared, second_more)
    return Identical(shared)

"""A whole conversation described: which events, how often each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from peekproof.accounting.event import Event, Neighbours
from peekproof.core import check
from peekproof.core.errors import InvalidInput


@final
@dataclass(frozen=True, slots=True)
class Conversation:
    """Events fixed in advance with their counts; the questions behind them may adapt.

    It is a multiset: the order of charges and how they were batched cannot matter to anyone.
    """

    counts: Mapping[Event, int]

    def __post_init__(self) -> None:
        for count in self.counts.values():
            check.positive_integer(count=count)
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))
        relations = {event.neighbours for event in self.counts}
        if len(relations) > 1:
            raise InvalidInput(
                argument="events",
                accepted="of one neighbouring relation",
                given=" and ".join(sorted(f"'{relation.value}'" for relation in relations)),
                hint="state every sensitivity for the same change of the data",
            )

    @classmethod
    def of(cls, *events: Event | tuple[Event, int]) -> "Conversation":
        """A conversation of single events and of pairs (event, count)."""
        return cls({}).then(*events)

    def then(self, *events: Event | tuple[Event, int]) -> "Conversation":
        """This conversation, continued."""
        counts = dict(self.counts)
        for event, count in _pairs(events):
            counts[event] = counts.get(event, 0) + check.positive_integer(count=count)
        return Conversation(counts)

    def repeated(self, times: int) -> "Conversation":
        """This conversation, held `times` times."""
        check.positive_integer(times=times)
        return Conversation({event: count * times for event, count in self.counts.items()})

    @property
    def neighbours(self) -> Neighbours:
        """The relation that all events share; replacing one record if there are none."""
        return next((event.neighbours for event in self.counts), Neighbours.REPLACE_ONE)

    def __reduce__(self) -> tuple[type["Conversation"], tuple[dict[Event, int]]]:
        return Conversation, (dict(self.counts),)  # a mapping proxy cannot be pickled

    def __len__(self) -> int:
        return sum(self.counts.values())


def _pairs(events: Iterable[Event | tuple[Event, int]]) -> Iterator[tuple[Event, int]]:
    for event in events:
        yield event if isinstance(event, tuple) else (event, 1)

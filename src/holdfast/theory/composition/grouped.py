"""Mechanisms with equal parameters are composed together, however often they occur."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from holdfast.core import check

L = TypeVar("L", bound=Hashable)

Losses = Mapping[L, int] | Iterable[L]


def grouped(losses: Losses[L]) -> dict[L, int]:
    """How often each loss occurs: as given, or counted."""
    if isinstance(losses, Mapping):
        return {loss: check.positive_integer(count=count) for loss, count in losses.items()}
    return dict(Counter(losses))

"""A route's bound with the parameters at which it was evaluated."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar, final

from peekproof.core.bound import OneQuestion, Simultaneous

B = TypeVar("B", Simultaneous, OneQuestion)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Priced(Generic[B]):
    """What a route promises. No parameters: the route's theorem does not apply at all."""

    theorem: str
    bound: B
    parameters: tuple[tuple[str, Fraction], ...]

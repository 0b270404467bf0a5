"""What the cases of several mechanisms share: rebuilding, public outputs, errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from peekproof.mechanisms.protocol import Described
from peekproof.testing.mechanisms import Case

FAR = 10**30

AnyCase = Case[Any, Any]


def rebuilt_as(
    make: Callable[..., Described],
    known: Mapping[str, int],
    **readers: Callable[[str], object],
) -> Callable[[Mapping[str, str]], Described]:
    """From the described strings, each read by its reader, and what the rows say."""
    return lambda described: make(
        **known, **{name: read(described[name]) for name, read in readers.items()}
    )


def on_grid(step: Fraction) -> Callable[[object], bool]:
    return lambda released: (
        isinstance(released, Fraction) and 0 <= released <= 1 and (released / step).denominator == 1
    )


def cells_on_grid(step: Fraction, cells: int) -> Callable[[object], bool]:
    return lambda released: (
        isinstance(released, tuple) and len(released) == cells and all(map(on_grid(step), released))
    )


def index_below(candidates: int) -> Callable[[object], bool]:
    return lambda released: type(released) is int and 0 <= released < candidates


def share_error(whole: int) -> Callable[[int, Fraction], Fraction]:
    return lambda exact, released: abs(released - Fraction(exact, whole))


def cells_error(whole: int) -> Callable[[tuple[int, ...], tuple[Fraction, ...]], Fraction]:
    one = share_error(whole)
    return lambda exact, released: max(map(one, exact, released))


def behind_the_best(scores: tuple[int, ...], chosen: int) -> Fraction:
    return Fraction(max(scores) - scores[chosen])

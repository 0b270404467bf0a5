"""What the library dp-accounting answers, checked before it is believed."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite

from peekproof.core.errors import InvalidInput


@contextmanager
def answering() -> Iterator[None]:
    """Refuse, in the library's place, what its floats cannot hold."""
    try:
        yield
    except InvalidInput:
        raise
    except (ArithmeticError, ValueError) as error:
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given="a conversation for which it fails",
        ) from error


def finite(value: float) -> Fraction:
    """The answer as an exact amount; a NaN, an infinity or a negative one is refused."""
    if not isfinite(value) or value < 0:
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given=f"a conversation for which it answers {value}",
        )
    return Fraction(value)


def positive(value: float) -> Fraction:
    """The answer as an exact amount above 0: a Rényi loss of 0 means that its floats gave out."""
    if not (exact := finite(value)):
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given="a conversation for which it answers 0",
        )
    return exact

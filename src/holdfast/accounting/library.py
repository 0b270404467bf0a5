"""What the library dp-accounting answers, checked before it is believed."""

from fractions import Fraction
from math import isfinite

from holdfast.core.errors import InvalidInput


def finite(value: float) -> Fraction:
    """The answer as an exact amount; a NaN, an infinity or a negative one is refused."""
    if not isfinite(value) or value < 0:
        raise InvalidInput(
            argument="events",
            accepted="ones that dp-accounting bounds",
            given=f"a conversation for which it answers {value}",
        )
    return Fraction(value)

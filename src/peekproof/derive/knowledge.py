"""What the caller knows beforehand, made exact; and what happens if the answers contradict it."""

import math
from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.derive.joint import Joint

_TOO_LONG = 10**1000  # far beyond any float, and short enough to be printed


def number(**named: object) -> Fraction:
    """The one value given as an exact rational.

    A float stands for the decimal it prints as: 0.1 is 1/10, not its nearest double.
    """
    ((name, value),) = named.items()
    exact: Fraction | None = None
    if isinstance(value, Fraction):
        exact = value
    elif isinstance(value, int) and not isinstance(value, bool):
        exact = Fraction(value)
    elif isinstance(value, float) and math.isfinite(value):
        exact = Fraction(repr(float(value)))
    if exact is None:
        raise InvalidInput(argument=name, accepted="a finite number", given=repr(value))
    if max(abs(exact.numerator), exact.denominator) >= _TOO_LONG:
        raise InvalidInput(
            argument=name, accepted="a finite number of at most 1,000 digits", given="a longer one"
        )
    return exact


def contradiction(argument: str, *, accepted: str, given: str, joint: Joint) -> InvalidInput:
    """The error for knowledge that no numbers inside the intervals satisfy.

    Intervals are public, so it may depend on them. To return something instead would hide that
    one of the two is wrong.
    """
    return InvalidInput(
        argument=argument,
        accepted=accepted,
        given=given,
        hint=(
            "what is taken to be known is wrong, or the answers are among those that miss, which "
            f"has probability at most {float(1 - joint.confidence):.6g}"
        ),
    )

"""What is known beforehand about one number."""

from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Source, fact
from peekproof.derive.knowledge import contradiction, number
from peekproof.derive.range import Range


def clip(answer: Source, *, low: float | Fraction, high: float | Fraction) -> Derived:
    """The answer for a population value that is known to lie in [low, high].

    Sound by T-joint-function: on the event on which the interval holds, the population value is
    in the interval and in [low, high], so in both. Moving the value to the nearest point of the
    intersection, which holds the truth, brings it no further from the truth.

    Knowledge that contradicts the interval is an InvalidInput. A float stands for the decimal it
    prints as. Rounds: outward.
    """
    least, most = number(low=low), number(high=high)
    if least > most:
        raise InvalidInput(argument="low", accepted=f"at most high = {most}", given=str(least))
    found = fact(answer)
    span, known = found.span, Range.outward(least, most)
    if least > span.high or most < span.low:
        raise contradiction(
            "low and high",
            accepted=f"bounds that meet the interval {span}",
            given=f"{known}",
            joint=found.joint,
        )
    both = Range(low=max(span.low, known.low), high=min(span.high, known.high))
    return found.derived(both, value=found.value, joint=found.joint)

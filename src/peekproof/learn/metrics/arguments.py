"""The numbers and texts between the parentheses of a metric: how they are read and written."""

import json
import math
from contextlib import suppress
from numbers import Real

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import has_half_characters

Argument = float | str

# Numbers that are a part of a smaller square would have lost digits.
_LEAST_SQUARE = 1e-290


def read(text: str) -> list[Argument]:
    """Numbers, and texts in double quotation marks, with commas between; else a ValueError."""
    found = json.loads(f"[{text}]", parse_constant=_refused)
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int | float | str):
            raise ValueError("neither a number nor a text")
    return [each if isinstance(each, str) else float(each) for each in found]


def _refused(constant: str) -> float:
    raise ValueError(constant)


def written(name: str, *arguments: Argument) -> str:
    """The metric as `read` reads it."""
    if not arguments:
        return name
    return f"{name}({', '.join(_written(each) for each in arguments)})"


def _written(argument: Argument) -> str:
    if isinstance(argument, str):
        return json.dumps(argument, ensure_ascii=False)
    return repr(float(argument)).removesuffix(".0")


def finite(**named: object) -> float:
    """The one number given, if it is one that a double is: others would be written as it is."""
    ((name, value),) = named.items()
    if not isinstance(value, bool) and isinstance(value, Real):
        with suppress(OverflowError):
            found = float(value)
            if math.isfinite(found) and found == value:
                return found
    raise InvalidInput(argument=name, accepted="a finite number", given=repr(value)[:80])


def class_name(**named: object) -> Argument:
    """The one class given: the number or the text that labels of this class are."""
    ((name, value),) = named.items()
    if not isinstance(value, str):
        return finite(**{name: value})
    if has_half_characters(value):
        raise InvalidInput(argument=name, accepted="text of whole characters", given="half of one")
    return value


def width(low: object, high: object) -> float:
    """How far two bounds are apart, if its square is a number too."""
    found = finite(high=high) - finite(low=low)
    if not (found > 0 and _LEAST_SQUARE < found * found < math.inf):
        raise InvalidInput(
            argument="low and high",
            accepted="two numbers, the lower one first, whose distance can be squared",
            given=f"{low!r} and {high!r}",
        )
    return found

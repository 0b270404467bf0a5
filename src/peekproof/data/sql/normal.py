"""How columns of engines become the few kinds that questions know."""

import datetime as dt
from collections.abc import Callable

from peekproof.data.sql.ground import Value
from peekproof.data.sql.layout import Held
from peekproof.data.sql.operations import Operations
from peekproof.query.schema import Kind

Step = Callable[[Value, Operations], Value]

EPOCH = dt.date(1970, 1, 1)


def as_is(value: Value, does: Operations) -> Value:  # noqa: ARG001
    """The value itself."""
    return value


def cast(kind: str) -> Step:
    """The value as another type, by the engine's own cast."""
    return lambda value, _: value.cast(kind)


def numbers(step: Step = as_is, *, with_nan: bool = False) -> Held:
    """A column of numbers, with the step that makes them doubles."""
    return Held(Kind.NUMBER, step, step, with_nan)


def texts(step: Step = as_is) -> Held:
    """A column of text."""
    return Held(Kind.TEXT, step, step)


def flags() -> Held:
    """A column of true and false."""
    return Held(Kind.FLAG, as_is, as_is)


def times(kind: Kind, step: Step) -> Held:
    """A column of dates or moments, with the step that makes them whole numbers since 1970."""
    return Held(kind, lambda value, does: step(value, does).cast("float64"), step)


def finite(value: Value, does: Operations, kind: str, then: Value) -> Value:
    """`then` for a time that is not ±infinity, and null for one that is."""
    ground = does.ground
    test = ground.call("isfinite", f"{kind} > boolean", value)
    return test.ifelse(then, ground.null("int64"))

"""The shape of an expression, found without building it.

Ibis takes milliseconds to build and compile what an engine answers in as many. The code that
builds expressions is run on sketches first: they note what is done to them, and the values that
are given. What was noted is the shape. Questions of the same shape have the same statement, and
their values are its parameters.
"""

from collections.abc import Callable, Sequence
from typing import Any, final

from peekproof.data.sql.ground import Ground, Value

Note = tuple[Any, ...]


@final
class Notes(Ground):
    """A ground on which everything is a sketch. `values` are the parameters, in order."""

    def __init__(self) -> None:
        self.shape: list[Note] = []
        self.values: list[Any] = []

    def literal(self, value: Any, kind: str) -> Value:
        self.values.append(value)
        return self.noted("literal", kind)

    def fixed(self, value: Any, kind: str) -> Value:
        return self.noted("fixed", value, kind)

    def null(self, kind: str) -> Value:
        return self.noted("null", kind)

    def cases(self, cases: Sequence[tuple[Value, Value]], otherwise: Value) -> Value:
        flat = [part for case in cases for part in case]
        return self.noted("cases", *flat, otherwise)

    def call(self, name: str, signature: str, *arguments: Value) -> Value:
        return self.noted("call", name, signature, *arguments)

    def noted(self, *what: Any) -> "Sketch":
        """Note what was done, and to which sketches."""
        self.shape.append(tuple(_plain(each) for each in what))
        return Sketch(self, len(self.shape))


@final
class Sketch:
    """Stands for an expression: the place of a note."""

    __slots__ = ("_notes", "_place")

    def __init__(self, notes: Notes, place: int) -> None:
        self._notes = notes
        self._place = place

    def __getattr__(self, name: str) -> Callable[..., "Sketch"]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given: self._notes.noted(name, self, *given)

    def __hash__(self) -> int:
        return self._place


def _plain(what: Any) -> Any:
    if isinstance(what, Sketch):
        return "sketch", what._place
    if isinstance(what, list | tuple):
        return tuple(_plain(each) for each in what)
    return what


def _operator(name: str) -> Callable[..., Sketch]:
    def done(self: Sketch, *others: Any) -> Sketch:
        return self._notes.noted(name, self, *others)

    return done


for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "invert", "getitem"),
    *("and", "or", "lt", "le", "gt", "ge", "eq", "ne"),
):
    setattr(Sketch, f"__{_name}__", _operator(_name))

"""What expressions are made of: literals, cases and functions of the engine."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import ibis

Value = Any  # Ibis gives its expressions their methods by type, which no checker follows.


class Ground:
    """Expressions of Ibis with their literals in them."""

    def literal(self, value: Any, kind: str) -> Value:
        """A value that a question gives, or that follows from one."""
        return self.fixed(value, kind)

    def fixed(self, value: Any, kind: str) -> Value:
        """A value that is the same for all questions of a shape."""
        return ibis.literal(value, type=kind)

    def null(self, kind: str) -> Value:
        """No value."""
        return ibis.null(kind)

    def cases(self, cases: Sequence[tuple[Value, Value]], otherwise: Value) -> Value:
        """The value of the first case whose condition is true."""
        return ibis.cases(*cases, else_=otherwise)

    def call(self, name: str, signature: str, *arguments: Value) -> Value:
        """A function of the engine, with types such as "string, int32 > boolean"."""
        return _function(name, signature)(*arguments)


@cache
def _function(name: str, signature: str) -> Any:
    given, _, result = signature.partition(" > ")
    kinds = tuple(ibis.dtype(kind) for kind in given.split(", "))
    unnamed = _UNNAMED[len(kinds)]
    return ibis.udf.scalar.builtin(unnamed, name=name, signature=(kinds, ibis.dtype(result)))


# Ibis reads the number of arguments off a function.
_UNNAMED: dict[int, Any] = {
    1: lambda _: ...,
    2: lambda _, _a: ...,
    3: lambda _, _a, _b: ...,
}

"""The registry of theorems: what is claimed, where it is proved, which function computes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, final

from peekproof.core.sources import SOURCES

P = ParamSpec("P")
R = TypeVar("R")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A statement that the package relies on."""

    key: str
    source: str
    locator: str
    statement: str
    holds_when: str
    function: str

    @property
    def citation(self) -> str:
        return f"{SOURCES[self.source]} ({self.locator})"


_registry: dict[str, Theorem] = {}


def theorem(key: str, source: str, locator: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function as the code of the theorem `key`.

    The statement is the first line of its docstring, the proviso its `Holds when:` paragraph;
    a function without them, or a key used twice, is a programming error.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name = f"{function.__module__}.{function.__qualname__}"
        paragraphs = (function.__doc__ or "").split("Holds when:")
        if len(paragraphs) != 2 or not paragraphs[0].strip():
            raise TypeError(f"{name} needs a docstring with one 'Holds when:' paragraph")
        if key in _registry and _registry[key].function != name:
            raise TypeError(f"theorem {key} is registered twice")
        if source not in SOURCES:
            raise TypeError(f"{name} cites an unknown source {source!r}")
        _registry[key] = Theorem(
            key=key,
            source=source,
            locator=locator,
            statement=paragraphs[0].strip().splitlines()[0],
            holds_when=" ".join(paragraphs[1].split("Rounds:")[0].split()),
            function=name,
        )
        return function

    return register


def lookup(key: str) -> Theorem:
    """The registered theorem with this key."""
    return _registry[key]


def registered() -> tuple[Theorem, ...]:
    """All theorems whose modules have been imported, by key."""
    return tuple(_registry[key] for key in sorted(_registry))

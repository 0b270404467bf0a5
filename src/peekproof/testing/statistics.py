"""Statistical tests whose rate of false alarms (failures on correct code) is stated and bounded.

A test declares its share with `@statistical(false_alarm=…)` and compares p-values with it. The
shares of all tests are summed. Every p-value here is a finite-sample bound, not an approximation,
so the share is honest. `Violation` is what a conformance law raises: an AssertionError, so that
every test runner shows it.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from peekproof.audit.evidence import excess_p_value, fit_p_value, mean_deviation
from peekproof.core.errors import InvalidInput

__all__ = [
    "declared_false_alarms", "excess_p_value", "fit_p_value", "mean_deviation", "statistical",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")

_declared: dict[str, float] = {}


def statistical(*, false_alarm: float) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare how often a test may fail although the code is right."""
    if not 0 < false_alarm < 1:
        raise InvalidInput(
            argument="false_alarm", accepted="between 0 and 1", given=repr(false_alarm)
        )

    def declare(test: Callable[P, R]) -> Callable[P, R]:
        _declared[f"{test.__module__}.{test.__qualname__}"] = false_alarm
        return test

    return declare


def declared_false_alarms() -> dict[str, float]:
    """The share of every declared test that has been imported."""
    return dict(_declared)


class Violation(AssertionError):
    """A law that an implementation breaks."""


def require(holds: object, message: str) -> None:
    """Raise unless it holds."""
    if not holds:
        raise Violation(message)

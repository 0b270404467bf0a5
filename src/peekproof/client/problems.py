"""Problems that a gateway states, as the errors that a session here would raise."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from peekproof.core.errors import GatewayUnavailable, PeekproofError, problems

_TYPES = "/v1/problems/"
_LONGEST = 1000  # characters of what a gateway says in words of its own


def error_in(body: bytes, *, status: int, address: str) -> PeekproofError:
    """The error that the body of a response states."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not str(problem.get("type", "")).startswith(_TYPES):
        return GatewayUnavailable(
            problem=f"{address} answers {status}, and not as a gateway does",
            hint="check the address",
        )
    return error_of(problem)


def error_of(problem: Mapping[str, Any]) -> PeekproofError:
    """The error that a problem stands for; one that this version does not know keeps its words."""
    kind = problems().get(str(problem["type"]).removeprefix(_TYPES))
    fields = problem.get("fields")
    if kind is not None and isinstance(fields, dict):
        known = kind.__dataclass_fields__
        given = {name: value for name, value in fields.items() if name in known}
        try:
            return kind(**{name: _typed(value, known[name].type) for name, value in given.items()})
        except (TypeError, ValueError, ZeroDivisionError):
            pass
    return GatewayUnavailable(
        problem=f"the gateway says: {str(problem.get('detail', 'nothing more'))[:_LONGEST]}",
        hint="its own log tells its custodian more",
    )


def _typed(value: object, kind: object) -> object:
    if kind in (Fraction, "Fraction"):
        return Fraction(str(value))
    if kind in (int, "int"):
        return int(str(value))
    if kind in (str, "str"):  # also where a gateway says something else
        return str(value)
    if kind in (float, "float"):
        # Numbers that are not finite have no place in JSON.
        return float("inf") if value is None else float(str(value))
    return value

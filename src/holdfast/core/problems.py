"""Names under which errors travel between processes."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from holdfast.core import gateway_errors, refusals, witness_errors
from holdfast.core.errors import HoldfastError

# Errors are found among the subclasses of the root, so the modules that define them are needed.
_DEFINED_IN = (gateway_errors, refusals, witness_errors)


def problem_name(kind: type[HoldfastError]) -> str:
    """`BudgetExhausted` as `budget-exhausted`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


@cache
def problems() -> Mapping[str, type[HoldfastError]]:
    """Every error by the name under which it travels."""
    return {problem_name(kind): kind for kind in _below(HoldfastError)}


def _below(kind: type[HoldfastError]) -> Iterator[type[HoldfastError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)

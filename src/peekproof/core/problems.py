"""Names under which errors travel between processes."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from peekproof.core import gateway_errors, refusals, witness_errors
from peekproof.core.errors import PeekproofError

# Errors are found among the subclasses of the root, so the modules that define them are needed.
_DEFINED_IN = (gateway_errors, refusals, witness_errors)


def problem_name(kind: type[PeekproofError]) -> str:
    """`BudgetExhausted` as `budget-exhausted`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


@cache
def problems() -> Mapping[str, type[PeekproofError]]:
    """Every error by the name under which it travels."""
    return {problem_name(kind): kind for kind in _below(PeekproofError)}


def _below(kind: type[PeekproofError]) -> Iterator[type[PeekproofError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)

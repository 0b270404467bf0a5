"""Whether two functions say the same, as far as that can be seen."""

from collections.abc import Callable
from types import CodeType, FunctionType


def same_function(one: Callable[..., object], other: Callable[..., object]) -> bool:
    """Whether they are one function, or were written alike: defined again, say, in a notebook."""
    if one is other:
        return True
    if not isinstance(one, FunctionType) or not isinstance(other, FunctionType):
        return type(one) is type(other) and bool(one == other)
    try:
        return bool(_said(one) == _said(other))
    except ValueError:  # what they close over cannot be compared
        return False


def _said(function: FunctionType) -> tuple[object, ...]:
    inside = tuple(each.cell_contents for each in function.__closure__ or ())
    return _code(function.__code__), function.__defaults__, function.__kwdefaults__, inside


def _code(code: CodeType) -> tuple[object, ...]:
    """What it does; not in which line it stands."""
    constants = tuple(
        _code(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts
    )
    return code.co_code, code.co_names, constants

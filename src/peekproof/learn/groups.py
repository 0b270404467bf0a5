"""Conditions about groups and labels, written as questions are."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import cast

from peekproof.core.errors import InvalidInput
from peekproof.learn.held import LABEL

Value = bool | int | float | str


def columns_of(groups: object) -> Mapping[str, object]:
    """The columns of a dictionary or of a data frame, by their names."""
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        return groups
    if hasattr(groups, "columns") and hasattr(groups, "__getitem__"):
        return {str(name): groups[name] for name in groups.columns}
    raise InvalidInput(
        argument="groups",
        accepted='columns by their names, as {"region": regions}, or a data frame',
        given=f"a {type(groups).__name__}",
    )


def is_value(column: str, value: Value) -> str:
    """The condition that a column has a value."""
    if not column or "`" in str(column):
        raise InvalidInput(
            argument="column", accepted="the name of a group, without `", given=repr(column)[:80]
        )
    if isinstance(value, bool):
        return f"`{column}`" if value else f"not `{column}`"
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"`{column}` = '{quoted}'"
    if isinstance(value, Real):
        return f"`{column}` = {float(value)!r}"
    raise InvalidInput(
        argument="values", accepted="texts, numbers, or true and false", given=repr(value)[:80]
    )


def is_class(named: float | str) -> str:
    """The condition that the label is a class."""
    return is_value(LABEL, named)


def both(one: str, other: str) -> str:
    """The condition that two hold; an empty one always does."""
    return f"({one}) and ({other})" if one else other


def listed(values: Iterable[Value]) -> tuple[Value, ...]:
    """The values of a group, which must be told: they are never read off the rows."""
    found = () if isinstance(values, str) else tuple(_plain(each) for each in values)
    if not found or len(set(found)) < len(found):
        raise InvalidInput(
            argument="values",
            accepted="the values of the group, each once",
            given=repr(values)[:80],
        )
    return found


def _plain(value: Value) -> Value:
    """A value of an array as Python has it."""
    return cast(Value, value.item()) if hasattr(value, "item") else value

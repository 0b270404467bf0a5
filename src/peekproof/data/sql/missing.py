"""What is wrong with the name of a table."""

from collections.abc import Iterable
from difflib import get_close_matches

from peekproof.core.errors import DataError


def no_such_table(source: str, wanted: str, known: Iterable[str]) -> DataError:
    """There is no table of this name, but perhaps one that is spelled nearly so."""
    names = sorted(set(known))
    near = get_close_matches(wanted, names, n=3) or names[:3]
    hint = f"there is {', '.join(near)}" if near else "it has no tables that this user can see"
    return DataError(source=source, problem=f"has no table {wanted}", hint=hint)


def not_a_table(source: str, wanted: str, kind: str) -> DataError:
    """Something of this name is there, whose rows may differ from one question to the next."""
    return DataError(
        source=source,
        problem=f"has {wanted} as a {kind}, whose rows can differ between two questions",
        hint="name a table or a materialised view, for example one made from it",
    )


def no_columns(source: str) -> DataError:
    """Nothing in the table can be asked about."""
    return DataError(
        source=source,
        problem="has no columns of numbers, text, flags or times",
        hint="columns of other types cannot be asked about",
    )


def no_rows(source: str) -> DataError:
    """The table is empty."""
    return DataError(
        source=source,
        problem="has no rows",
        hint="there is nothing to learn about a population from 0 rows",
    )

"""What an analyst may know of a table before asking: names and kinds of columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import final


class Kind(Enum):
    """How a column takes part in questions."""

    NUMBER = "number"
    TEXT = "text"
    FLAG = "true/false"
    DATE = "date"
    MOMENT = "date and time"
    OTHER = "unsupported"


@final
@dataclass(frozen=True, slots=True)
class Schema:
    """Columns by name, and what was declared of them. Public.

    `categories` are the values that a text column has, and the `complete` columns have a value in
    every row, a finite one if it is a number. Neither is ever read off the rows.
    """

    columns: Mapping[str, Kind]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    complete: frozenset[str] = frozenset()

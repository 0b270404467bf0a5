"""What an analyst may know of a table before asking: names and kinds of columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import final


class Kind(Enum):
    """How a column takes part in questions."""

    NUMBER = "number"
    TEXT = "text"
    FLAG = "true/false"
    OTHER = "unsupported"


@final
@dataclass(frozen=True, slots=True)
class Schema:
    """Columns by name. Public."""

    columns: Mapping[str, Kind]

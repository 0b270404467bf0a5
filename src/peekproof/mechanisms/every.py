"""All mechanisms of this package by name; whoever needs only the names imports none of them."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

# Where those of other packages are found.
ENTRY_POINTS = "peekproof.mechanisms"

# Where ours are defined, which registers them. In the order in which lists name them.
OWN: Mapping[str, str] = MappingProxyType(
    {
        "gaussian": "peekproof.mechanisms.gaussian",
        "truncation": "peekproof.mechanisms.truncation",
        "fresh-rows": "peekproof.mechanisms.fresh_rows",
        "laplace": "peekproof.mechanisms.laplace",
        "checking": "peekproof.mechanisms.checking",
        "limited-checking": "peekproof.mechanisms.limited_checking",
        "thresholdout": "peekproof.mechanisms.thresholdout",
        "open-ended": "peekproof.mechanisms.open_ended",
    }
)


def mechanism_names() -> tuple[str, ...]:
    """The names of all that are installed, ours first."""
    return (*OWN, *sorted(each.name for each in entry_points(group=ENTRY_POINTS)))

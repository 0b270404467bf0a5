"""Who takes part: one module for each package, with one function for each family."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

from accounting.question import Question

# upper: claimed to be never too small. exact: a closed form in floats, no direction claimed.
# estimate: no claim. lower: claimed to be never too large; it shows what no upper bound can beat.
Kind = Literal["upper", "exact", "estimate", "lower"]
OURS = "ours"
MODULES = (
    OURS,
    "peer_dp_accounting",
    "peer_autodp",
    "peer_prv_accountant",
    "peer_opendp",
    "peer_diffprivlib",
)


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """How one accountant answers one question."""

    kind: Kind
    call: Callable[[], float]


def contenders(module: str, question: Question) -> dict[str, Contender]:
    """The accountants of one module that can answer, by name; none where it has no way to."""
    family = getattr(importlib.import_module(f"accounting.{module}"), question.family, None)
    found: dict[str, Contender] = family(question.count) if family else {}
    return found


def unusable() -> dict[str, str]:
    """The modules whose package cannot be imported, and why."""
    reasons = {}
    for module in MODULES:
        try:
            importlib.import_module(f"accounting.{module}")
        except Exception as error:
            reasons[module] = f"{type(error).__name__}: {error}"
    return reasons

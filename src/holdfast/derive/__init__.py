"""What follows from answers, for free: they hold together, so any function of them does too."""

from holdfast.derive.clip import clip
from holdfast.derive.derived import Answered, Derived
from holdfast.derive.isotonic import isotonic
from holdfast.derive.linear import difference, total, weighted
from holdfast.derive.range import Range
from holdfast.derive.ratio import conditional, ratio
from holdfast.derive.simplex import project, project_at_most

__all__ = [
    "Answered",
    "Derived",
    "Range",
    "clip",
    "conditional",
    "difference",
    "isotonic",
    "project",
    "project_at_most",
    "ratio",
    "total",
    "weighted",
]

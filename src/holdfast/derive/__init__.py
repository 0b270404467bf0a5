"""What follows from answers, for free: they hold together, so any function of them does too."""

from holdfast.derive.clip import clip
from holdfast.derive.derived import Answered, Derived
from holdfast.derive.isotonic import isotonic
from holdfast.derive.linear import affine, difference, total, weighted
from holdfast.derive.range import Range
from holdfast.derive.ratio import conditional, portion, ratio
from holdfast.derive.simplex import project, project_at_most

__all__ = [
    "Answered",
    "Derived",
    "Range",
    "affine",
    "clip",
    "conditional",
    "difference",
    "isotonic",
    "portion",
    "project",
    "project_at_most",
    "ratio",
    "total",
    "weighted",
]

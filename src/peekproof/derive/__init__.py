"""What follows from answers, for free: they hold together, so any function of them does too."""

from peekproof.derive.conditional import JointCertificate
from peekproof.derive.derived import Answered, Derived, Range
from peekproof.derive.histogram import isotonic, project, project_at_most
from peekproof.derive.linear import (
    affine,
    clip,
    conditional,
    difference,
    portion,
    ratio,
    total,
    weighted,
)

__all__ = [
    "Answered",
    "Derived",
    "JointCertificate",
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

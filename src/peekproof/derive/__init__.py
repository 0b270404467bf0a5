"""What follows from answers, for free: they hold together, so any function of them does too."""

from peekproof.derive.certified import JointCertificate
from peekproof.derive.clip import clip
from peekproof.derive.derived import Answered, Derived
from peekproof.derive.isotonic import isotonic
from peekproof.derive.linear import affine, difference, total, weighted
from peekproof.derive.range import Range
from peekproof.derive.ratio import conditional, portion, ratio
from peekproof.derive.simplex import project, project_at_most

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

"""All mechanisms of this package: importing them registers them."""

from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.mechanisms.truncation import Truncation

__all__ = [
    "Checking", "FreshRows", "Gaussian", "Laplace", "LimitedChecking", "OpenEnded", "Thresholdout",
    "Truncation",
]  # fmt: skip

"""One way through the house: from a question to an answer that holds."""

from holdfast.session.opening import open
from holdfast.session.session import Session

__all__ = ["Session", "open"]

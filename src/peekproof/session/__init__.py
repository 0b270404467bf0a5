"""One way through the house: from a question to an answer that holds."""

from peekproof.session.opening import open
from peekproof.session.session import Session

__all__ = ["Session", "open"]

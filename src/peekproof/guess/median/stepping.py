"""The fastest way to step that is installed."""

from importlib.util import find_spec

from peekproof.guess.median.chains import Stepping
from peekproof.guess.median.vectorised import Vectorised


def fastest() -> Stepping:
    """Compiled steps if Numba is there and works, otherwise vectorised ones: the same numbers."""
    if find_spec("numba") is None:
        return Vectorised
    try:
        from peekproof.guess.median.compiled import Compiled  # noqa: PLC0415 (optional, slow)
    except (ImportError, RuntimeError):
        # Numba refuses a NumPy that it does not know, and a disk on which it can keep nothing.
        return Vectorised
    return Compiled

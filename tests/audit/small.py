"""The demonstration at a size for tests."""

from fractions import Fraction

import pytest

from peekproof.audit import demonstration
from peekproof.audit.figures import demo as figure
from peekproof.cli import demo

ROWS = 600
FEATURES = 8
CHECKPOINTS = (4, 8)
SIGNAL = "x3"

_SIZES = {
    "ROWS": ROWS,
    "FEATURES": FEATURES,
    "CHECKPOINTS": CHECKPOINTS,
    "NOISE_ONLY_SIGMA": Fraction(1, 50),
    "SIGNAL_FEATURE": 3,
    # Its interval excludes one half unless the noise strays by more than 8 deviations.
    "SIGNAL_SHARE": 1.0,
}


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the story small in every module that knows its size."""
    for module in (demonstration, figure, demo):
        for name, value in _SIZES.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)

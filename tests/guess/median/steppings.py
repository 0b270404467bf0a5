"""Both ways to step, for tests that must hold for each."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from peekproof.guess.median.sampled import Bounds, Stepper, Vectorised

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="compiled steps need Numba (the extra fast)"
)


def compiled(bounds: Bounds) -> Stepper:
    from peekproof.guess.median.compiled import Compiled  # noqa: PLC0415 (optional)

    return Compiled(bounds)


each_stepping = pytest.mark.parametrize(
    "stepping", [Vectorised, pytest.param(compiled, marks=needs_numba)]
)

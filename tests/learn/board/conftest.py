"""Boards let go of their files when a test ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from learn.board.contests import OPEN


@pytest.fixture(autouse=True)
def _released() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().release()

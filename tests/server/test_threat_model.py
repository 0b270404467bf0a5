"""The threat model names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parents[1] / "docs" / "explanation" / "threat-model.md"


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text()))
    defined = {
        name
        for folder in ("server", "client", "adversary")
        for file in (TESTS.parent / folder).glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)
    }
    assert len(named) > 30
    assert named - defined == set()


def test_every_defence_names_a_test() -> None:
    _, _, rest = PAGE.read_text().partition("## What is defended")
    rows = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    assert len(rows) > 15
    assert [row for row in rows[1:] if "`test_" not in row] == []

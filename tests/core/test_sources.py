"""Every source is cited in full and used."""

import runpy
from pathlib import Path

import pytest

from peekproof.core.theorem import SOURCES, registered

ROOT = Path(__file__).parents[2]


def test_every_source_is_cited_by_some_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    # Theorems register when their modules are imported; other tests may not have done so.
    runpy.run_path(str(ROOT / "docs/generate_theorems.py"))["import_all"]()

    assert {theorem.source for theorem in registered()} == set(SOURCES)


def test_every_published_source_names_its_year() -> None:
    for key, text in SOURCES.items():
        year = key.rpartition("-")[2]
        assert key == "peekproof" or (year.isdigit() and year in text)

"""Every source is cited in full and used."""

from holdfast.accounting import clock
from holdfast.core.sources import SOURCES
from holdfast.core.theorem import registered
from holdfast.theory import drift, population, shortfall

PROVIDERS = (clock, drift, population, shortfall)  # imported so that their theorems register


def test_every_source_is_cited_by_some_theorem() -> None:
    assert {theorem.source for theorem in registered()} == set(SOURCES)


def test_every_published_source_names_its_year() -> None:
    for key, text in SOURCES.items():
        year = key.rpartition("-")[2]
        assert key == "holdfast" or (year.isdigit() and year in text)

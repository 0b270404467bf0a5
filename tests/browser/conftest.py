"""A browser, gateways and visitors for the tests of this folder.

They run only with PEEKPROOF_BROWSER=1: they need Chromium, and minutes. Nothing of a browser is
imported otherwise. PEEKPROOF_BROWSER_GATEWAY=postgres has them use PostgreSQL and four workers.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from browser.sites import Site, Sites
    from browser.visitors import Visitors

ASKED_FOR = bool(os.environ.get("PEEKPROOF_BROWSER"))
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class NotAskedFor(pytest.Module):
    """A file of tests that is not even imported."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        pytest.skip("tests in a browser run with PEEKPROOF_BROWSER=1, or by make browser")


if not ASKED_FOR:

    def pytest_pycollect_makemodule(
        module_path: Path, parent: pytest.Collector
    ) -> pytest.Module | None:
        module: pytest.Module = NotAskedFor.from_parent(parent, path=module_path)
        return module


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    expect.set_options(timeout=15_000)  # only so that what never comes fails
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def lasting_sites(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sites]:
    """Starts gateways that several tests share."""
    from browser.sites import POSTGRES, Sites  # noqa: PLC0415

    database = request.getfixturevalue("any_database") if POSTGRES else None
    with Sites(tmp_path_factory, database) as found:
        yield found


@pytest.fixture
def sites(lasting_sites: Sites) -> Iterator[Sites]:
    """Starts gateways for one test, and ends them with it."""
    with lasting_sites.for_one_test() as found:
        yield found


@pytest.fixture(scope="session")
def site(lasting_sites: Sites) -> Site:
    """A gateway that tests share: they ask different questions, and there is enough for all."""
    folder = lasting_sites.folder()
    rows = lasting_sites.flights(folder, questions=500, about="made up for tests")
    return lasting_sites.start(folder, rows)


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Visitors]:
    """Opens pages, each in a context of its own; fails the test if one of them misbehaved."""
    from browser.visitors import Visitors  # noqa: PLC0415

    with Visitors(browser) as found:
        yield found

"""Databases for tests, as fixtures of the whole suite."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ledger.postgres_server import GIVEN, Database, Given, Own, server

CLEAN = "SET lock_timeout = '10s'; DROP SCHEMA IF EXISTS peekproof CASCADE"


@pytest.fixture(scope="session")
def own_server() -> Iterator[Own]:
    """A server that tests may stop. Each process of a test run has one, if it needs one."""
    with server() as own:
        yield own


@pytest.fixture(scope="session")
def own_database(own_server: Own) -> Iterator[Database]:
    with own_server.database() as made:
        yield made


@pytest.fixture(scope="session")
def any_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if GIVEN in os.environ:
        with Given(os.environ[GIVEN]).database() as made:
            yield made
    else:
        yield request.getfixturevalue("own_database")


@pytest.fixture
def own(own_database: Database) -> Iterator[Database]:
    """A database without ledgers, on a server that tests may stop."""
    yield own_database
    own_database.execute(CLEAN)


@pytest.fixture
def database(any_database: Database) -> Iterator[Database]:
    """A database without ledgers."""
    yield any_database
    any_database.execute(CLEAN)

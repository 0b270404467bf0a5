"""A cluster for the tests of this folder: two executors, which are processes of their own.

The folder is collected only with PEEKPROOF_SPARK=1: it needs Java, and minutes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = os.environ.get("PEEKPROOF_SPARK_MASTER", "local-cluster[2,1,1024]")

collect_ignore_glob = [] if os.environ.get("PEEKPROOF_SPARK") else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What PySpark says about versions of pandas is no concern of these tests."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[SparkSession]:
    """A session on the cluster that every address of these tests shares."""
    from peekproof.data.spark.cluster import connected  # noqa: PLC0415

    lease = connected(MASTER, source="the tests")
    yield lease.session
    lease.end()

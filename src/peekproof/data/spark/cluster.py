"""Sessions on a Spark cluster: the user's, or one that was started for an address.

Questions run in a session of their own, so that they mean the same whatever the user has set,
and the user's settings stay as they are.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, final

from peekproof.core.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTRA = "pip install 'peekproof[spark]'"

# No expression may raise on some rows only, and no row may be read in two ways.
MEANING = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    # A literal is what it says: nothing is substituted in it.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    # A set of doubles would tell -0 from 0.
    "spark.sql.optimizer.inSetConversionThreshold": str(2**31 - 1),
    # A damaged or missing file is a failure, not fewer rows; and whether a line of text is
    # damaged may not depend on the columns that a question mentions.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    # Sums of partitions are few: one task adds them up, and nothing is planned anew meanwhile.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 16),
}

# For a cluster started here: logs could quote rows, and a progress bar follows them.
_QUIET = {
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_ALONE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}

_leases: Counter[str] = Counter()


@final
class Lease:
    """A session in use; one that was started here ends with its last lease."""

    def __init__(self, session: "SparkSession", *, started: bool) -> None:
        self.session = session
        application = session.sparkContext.applicationId
        self._application = application if started or application in _leases else ""
        if self._application:
            _leases[self._application] += 1

    def end(self) -> None:
        """Stop what was started here, unless someone else still holds it."""
        application, self._application = self._application, ""
        if not application:
            return
        _leases[application] -= 1
        if not _leases[application]:
            del _leases[application]
            self.session.stop()


def own_session(session: "SparkSession") -> "SparkSession":
    """A session on the same cluster in which expressions mean what questions mean."""
    own = session.newSession()
    for name, value in MEANING.items():
        own.conf.set(name, value)
    return own


def connected(master: str, *, source: str) -> Lease:
    """A session at `master`; what is already connected there is used again."""
    check_installed(source)
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    running = SparkContext._active_spark_context
    if running is not None:
        if running.master != master:
            raise DataError(
                source=source,
                problem=f"is at {master}, but this process already runs Spark at {running.master}",
                hint="a process has one; stop it, or open a frame of the session that runs",
            )
        return Lease(SparkSession.builder.getOrCreate(), started=False)
    _check_java(source)
    settings = {**_QUIET, **_ALONE} if _local(master) else _QUIET
    builder = SparkSession.builder.master(master).appName("peekproof").config(map={**settings})
    try:
        with _surroundings(master):
            return Lease(builder.getOrCreate(), started=True)
    except Exception as error:
        raise DataError(
            source=source,
            problem=f"cannot be reached ({type(error).__name__})",
            hint=f"is a Spark master listening at {master}?",
        ) from error


def _local(master: str) -> bool:
    return master.startswith("local")


@contextmanager
def _surroundings(master: str) -> Iterator[None]:
    """What a cluster on this machine inherits: this Python, and no other machine."""
    import pyspark  # noqa: PLC0415

    before = dict(os.environ)
    if _local(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def check_installed(source: str) -> None:
    """Raise DataError unless everything that Spark takes is there."""
    try:
        import ibis  # noqa: PLC0415
        import pandas  # noqa: PLC0415
        import pyarrow  # noqa: PLC0415
        import pyspark  # noqa: PLC0415
    except ImportError as error:
        raise DataError(
            source=source,
            problem=f"needs Spark, and {error.name} is not installed",
            hint=EXTRA,
        ) from error
    del ibis, pandas, pyarrow, pyspark


def _check_java(source: str) -> None:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if found is None:
        where = f"JAVA_HOME = {home} has none" if home else "there is none on the PATH"
        raise DataError(
            source=source,
            problem=f"needs Java, and {where}",
            hint="install Java 17 or newer, or set JAVA_HOME to where it is",
        )

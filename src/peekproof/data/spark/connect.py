"""Opening rows on Spark: a frame the user has, or an address.

spark://HOST:PORT#TABLE                a table of the catalogue
spark://HOST:PORT#/data/flights        a path: Parquet, or CSV if it says so
spark://local[2]#flights.parquet       two threads of this process
spark://local-cluster[2,1,1024]#…      two executors on this machine: cores, MB each
"""

import re
from typing import TYPE_CHECKING
from uuid import uuid4

from peekproof.core.errors import DataError, PeekproofError
from peekproof.data.source import Source
from peekproof.data.spark.cluster import Lease, check_installed, connected, own_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEME = "spark://"
_LOCAL = re.compile(r"local(\[[^\]]*\])?|local-cluster\[[^\]]*\]")
_PATH = re.compile(r"/|\.(parquet|pq|csv|tsv|txt)(\.gz)?$", re.IGNORECASE)
_TEXT = re.compile(r"\.(csv|tsv|txt)(\.gz)?/?$", re.IGNORECASE)
_NOTHING = "\ufdd0"  # no text has this; an empty cell is missing, and "" is an empty text
_FORMS = "write spark://HOST:PORT#TABLE, or a path in place of the table"


def open_spark(address: str) -> Source:
    """The rows of a table or path, on the cluster that the address names."""
    place, sign, wanted = address.removeprefix(SCHEME).partition("#")
    if not (address.startswith(SCHEME) and place and sign and wanted):
        raise DataError(source=address, problem="is not an address of rows on Spark", hint=_FORMS)
    lease = connected(place if _LOCAL.fullmatch(place) else SCHEME + place, source=address)
    try:
        rows = _read(own_session(lease.session), wanted, source=address)
        return _held(rows, name=address, lease=lease)
    except BaseException:
        lease.end()
        raise


def from_dataframe(frame: "DataFrame") -> Source:
    """The rows of a frame, on the cluster of its session."""
    name = "the Spark frame"
    check_installed(name)
    from pyspark.sql.classic.dataframe import DataFrame as Classic  # noqa: PLC0415

    if not isinstance(frame, Classic):
        raise DataError(
            source=name,
            problem=f"is a {type(frame).__module__}.{type(frame).__qualname__}",
            hint="give a frame of a session that runs in this process, not of Spark Connect",
        )
    if frame.isStreaming:
        raise DataError(source=name, problem="never ends", hint="give a frame that is no stream")
    return _held(frame, name=name, lease=Lease(frame.sparkSession, started=False))


def _moved(frame: "DataFrame", session: "SparkSession") -> "DataFrame":
    """The same frame in another session: what it means was settled in its own."""
    view = f"peekproof_{uuid4().hex}"
    frame.createGlobalTempView(view)
    try:
        return session.table(f"global_temp.{view}")
    finally:
        session.catalog.dropGlobalTempView(view)


def _read(session: "SparkSession", wanted: str, *, source: str) -> "DataFrame":
    try:
        if not _PATH.search(wanted):
            return session.table(wanted)
        if not _TEXT.search(wanted):
            return session.read.parquet(wanted)
        return _text(session, wanted)
    except Exception as error:
        raise DataError(
            source=source,
            problem=f"cannot be read ({type(error).__name__})",
            hint="name a table of the catalogue, or a path that every executor can read",
        ) from error


def _text(session: "SparkSession", wanted: str) -> "DataFrame":
    """Text as Peekproof reads it elsewhere: quotes are doubled, and no cell becomes a date."""
    from pyspark.sql import types as spark  # noqa: PLC0415

    reader = session.read.options(
        sep="\t" if ".tsv" in wanted.lower() else ",",
        header=True,
        mode="FAILFAST",
        escape='"',
        multiLine=True,
        nullValue=_NOTHING,
        emptyValue="",
    )
    found = reader.option("inferSchema", True).csv(wanted).schema
    dated = (spark.DateType, spark.TimestampType, spark.TimestampNTZType)
    kept = [
        spark.StructField(each.name, spark.StringType())
        if isinstance(each.dataType, dated)
        else each
        for each in found
    ]
    return reader.csv(wanted, schema=spark.StructType(kept))


def _held(frame: "DataFrame", *, name: str, lease: Lease) -> Source:
    from peekproof.data.spark.columns import columns_of  # noqa: PLC0415
    from peekproof.data.spark.rows import (  # noqa: PLC0415
        Files,
        SparkRows,
        made_of_files,
    )

    columns = columns_of(frame, source=name)
    try:
        steady = made_of_files(frame)
        own = _moved(frame if steady else _set_down(frame), own_session(frame.sparkSession))
        files = Files(own) if steady else None
        held = SparkRows(own, columns, name=name, lease=lease, files=files)
    except PeekproofError:
        raise
    except Exception as error:
        # Spark's own words may quote a cell; they stay in the chained exception.
        raise DataError(
            source=name,
            problem=f"cannot be read ({type(error).__name__})",
            hint="every executor has to read all of its rows",
        ) from error
    if not held.rows:
        raise DataError(
            source=name,
            problem="has no rows",
            hint="there is nothing to learn about a population from 0 rows",
        )
    return held


def _set_down(frame: "DataFrame") -> "DataFrame":
    """The rows as they are now, on disks of the cluster.

    Where the context has a folder for checkpoints they outlive executors; else they lie with the
    executors, and a lost one makes questions fail rather than read other rows.
    """
    if frame.sparkSession.sparkContext.getCheckpointDir() is not None:
        return frame.checkpoint(eager=True)
    return frame.localCheckpoint(eager=True)

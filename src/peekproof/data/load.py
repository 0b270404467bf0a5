"""Loading of tables: files, data frames and database addresses become sources of rows.

Anything tabular becomes a Polars frame with four kinds of columns. Numbers become doubles and NaN
becomes null, so that every engine can agree on every count; text and true/false columns and dates
stay as they are; moments are in UTC and microseconds; times of a day and durations stay for the
fingerprint but cannot be asked about; nested and binary columns are left out.

A text that names data means a file, several files, or a table in a database. Rows of files are
read into memory if they fit, and otherwise stay in their files.
"""

import os
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.data.files import PARQUET, SEPARATORS, csv_types
from peekproof.data.normal import normalised, schema_of
from peekproof.data.scan import scan
from peekproof.data.source import Progress, Source
from peekproof.data.table import Table

if TYPE_CHECKING:
    from ibis import Table as IbisTable
    from pandas import DataFrame as PandasFrame
    from pyspark.sql import DataFrame as SparkFrame


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_address(source: str | Path) -> bool:
    """Whether it is the address of a table, such as postgresql://host/db#table."""
    return isinstance(source, str) and bool(_SCHEME.match(source))


def is_pattern(source: str | Path) -> bool:
    """Whether it stands for several files: a folder, or a pattern like flights-*.parquet."""
    path = Path(source)
    if not str(source):
        return False  # nothing at all is not the folder where the program runs
    return path.is_dir() or (not path.exists() and bool(set("*?[") & set(str(source))))


def scheme_of(address: str) -> str:
    """What comes before the ://, in small letters."""
    return address.partition("://")[0].lower()


def shown(address: str) -> str:
    """The address as messages may show it: without a user, a password or options."""
    scheme, _, rest = address.partition("://")
    # What is before the last @ may all be a password, also with a # in it.
    place, _, table = rest.rpartition("@")[2].partition("#")
    host = place.partition("?")[0]
    return f"{scheme}://{host}#{table}" if table else f"{scheme}://{host}"


VARIABLE = "PEEKPROOF_MEMORY"

# How many times its size a file may take while it is read: Parquet is compressed, and CSV is
# there as text and as numbers at once.
_PARQUET_GROWS, _TEXT_GROWS = 4, 2
_UNKNOWN = 4 * 2**30
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def fits(path: str | Path) -> bool:
    """Whether one file has room in memory; PEEKPROOF_MEMORY says how much there is, as in 8GB."""
    file = Path(path)
    grows = _PARQUET_GROWS if file.suffix.lower() in PARQUET else _TEXT_GROWS
    return file.stat().st_size * grows <= memory()


def memory() -> int:
    """Bytes that may be used: as the environment says, or else what is free."""
    given = os.environ.get(VARIABLE, "").strip()
    return _bytes(given) if given else _available()


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", text.lower())
    if found is None:
        accepted = "a number of bytes such as 500MB or 8GB"
        raise InvalidInput(argument=VARIABLE, accepted=accepted, given=text[:80])
    return int(Fraction(found[1]) * 1024 ** _UNITS[found[2]])


def _available() -> int:
    try:
        found = re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())
        free = int(found[1]) * 1024 if found else _UNKNOWN
    except OSError:
        free = _physical()
    return min(free, _allowed())


def _physical() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _allowed() -> int:
    """What the group of processes may use in all, on Linux."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return 2**63


_ACCEPTED = (
    "give a CSV or Parquet file, a pandas, Polars or Arrow table, or a dict of equally long arrays"
)


def load(source: object, *, progress: Progress | None = None) -> Source:
    """The rows of `source`, where they are if they are too many to be read into memory.

    `progress` is told how much of how much is done, whenever an engine reads all of them.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str) and is_address(source):
        return _at(source, progress)
    match type(source).__module__.partition(".")[0]:
        case "ibis":
            from peekproof.data.sql.address import from_ibis  # noqa: PLC0415 (an extra)

            return from_ibis(cast("IbisTable", source), progress=progress)
        case "pyspark":
            from peekproof.data.spark.connect import from_dataframe  # noqa: PLC0415 (an extra)

            return from_dataframe(cast("SparkFrame", source))
    if isinstance(source, str | Path) and _stays_outside(source):
        return scan(source, progress=progress)
    return in_memory(source, progress=progress)


def _stays_outside(source: str | Path) -> bool:
    try:
        return is_pattern(source) or (Path(source).is_file() and not fits(source))
    except OSError:
        return False  # what is wrong with the path is said where it is read


def _at(address: str, progress: Progress | None) -> Source:
    """The table at an address; each engine is imported only for its own."""
    match scheme_of(address):
        case "duckdb" | "postgresql" | "postgres":
            from peekproof.data.sql.address import open_url  # noqa: PLC0415 (an extra)

            return open_url(address, progress=progress)
        case "spark":
            from peekproof.data.spark.connect import open_spark  # noqa: PLC0415 (an extra)

            return open_spark(address)
        case scheme:
            raise DataError(
                source=shown(address),
                problem=f"has an unknown scheme {scheme!r}",
                hint="write duckdb:///FILE#TABLE, postgresql://HOST/DB#TABLE or "
                "spark://MASTER#TABLE",
            )


def in_memory(source: object, *, progress: Progress | None = None) -> Table:
    """The rows of `source`, read into memory; `progress` is told of questions to them."""
    frame = normal_frame(source)
    return Table(frame, schema_of(frame.schema), progress=progress)


def normal_frame(source: object) -> pl.DataFrame:
    """The rows of `source` as they are held, for what holds them by itself."""
    name = str(source) if isinstance(source, str | Path) else f"the {type(source).__name__}"
    frame = _frame(source, name)
    if frame.width == 0:
        raise DataError(source=name, problem="has no columns", hint=_ACCEPTED)
    if frame.height == 0:
        raise DataError(
            source=name,
            problem="has no rows",
            hint="there is nothing to learn about a population from 0 rows",
        )
    return frame


def given_frame(source: object) -> pl.DataFrame:
    """A table of memory as a Polars frame, with the types that its columns have there."""
    return _given(source, f"the {type(source).__name__}")


def _frame(source: object, name: str) -> pl.DataFrame:
    """The rows as a normal frame."""
    try:
        return normalised(_given(source, name))
    except (DataError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # The reader's own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        raise DataError(source=name, problem=problem, hint=_ACCEPTED) from error


def _given(source: object, name: str) -> pl.DataFrame:
    if isinstance(source, str | Path):
        return _read(Path(source), name)
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if type(source).__module__.partition(".")[0] == "pandas":
        return _from_pandas(cast("PandasFrame", source), name)
    if isinstance(source, Mapping):
        return _from_columns(source, name)
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    raise DataError(source=name, problem="is not a table", hint=_ACCEPTED)


def _read(path: Path, name: str) -> pl.DataFrame:
    if path.is_dir():
        raise DataError(source=name, problem="is a folder", hint="name one CSV or Parquet file")
    if not path.exists():
        raise DataError(source=name, problem="does not exist", hint="check the path")
    if path.stat().st_size == 0:
        raise DataError(source=name, problem="is an empty file", hint=_ACCEPTED)
    match path.suffix.lower():
        case ".parquet" | ".pq":
            return pl.read_parquet(path, glob=False)
        case ".csv" | ".tsv" | ".txt" as suffix:
            # By the types that a scan finds: the same file is the same data in and out of memory.
            separator = SEPARATORS[suffix]
            types = csv_types(path, separator)
            return pl.read_csv(path, schema=types, separator=separator, glob=False)
        case suffix:
            raise DataError(
                source=name,
                problem=f"has an unknown ending {suffix!r}",
                hint="name a .csv, .tsv or .parquet file",
            )


def _from_pandas(source: "PandasFrame", name: str) -> pl.DataFrame:
    """Column by column, so that neither pyarrow nor an index is needed."""
    labels = [str(label) for label in source.columns]
    if len(set(labels)) < len(labels):
        raise _same_names(name)
    columns: dict[str, object] = {}
    for label in source.columns:
        column = source[label]
        plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"
        columns[str(label)] = (
            column.to_numpy()
            if plain
            else column.astype(object).where(column.notna(), None).tolist()
        )
    return _from_columns(columns, name)


def _from_columns(source: Mapping[Any, object], name: str) -> pl.DataFrame:
    """Arrays and lists; a list may mix whole numbers and others, an array may hold objects."""
    if len(set(map(str, source))) < len(source):
        raise _same_names(name)
    columns = {str(label): _own(values) for label, values in source.items()}
    return pl.DataFrame(columns, strict=False)


def _own(values: object) -> object:
    """Values that nobody changes later: Polars shares the memory of an array with its owner."""
    if not isinstance(values, np.ndarray):
        return values
    return values.tolist() if values.dtype.kind == "O" else values.copy()


def _same_names(name: str) -> DataError:
    return DataError(
        source=name,
        problem="has two columns of the same name",
        hint="rename one of them (names are compared as text)",
    )

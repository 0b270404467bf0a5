"""Made-up flights for `peekproof serve --demo`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from peekproof.core.errors import DataError

ROWS = 100_000
SEED = 8417
CARRIERS = {"Albatross": 0.35, "Bunting": 0.3, "Crane": 0.2, "Dipper": 0.15}
ORIGINS = ("Bergen", "Bonn", "Turku", "Ulm")


@contextmanager
def demonstration(folder: Path) -> Iterator[dict[str, object]]:
    """The data set to serve; its file, its ledger and its witness lie in the folder.

    The rows are the same each time, so without a witness of its own a folder that was thrown away
    would still stand against the next.
    """
    from peekproof.ledger.witness import VARIABLE  # noqa: PLC0415 (not for the help)

    file = folder / "flights.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            _write(file)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise DataError(source=str(file), problem=problem, hint="run it elsewhere") from error
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder.absolute() / "witness")
    try:
        yield {
            "source": str(file),
            "mechanism": "gaussian",
            "categories": {"carrier": list(CARRIERS), "origin": list(ORIGINS)},
            "about": f"{ROWS:,} made-up flights: night flights are late more often, and one "
            "carrier is.",
        }
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def _write(file: Path) -> None:
    import numpy as np  # noqa: PLC0415 (not for the help)
    import polars as pl  # noqa: PLC0415

    rng = np.random.default_rng(SEED)
    carrier = rng.choice(list(CARRIERS), ROWS, p=list(CARRIERS.values()))
    night = rng.random(ROWS) < 0.2
    usual = 4 + 9 * night + 6 * (carrier == "Crane")
    columns = {
        "delay": (usual + rng.normal(0, 12, ROWS) + rng.exponential(8, ROWS) - 8).round(),
        "carrier": carrier,
        "origin": rng.choice(ORIGINS, ROWS),
        "month": rng.integers(1, 13, ROWS),
        "night": night,
        "distance": rng.gamma(3, 400, ROWS).round(),
    }
    part = file.with_suffix(".part")
    pl.DataFrame(columns).write_parquet(part)
    part.replace(file)  # all of it, or none: half a file would get a ledger

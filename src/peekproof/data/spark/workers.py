"""Whether the Python workers of a cluster compute the fingerprints of this very version.

They do if the same Peekproof is installed beside them. If only its dependencies are, the package
is sent to them; if not even these are, the rows have to come to the driver.
"""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import peekproof.data as here

if TYPE_CHECKING:
    from pyspark import SparkContext


def prepared(context: "SparkContext") -> bool:
    """Whether all workers agree with this process; sends them the package if they do not."""
    if _agreed(context):
        return True
    context.addPyFile(str(_zipped(Path(context._temp_dir))))
    return _agreed(context)


def _agreed(context: "SparkContext") -> bool:
    probe, several = _probe(), 2 * context.defaultParallelism
    try:
        found = context.parallelize(range(several), several).map(probe).collect()
    except Exception:
        return False  # not even the same Python
    return set(found) == {probe(0)}


def _probe() -> Callable[[int], str]:
    # A function inside a function travels as code: workers need not have this module.
    def probe(_: int) -> str:
        try:
            import polars  # noqa: PLC0415
            import pyarrow  # noqa: PLC0415

            from peekproof.data.spark.marking import of_arrow  # noqa: PLC0415

            cells = {"a": [1.5, None, -0.0], "b": ["", "é", None], "c": [True, None, False]}
            types = {"a": polars.Float64(), "b": polars.String(), "c": polars.Boolean()}
            found = of_arrow([pyarrow.table(cells)], types, {name: name for name in cells})
            return found.digest
        except Exception:
            return ""

    return probe


def _zipped(folder: Path) -> Path:
    package, target = Path(here.__file__).parents[1], folder / "peekproof.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(package.rglob("*.py")):
            archive.write(file, file.relative_to(package.parent))
    return target

"""What it takes to have Peekproof: bytes on disk, time to import, memory.

Run: make bench ARGS="--only footprint"
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

from environments import Environment, prepare
from measure import asked, side_by_side
from peers.told import PEERS, run, versions
from result import Cell, Chart, Result, Sheet

TITLES = {"peekproof": "Peekproof", **PEERS}
IMPORTS = {
    "peekproof": "import peekproof; peekproof.open",  # what is imported by need is imported
    "opendp": "import opendp.prelude",
    "diffprivlib": "import diffprivlib.tools",
    "smartnoise": "import snsql",
}
ROWS, TIMES = 1_000_000, 3
SIZE = "installed, MB"
# What every environment has to begin with.
GIVEN = ("pip", "setuptools", "_distutils_hack", "pkg_resources", "distutils-precedence.pth")
ABOUT = (
    "Each is installed into an environment of its own, with all that it needs and without what is "
    "optional; OpenDP with Polars, for its Context. *Installed* counts bytes before Python "
    "compiles anything. *Import* is the time of a new interpreter that imports it, less that of "
    "one that imports nothing, over the same for NumPy in that environment. *Memory* is the peak "
    "of a process that holds 1,000,000 rows of two numbers and asks three questions, over that of "
    "NumPy by hand there. Less is better in all of them."
)


def megabytes(environment: Environment) -> float:
    """The size of all that was installed; a file with two names counts once."""
    (packages,) = environment.python.parents[1].glob("lib/python*/site-packages")
    sizes = {}
    for path in packages.rglob("*"):
        first = path.relative_to(packages).parts[0]
        if not first.startswith(GIVEN) and path.suffix != ".pyc" and path.is_file():
            status = path.stat()
            sizes[status.st_ino] = status.st_size
    return sum(sizes.values()) / 1e6


def import_ratio(environment: Environment, code: str, *, rounds: int) -> float:
    def runs(given: str) -> Callable[[], object]:
        return lambda: subprocess.run([environment.python, "-c", given], check=True)

    seconds = side_by_side(
        {"nothing": runs("pass"), "numpy": runs("import numpy"), "it": runs(code)}, rounds=rounds
    )
    return (seconds["it"] - seconds["nothing"]) / (seconds["numpy"] - seconds["nothing"])


def peak(python: Path, module: str, rows: int) -> float:
    said = run(python, "-m", f"peers.{module}_asked", "memory", str(rows), str(TIMES))
    if isinstance(said, str):
        raise RuntimeError(said)
    return float(said)


def measured(environment: Environment, *, rounds: int, rows: int) -> dict[str, Cell]:
    name, python = environment.name, environment.python
    return {
        SIZE: round(megabytes(environment), 1),
        "import, over NumPy": import_ratio(environment, IMPORTS[name], rounds=rounds),
        "memory, over NumPy by hand": peak(python, name, rows) / peak(python, "numpy", rows),
    }


def main() -> None:
    given = asked(__doc__)
    rounds, rows = (3, ROWS // 10) if given.quick else (15, ROWS)
    table: dict[str, dict[str, Cell]] = {}
    missing: dict[str, str] = {}
    found: dict[str, str] = {}
    for name, title in TITLES.items():
        environment = prepare(name)
        if environment.failure:
            missing[title] = environment.failure
            continue
        table[title] = measured(environment, rounds=rounds, rows=rows)
        found |= versions(environment.python, name)
    given.keep(
        Result(
            name="footprint",
            title="Size, import and memory",
            about=ABOUT.replace(f"{ROWS:,}", f"{rows:,}"),
            sheets=(Sheet.of("Peekproof beside libraries that answer with noise", table),),
            charts=(Chart("bars", "What has to be installed", SIZE, column=SIZE),),
            missing=missing,
            versions=found,
        )
    )


if __name__ == "__main__":
    main()

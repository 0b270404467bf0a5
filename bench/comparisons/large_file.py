"""Questions about a file ten times as large as the memory that the process may use.

A child process with a limit on its data opens the file and asks; the limit is enforced by the
kernel, and the peak of resident memory is told beside it. How long a pass takes is told as a ratio
to a bare Polars pass over the two columns of most questions, which only adds them up.

Run: make bench-large (ARGS=--quick for a small file)
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from measure import asked, installed
from result import Chart, Result, Sheet
from rich.progress import Progress

SIZE, QUICK_SIZE = 12 * 10**9, 2 * 10**8  # bytes on disk
MEMORY = 10**9  # bytes that the process may use
FREE = 20 * 10**9  # bytes that stay free on the disk
LEAST = 10**8
AT_ONCE = 2_000_000  # rows written at once
COLUMNS = ["age", "income"]


def rows(start: int, count: int) -> pl.DataFrame:
    rng = np.random.default_rng(start)
    cities = pl.Series(["Oslo", "Rome", "Lima", "Cairo", "Quito"])
    return pl.DataFrame(
        {
            "age": rng.uniform(0, 100, count),
            "income": rng.uniform(0, 1e5, count),
            "score": rng.random(count),
            "city": cities.gather(rng.integers(0, 5, count)),
            "well": rng.random(count) < 0.5,
        }
    )


def size_of(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.iterdir())


def write(folder: Path, size: int) -> None:
    """Files are written in parts and read as a folder, so that none has to be held whole."""
    part = 0
    with Progress(transient=True) as bar:
        task = bar.add_task("writing", total=size)
        while (done := size_of(folder)) < size:
            bar.update(task, completed=done)
            path = folder / f"part-{part:05}.parquet"
            rows(part, AT_ONCE).write_parquet(
                path, compression="uncompressed", row_group_size=250_000
            )
            part += 1


def bare_pass(folder: Path) -> float:
    """The seconds of adding the columns up, file by file."""
    start = time.perf_counter()
    for path in sorted(folder.iterdir()):
        pl.scan_parquet(path).select(pl.col(COLUMNS).sum()).collect(engine="streaming")
    return time.perf_counter() - start


def questioned(folder: Path) -> dict[str, Any]:
    """What the child found."""
    command = [sys.executable, "-m", "comparisons.large_file_reader", str(folder), str(MEMORY)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def measured(size: int) -> tuple[Sheet, Sheet]:
    with tempfile.TemporaryDirectory(prefix="peekproof-large-") as name:
        folder = Path(name)
        write(folder, size)
        held = size_of(folder)
        found = questioned(folder)
        bare = bare_pass(folder)
    seconds = found["seconds"]
    times = {
        "Bare Polars pass": bare,
        "Peekproof, one question": seconds["one question"],
        "Peekproof, 100 questions": seconds["100 questions"],
        "Peekproof, opening": seconds["open"],
    }
    memory = {"File": held, "Peekproof, peak of resident memory": found["peak"]}
    return (
        Sheet.of(
            "Time over a bare pass through two columns. Less is better",
            {name: {"over a bare pass": taken / bare} for name, taken in times.items()},
        ),
        Sheet.of(
            f"Bytes of {found['rows']:,} rows, over the memory that the process may use",
            {name: {"over allowed memory": count / MEMORY} for name, count in memory.items()},
        ),
    )


def main() -> None:
    run = asked(__doc__)
    size = QUICK_SIZE if run.quick else SIZE
    room = shutil.disk_usage(tempfile.gettempdir()).free - FREE
    if room < size:
        print(f"the disk has room for {max(room, 0) / 1e9:.1f} GB only")
        size = room
    if size < LEAST:
        raise SystemExit("too little room on the disk")
    run.keep(
        Result(
            name="large_file",
            title="Files larger than memory",
            about=(
                "A process that the kernel allows 1 GB of data opens a folder of Parquet files and "
                "asks one question, then a hundred at once. Opening reads everything, for its "
                "fingerprint; questions read the columns that they mention. Times are over a "
                "bare Polars pass that adds up two columns."
            ),
            sheets=measured(size),
            charts=(
                Chart(
                    kind="bars",
                    title="Passes over files larger than memory",
                    axis="time over a bare Polars pass through two columns",
                    column="over a bare pass",
                ),
            ),
            versions=installed("polars"),
        )
    )


if __name__ == "__main__":
    main()

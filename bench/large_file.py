"""Questions about a file ten times as large as the memory that the process may use.

A child process with a limit on its data (RLIMIT_DATA) opens the file and asks; the limit is
enforced by the kernel, and the peak of resident memory is reported beside it. How long a pass
takes is told as a ratio to a bare Polars pass over the same columns, which only adds them up.

Run: python bench/large_file.py [--bytes 12e9] [--format parquet|csv] [--memory 1e9] [--quick]
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from measure import RESULTS, record
from rich.progress import Progress

from holdfast.data.scan import Scan, scan
from holdfast.query.question import parse_question

FREE = 20 * 10**9  # bytes that stay free on the disk
AT_ONCE = 2_000_000  # rows written at once
COLUMNS = ("age", "income", "score", "city", "well")
QUESTIONS = ("age > 50 and income < 30000",)
BATCH = (
    *(f"age > {20 + each / 10} and income < {90_000 - each}" for each in range(94)),
    "mean(score, 0, 1)",
    "histogram(age, (20, 40, 60, 80))",
    "quantile(income, 0.5, 0, 100000)",
    "city = 'Oslo' or well",
    "histogram(city, ('Oslo', 'Rome'), mean(income, 0, 100000))",
    "score is null",
)
ASKED = ["age", "income"]


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


def write(folder: Path, ending: str, size: int) -> Path:
    """Files are written in parts and read as a folder, so that none has to be held whole."""
    part = 0
    with Progress(transient=True) as bar:
        task = bar.add_task("writing", total=size)
        while (done := sum(each.stat().st_size for each in folder.iterdir())) < size:
            bar.update(task, completed=done)
            frame, path = rows(part, AT_ONCE), folder / f"part-{part:05}.{ending}"
            if ending == "csv":
                frame.write_csv(path)
            else:
                frame.write_parquet(path, compression="uncompressed", row_group_size=250_000)
            part += 1
    return folder


def taken(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - start


def bare_pass(folder: Path) -> float:
    """Add the columns up, file by file."""

    def run() -> None:
        for path in sorted(folder.iterdir()):
            lazy = pl.scan_csv if path.suffix == ".csv" else pl.scan_parquet
            lazy(path).select(pl.col(ASKED).sum()).collect(engine="streaming")

    return taken(run)


def child(folder: Path, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    seconds: dict[str, float] = {}
    with Progress(transient=True) as bar:
        task = bar.add_task("opening", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        start = time.perf_counter()
        source: Scan = scan(folder, progress=progress)
        seconds["open"] = time.perf_counter() - start
        for name, texts in (("one question", QUESTIONS), ("100 questions", BATCH)):
            bar.update(task, description=name, completed=0)
            asked = [parse_question(text, source.schema) for text in texts]
            seconds[name] = taken(lambda asked=asked: source.totals(asked))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"rows": source.rows, "peak_rss": peak, "seconds": seconds}))


def measured(ending: str, size: int, memory: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="holdfast-large-") as name:
        folder = write(Path(name), ending, size)
        held = sum(each.stat().st_size for each in folder.iterdir())
        command = [sys.executable, __file__, "--child", name, "--memory", str(memory)]
        ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        found = json.loads(ran.stdout.splitlines()[-1])
        bare = bare_pass(folder)
    seconds = found["seconds"]
    return {
        "rows": found["rows"],
        "gigabytes": held / 1e9,
        "memory allowed, GB": memory / 1e9,
        "file over memory": held / memory,
        "peak resident, GB": found["peak_rss"] / 1e9,
        "bare pass, s": bare,
        "open, s": seconds["open"],
        "one question, s": seconds["one question"],
        "one question : bare pass": seconds["one question"] / bare,
        "100 questions, s": seconds["100 questions"],
        "100 questions : bare pass": seconds["100 questions"] / bare,
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--bytes", type=float, default=12e9)
    options.add_argument("--memory", type=float, default=1e9)
    options.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--child", type=Path)
    given = options.parse_args()
    if given.child:
        child(given.child, int(given.memory))
        return
    size = 2e8 if given.quick else given.bytes
    room = shutil.disk_usage(tempfile.gettempdir()).free - FREE
    if room < size:
        print(f"the disk has room for {max(room, 0) / 1e9:.1f} GB only")
        size = room
    if size < 1e8:
        raise SystemExit("too little room on the disk")
    result = measured(given.format, int(size), int(given.memory))
    if given.quick:
        print(json.dumps(result, indent=2))
        return
    path = RESULTS / "large_file.json"
    earlier = json.loads(path.read_text()) if path.exists() else {}
    record("large_file", {**earlier, given.format: result})


if __name__ == "__main__":
    main()

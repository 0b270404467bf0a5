"""Opens a folder of files and asks about them, with a limit on its data that the kernel enforces.

A process of its own, because the limit (RLIMIT_DATA) is for good: large_file starts it. The last
line that it prints is what it measured.

Run: python -m comparisons.large_file_reader FOLDER BYTES
"""

import json
import resource
import sys
import time
from pathlib import Path

from rich.progress import Progress

from peekproof.data.scan import scan
from peekproof.query.question import parse_question

QUESTIONS = ("age > 50 and income < 30000",)
BATCH = (
    *(f"age > {20 + each / 10} and income < {90_000 - each}" for each in range(94)),
    "mean(score, 0, 1, 0)",
    "histogram(age, (20, 40, 60, 80))",
    "quantile(income, 0.5, 0, 100000)",
    "city = 'Oslo' or well",
    "histogram(city, ('Oslo', 'Rome'), mean(income, 0, 100000, 0))",
    "score is null",
)


def main() -> None:
    folder, memory = Path(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    seconds: dict[str, float] = {}
    with Progress(transient=True) as bar:
        task = bar.add_task("opening", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        start = time.perf_counter()
        source = scan(folder, progress=progress)
        seconds["open"] = time.perf_counter() - start
        for name, texts in (("one question", QUESTIONS), ("100 questions", BATCH)):
            bar.update(task, description=name, completed=0)
            asked = [parse_question(text, source.schema) for text in texts]
            start = time.perf_counter()
            source.totals(asked)
            seconds[name] = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"rows": source.rows, "peak": peak, "seconds": seconds}))


if __name__ == "__main__":
    main()

"""Every comparison in turn, each in a process of its own, and a page of what they found.

Run: make bench, or python bench/run.py [--quick] [--only NAME ...] [--out FOLDER]
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable

from environments import last_words, prepare, prepare_all
from measure import BENCH, Run, options
from page import COMPARISONS, write
from rich.console import Console

# Packages with an environment of their own; all others run where this runs.
ELSEWHERE = ("accounting",)
PATHS = os.pathsep.join(map(str, (BENCH, BENCH.parent, BENCH.parent / "tests")))
# Who does not keep byte code compiles at every start: that would be what is measured.
KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SURROUNDINGS = {**KEPT, "PYTHONPATH": PATHS}


def compare(name: str, words: Iterable[str]) -> str:
    """Run one comparison; why it failed, or nothing."""
    python, module = sys.executable, f"comparisons.{name}"
    if name in ELSEWHERE:
        environment = prepare(name)
        if environment.failure:
            return environment.failure
        python, module = str(environment.python), name
    done = subprocess.run(
        [python, "-m", module, *words],
        env=SURROUNDINGS,
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.returncode:
        return ""
    Console(stderr=True).print(done.stderr, markup=False, highlight=False)
    return last_words(done.stderr)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help=f"some of {', '.join(COMPARISONS)}"
    )
    given = parser.parse_args()
    names = given.only or COMPARISONS
    unknown = [name for name in names if name not in COMPARISONS]
    if unknown:
        parser.error(f"no comparison {', '.join(unknown)}; there are {', '.join(COMPARISONS)}")
    folder = Run.of(given).folder.resolve()
    words = ["--out", str(folder), *(["--quick"] if given.quick else [])]
    console, failed = Console(), dict[str, str]()
    with console.status("installing the peers"):
        prepare_all()
    for number, name in enumerate(names, 1):
        start = time.perf_counter()
        with console.status(f"{name} ({number} of {len(names)})"):
            why = compare(name, words)
        if why:
            failed[name] = why
        ended = f"failed: {why}" if why else f"{time.perf_counter() - start:.0f} s"
        console.print(f"{number:>2} of {len(names)}  {name:<16} {ended}", highlight=False)
    console.print(f"→ {write(folder, failed=failed)}", highlight=False, soft_wrap=True)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

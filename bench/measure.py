"""Timing side by side, and what every comparison is told and keeps."""

import argparse
import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self, final

from result import Result

BENCH = Path(__file__).parent
RESULTS = BENCH / "results"
QUICK = BENCH / "quick"  # not kept: few rounds and small sizes say little


def taken(work: Callable[[], object]) -> float:
    """The seconds that it takes once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int
) -> dict[str, float]:
    """The median seconds of each contender; the rounds interleave, so that noise hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender()
    for _ in range(rounds):
        for name, contender in contenders.items():
            seconds[name].append(taken(contender))
    return {name: statistics.median(each) for name, each in seconds.items()}


def installed(*packages: str) -> dict[str, str]:
    """The versions of those packages that are here."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """What measured: its processor, cores, memory and interpreter, and nothing that names it."""
    found = re.search(r"model name\s*: (.*)", _read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s*(\d+) kB", _read("/proc/meminfo"))
    return {
        "processor": found[1].strip() if found else platform.machine(),
        "cores": str(os.cpu_count()),
        "memory": f"{int(memory[1]) / 2**20:.0f} GiB" if memory else "unknown",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }


def _read(path: str) -> str:
    return Path(path).read_text() if Path(path).exists() else ""


@final
@dataclass(frozen=True, slots=True)
class Run:
    """How a comparison was asked to run."""

    quick: bool
    folder: Path

    @classmethod
    def of(cls, given: argparse.Namespace) -> Self:
        """Where a quick run goes it cannot take the place of what is kept."""
        return cls(given.quick, given.out or (QUICK if given.quick else RESULTS))

    def keep(self, result: Result) -> None:
        """Write the result down, with what it was measured on."""
        path = replace(result, quick=self.quick, machine=machine()).write(self.folder)
        print(f"{path.name} written")


def options(about: str | None) -> argparse.ArgumentParser:
    """The command line of a comparison, and of all of them."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--out", type=Path, help="the folder to write to")
    return parser


def asked(about: str | None) -> Run:
    """What the command line of a comparison says."""
    return Run.of(options(about).parse_args())

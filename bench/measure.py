"""Timing side by side: every contender runs in turn, many times, in one process."""

import json
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def side_by_side(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int
) -> dict[str, float]:
    """The median seconds of each contender; the rounds interleave, so that noise hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender()
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = time.perf_counter()
            contender()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def record(name: str, results: Mapping[str, object]) -> None:
    """Print the results and keep them in bench/results."""
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    document = json.dumps({**results, **machine}, indent=2)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(document + "\n")
    print(document)

"""What a peer is asked, and how it is timed: this runs in the peer's own environment.

The question is how many rows have x > 0.5 and y < 0.3. The reference is NumPy by hand in the same
process. A walk asks again and again, and tells what a question takes after so many.
"""

import json
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from measure import side_by_side, taken

Ask = Callable[[], object]
Numbers = npt.NDArray[np.float64]

CHECKPOINTS = (1, 10, 100, 1_000, 10_000)
AROUND = 9  # asks whose median stands for a checkpoint
SLOW = 0.05  # seconds; what takes longer is asked less often


def made(rows: int) -> tuple[Numbers, Numbers]:
    rng = np.random.default_rng(0)
    return rng.random(rows), rng.random(rows)


def by_hand(x: Numbers, y: Numbers) -> Ask:
    return lambda: np.count_nonzero((x > 0.5) & (y < 0.3))


def over_numpy(asks: Mapping[str, Ask], x: Numbers, y: Numbers, *, rounds: int) -> dict[str, float]:
    """What each takes over NumPy by hand, side by side."""
    raw = by_hand(x, y)
    ratios = {}
    for name, ask in asks.items():
        slow = taken(ask) > SLOW
        seconds = side_by_side(
            {"raw": raw, name: ask}, rounds=max(1, rounds // 20) if slow else rounds
        )
        ratios[name] = seconds[name] / seconds["raw"]
    return ratios


def walked(ask: Ask, x: Numbers, y: Numbers, *, patience: float) -> dict[str, float]:
    """What a question takes over NumPy by hand, after so many of them."""
    reference = side_by_side({"raw": by_hand(x, y)}, rounds=51)["raw"]
    found, recent, begun = {}, list[float](), time.perf_counter()
    for count in range(1, CHECKPOINTS[-1] + 1):
        if time.perf_counter() - begun > patience:
            break
        recent = [*recent[1 - AROUND :], taken(ask)]
        if count in CHECKPOINTS:
            found[f"{count:,}"] = statistics.median(recent) / reference
    return found


def answer(
    latency: Callable[[Numbers, Numbers], Mapping[str, Ask]],
    growth: Callable[[Numbers, Numbers], Mapping[str, Ask]],
) -> None:
    """Do what the command line says and print what was found.

    latency ROWS ROUNDS, growth ROWS PATIENCE, or memory ROWS TIMES.
    """
    warnings.simplefilter("ignore")
    task, rows, much = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    x, y = made(rows)
    if task == "latency":
        print(json.dumps(over_numpy(latency(x, y), x, y, rounds=int(much))))
        return
    if task == "memory":
        ask = next(iter(growth(x, y).values()))
        for _ in range(int(much)):
            ask()
        # In bytes, as the kernel counts it; whoever started this process does not count.
        print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))
        return
    walks = {name: walked(ask, x, y, patience=much) for name, ask in growth(x, y).items()}
    print(json.dumps(walks))

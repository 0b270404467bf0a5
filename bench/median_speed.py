"""What a constraint takes a sampled holder, with steps in NumPy and compiled, in the same run.

Two holders with the same seed keep the same constraints in turn, so they hold the same data sets
throughout, and noise hits both alike. The answers come from a sample that sits in few of the
cells, so that constraints bite. A guess is the median of one more question.

Run: python bench/median_speed.py (compiled steps need the extra fast)
"""

import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from statistics import fmean

import numpy as np
from measure import record, side_by_side

from holdfast.guess.median.chains import Stepping
from holdfast.guess.median.constraint import Constraint
from holdfast.guess.median.sampled import SampledHolder
from holdfast.guess.median.vectorised import Vectorised

# Cells, records of a data set, constraints.
SIZES = ((64, 200, 10), (512, 500, 20), (4096, 1000, 30))
WITHIN = Fraction(1, 40)
ROUNDS = 20


def steppings() -> dict[str, Stepping]:
    if find_spec("numba") is None:
        return {"NumPy": Vectorised}
    from holdfast.guess.median.compiled import Compiled  # noqa: PLC0415 (optional)

    return {"NumPy": Vectorised, "Numba": Compiled}


def taken(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def played(
    holders: Mapping[str, SampledHolder], *, cells: int, constraints: int
) -> dict[str, list[float]]:
    """The seconds that each holder takes for each constraint."""
    rng = np.random.default_rng(1)
    sample = rng.choice(cells, p=rng.dirichlet(np.full(cells, 8 / cells)), size=20_000)
    seconds: dict[str, list[float]] = {name: [] for name in holders}
    for _ in range(constraints):
        values = rng.random(cells)
        answer = Fraction(float(values[sample].mean()))
        constraint = Constraint.around(values, answer, within=WITHIN)
        for name, holder in holders.items():
            seconds[name].append(taken(partial(holder.keep, constraint)))
    return seconds


def measured(cells: int, size: int, constraints: int) -> dict[str, float]:
    holders = {
        name: SampledHolder(cells=cells, size=size, seed=1, stepping=stepping)
        for name, stepping in steppings().items()
    }
    seconds = played(holders, cells=cells, constraints=constraints)
    question = np.random.default_rng(2).random(cells)
    holder = holders["NumPy"]
    guess = side_by_side({"guess": lambda: holder.median(question)}, rounds=ROUNDS)
    results = {"guess, ms": 1e3 * guess["guess"]}
    results |= {f"constraint, {name}, ms": 1e3 * fmean(each) for name, each in seconds.items()}
    results |= {f"last constraint, {name}, ms": 1e3 * each[-1] for name, each in seconds.items()}
    if "Numba" in seconds:
        results["NumPy : Numba"] = sum(seconds["NumPy"]) / sum(seconds["Numba"])
        results["NumPy : Numba, last"] = seconds["NumPy"][-1] / seconds["Numba"][-1]
    last = holder.mixing[-1]
    return results | {"accepted at last": last.accepted, "R̂ at last": last.disagreement}


def main() -> None:
    results: dict[str, object] = {}
    if "Numba" in steppings():
        # Importing and, the first time, compiling: not part of what a constraint takes.
        results["first use of Numba, s"] = taken(lambda: measured(4, 10, 2))
    for cells, size, constraints in SIZES:
        name = f"{cells} cells, {size} records, {constraints} constraints"
        results[name] = measured(cells, size, constraints)
    record("median_speed", results)


if __name__ == "__main__":
    main()

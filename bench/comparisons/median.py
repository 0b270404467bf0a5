"""What a constraint takes a sampled holder, with steps in NumPy and compiled, in the same run.

Two holders with the same seed keep the same constraints in turn, so they hold the same data sets
throughout, and noise hits both alike. The answers come from a sample that sits in few of the
cells, so that constraints bite. A guess is the median of one more question.

Run: make bench ARGS="--only median" (compiled steps need the extra fast)
"""

import time
from collections.abc import Mapping
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
from measure import asked, installed, side_by_side
from result import Cell, Result, Sheet

from peekproof.guess.median.constraint import Constraint
from peekproof.guess.median.sampled import SampledHolder, Stepping, Vectorised

# Cells, records of a data set, constraints.
SIZES = ((64, 200, 10), (512, 500, 20), (4096, 1000, 30))
QUICK_SIZES = ((64, 200, 10), (512, 500, 5))
WITHIN = Fraction(1, 40)
ROUNDS = 20


def steppings() -> dict[str, Stepping]:
    if find_spec("numba") is None:
        return {"NumPy": Vectorised}
    from peekproof.guess.median.compiled import Compiled  # noqa: PLC0415 (optional)

    return {"NumPy": Vectorised, "Numba": Compiled}


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
            start = time.perf_counter()
            holder.keep(constraint)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def measured(cells: int, size: int, constraints: int) -> dict[str, Cell]:
    holders = {
        name: SampledHolder(cells=cells, size=size, seed=1, stepping=stepping)
        for name, stepping in steppings().items()
    }
    seconds = played(holders, cells=cells, constraints=constraints)
    question = np.random.default_rng(2).random(cells)
    holder = holders["NumPy"]
    guess = side_by_side({"guess": lambda: holder.median(question)}, rounds=ROUNDS)["guess"]
    numpy, last = seconds["NumPy"], holder.mixing[-1]
    compiled = seconds.get("Numba")
    return {
        "NumPy over Numba": sum(numpy) / sum(compiled) if compiled else None,
        "NumPy over Numba, last": numpy[-1] / compiled[-1] if compiled else None,
        "constraint over guess": sum(numpy) / len(numpy) / guess,
        "steps taken, last": last.accepted,
        "R̂, last": last.disagreement,
    }


def main() -> None:
    run = asked(__doc__)
    missing = {} if "Numba" in steppings() else {"Numba": "it is not installed"}
    measured(4, 10, 2)  # importing and compiling are not part of what a constraint takes
    rows = {
        f"Peekproof: {cells:,} cells, {size:,} records, {constraints} constraints": measured(
            cells, size, constraints
        )
        for cells, size, constraints in (QUICK_SIZES if run.quick else SIZES)
    }
    run.keep(
        Result(
            name="median",
            title="Sampled median",
            about=(
                "A sampled holder walks among the data sets that fit all answers so far, stepping "
                "in NumPy or compiled by Numba; both take the same walk, so the first two columns "
                "say how many times as fast the compiled steps are, over all constraints and for "
                "the last one, which has most to satisfy. A guess is the median of one question; a "
                "constraint over a guess is with NumPy. The last two columns tell how the walk "
                "went: the share of steps taken, and R̂ over the chains, which nears 1 as they mix."
            ),
            sheets=(Sheet.of("Constraints of a sampled holder", rows),),
            missing=missing,
            versions=installed("numpy", "numba"),
        )
    )


if __name__ == "__main__":
    main()

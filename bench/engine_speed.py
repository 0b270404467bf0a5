"""What evaluating questions in memory takes, as ratios to NumPy written by hand.

The reference is what somebody would write who has the arrays at hand,
`np.count_nonzero((x > a) & (y < b))`, with other literals each time. Beside it the same question
through other packages that answer with noise, each in an interpreter of its own (they pin other
versions): name one that has them with --peers.

Run: python bench/engine_speed.py [--quick] [--peers /path/to/python]
Peers: pip install -r bench/engine_speed_peers.txt into an environment of its own
"""

import argparse
import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
from measure import record, side_by_side
from rich.console import Console
from rich.table import Table as Sheet

from holdfast.data.load import in_memory
from holdfast.query.question import Question, parse_question

BATCH = 1_000
SAMPLED = 20  # hand-written evaluations in a round, for a thousand take long


def measured(rows: int, *, rounds: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    x, y = rng.random(rows), rng.random(rows)
    table = in_memory({"x": x, "y": y})
    numbers = itertools.count(1)

    def asked(text: str) -> Question:
        return parse_question(text, table.schema)

    def literals() -> tuple[float, float]:
        number = next(numbers)
        return number * 0.6180339887 % 1, number * 0.7548776662 % 1

    def by_hand() -> int:
        a, b = literals()
        return int(np.count_nonzero((x > a) & (y < b)))

    # Read before: reading a question takes the same whatever the rows (see ask_overhead).
    unasked = [
        asked(f"x > {a!r} and y < {b!r}") for a, b in (literals() for _ in range(rounds + 1))
    ]
    waiting = iter(unasked)

    def fresh() -> None:
        table.totals([next(waiting)])

    pairs = itertools.product((0.1, 0.3, 0.5, 0.7), repeat=2)
    again = itertools.cycle([asked(f"x > {a} and y < {b}") for a, b in pairs])

    def repeated() -> None:
        table.totals([next(again)])

    for _ in range(16):
        repeated()
    found = side_by_side({"by hand": by_hand, "fresh": fresh, "repeated": repeated}, rounds=rounds)
    batch = [asked(f"x > {a!r} and y < {b!r}") for a, b in (literals() for _ in range(BATCH))]
    few = side_by_side(
        {
            "by hand": lambda: [by_hand() for _ in range(SAMPLED)],
            "batch": lambda: table.totals(batch),
        },
        rounds=3 if rows > 10**6 else 5,
    )
    thousand = few["by hand"] / SAMPLED * BATCH
    return {
        "by hand, ms": 1e3 * found["by hand"],
        "fresh, ms": 1e3 * found["fresh"],
        "repeated atoms, ms": 1e3 * found["repeated"],
        "fresh : by hand": found["fresh"] / found["by hand"],
        "by hand : repeated atoms": found["by hand"] / found["repeated"],
        "1,000 by hand, s": thousand,
        "batch of 1,000, s": few["batch"],
        "1,000 by hand : batch": thousand / few["batch"],
    }


# Each runs in the peers' interpreter: it makes the rows, asks once, and times some more.
_PEER = """
import json, statistics, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
rows, rounds = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
x, y = rng.random(rows), rng.random(rows)
{setup}
def timed(work):
    work()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
by_hand = timed(lambda: np.count_nonzero((x > 0.5) & (y < 0.3)))
print(json.dumps([timed(ask), by_hand]))
"""

PEERS = {
    "OpenDP (Context, Polars)": """
import polars as pl, opendp.prelude as dp
dp.enable_features("contrib")
frame = pl.LazyFrame({"x": x, "y": y})
def ask():
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=rows)] if hasattr(dp.polars, "Margin") else {},
    )
    query = context.query().filter((pl.col.x > 0.5) & (pl.col.y < 0.3)).select(dp.len())
    return query.release().collect()
""",
    "diffprivlib": """
from diffprivlib.tools import count_nonzero
def ask():
    return count_nonzero((x > 0.5) & (y < 0.3), epsilon=1.0)
""",
    "SmartNoise SQL (pandas)": """
import pandas as pd, snsql
frame = pd.DataFrame({"x": x, "y": y})
meta = {"": {"d": {"t": {"row_privacy": True, "rows": rows,
        "x": {"type": "float", "lower": 0, "upper": 1},
        "y": {"type": "float", "lower": 0, "upper": 1}}}}}
reader = snsql.from_df(frame, privacy=snsql.Privacy(epsilon=1.0, delta=1e-9), metadata=meta)
def ask():
    return reader.execute("SELECT COUNT(*) FROM d.t WHERE x > 0.5 AND y < 0.3")
""",
}


def peer(python: str, setup: str, *, rows: int, rounds: int) -> str | float:
    """Its time over that of NumPy in the same process, or why there is none."""
    command = [python, "-c", _PEER.replace("{setup}", setup), str(rows), str(rounds)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "stopped after 300 s"
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["?"])[-1]
        return "not installed" if "ModuleNotFoundError" in last else last[:120]
    taken, by_hand = json.loads(ran.stdout.splitlines()[-1])
    return float(taken / by_hand)


def peers(python: str | None, *, rows: int, rounds: int) -> dict[str, str | float]:
    if python is None:
        return dict.fromkeys(PEERS, "not asked for (see --peers)")
    return {name: peer(python, setup, rows=rows, rounds=rounds) for name, setup in PEERS.items()}


def sheet(results: dict[str, dict[str, float]], others: dict[str, str | float]) -> Sheet:
    drawn = Sheet("", *results)
    for name in next(iter(results.values())):
        drawn.add_row(name, *(f"{each[name]:.3g}" for each in results.values()))
    for name, found in others.items():
        told = f"{found:.3g}" if isinstance(found, float) else found
        drawn.add_row(f"{name} : by hand", told)
    return drawn


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--peers", metavar="PYTHON")
    given = options.parse_args()
    python = str(Path(given.peers)) if given.peers else None
    sizes = {100_000: 20} if given.quick else {1_000_000: 200, 10_000_000: 30}
    results = {f"{rows:,} rows": measured(rows, rounds=n) for rows, n in sizes.items()}
    rows = min(sizes)
    others = peers(python, rows=rows, rounds=5 if given.quick else 20)
    Console().print(sheet(results, others))
    if not given.quick:
        record("engine_speed", {**results, f"peers : by hand, {rows:,} rows": others})


if __name__ == "__main__":
    main()

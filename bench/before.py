"""A durable ask and a durable score beside those of an earlier commit, in turns on one machine.

Run: python bench/before.py [--commit COMMIT] [--rounds N]; it needs the repository's history.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
# The last one before a mechanism was one file, and an answer one durable entry.
COMMIT = "d799a84"
ASKS = 300
CLIENTS, EACH = 64, 15

# What both versions run: the same calls, so the public interface alone.
TASK = f"""
import os, sys, tempfile, threading, time, json
import numpy as np, peekproof

chance = np.random.default_rng(0)
folder = tempfile.mkdtemp(dir=sys.argv[1])
os.environ["PEEKPROOF_WITNESS"] = folder + "/witness"

def each(act, count):
    began = time.perf_counter()
    for number in range(count):
        act(number)
    return (time.perf_counter() - began) / count

ages = {{"age": chance.integers(0, 10**6, 10_000)}}
with peekproof.open(ages, questions=5_000, ledger=folder + "/ages.peekproof") as session:
    each(lambda number: session.ask(f"age > {{number}}"), 30)
    ask = each(lambda number: session.ask(f"age > {{1000 + number}}"), {ASKS})
    def client(start):
        for number in range({EACH}):
            session.ask(f"age > {{start + number / 100}}")

    threads = [threading.Thread(target=client, args=[10_000 + each]) for each in range({CLIENTS})]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    crowd = (time.perf_counter() - began) / ({CLIENTS} * {EACH})
labels, features = chance.integers(0, 2, 10_000), chance.normal(size=(10_000, 3))
with peekproof.Holdout(features, labels, ledger=folder + "/labels.peekproof") as holdout:
    every = [chance.integers(0, 2, 10_000) for _ in range({ASKS} // 2 + 20)]
    for predictions in every[:20]:
        holdout.score(predictions, guess=0.5)
    score = each(lambda number: holdout.score(every[20 + number], guess=0.5), {ASKS} // 2)
found = {{"a durable ask": ask, "one of {CLIENTS} threads' asks": crowd, "a durable score": score}}
print(json.dumps(found))
"""


def measured(source: Path, folder: Path) -> dict[str, float]:
    """Seconds for each task, by the package in this source tree."""
    done = subprocess.run(
        [sys.executable, "-c", TASK, str(folder)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    ratios: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packed = subprocess.run(
            ["git", "archive", given.commit, "src"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", name], input=packed.stdout, check=True)
        for _ in range(given.rounds):
            before, now = (measured(tree, folder) for tree in (folder / "src", ROOT / "src"))
            for task, seconds in now.items():
                ratios.setdefault(task, []).append(seconds / before[task])
    found = {task: round(median(each), 2) for task, each in ratios.items()}
    result = {"before": given.commit, "rounds": given.rounds, "time over that of before": found}
    path = ROOT / "bench/results/before.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    sys.stdout.write(path.read_text())


if __name__ == "__main__":
    main()

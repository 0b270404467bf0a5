"""What the next question takes after many, over NumPy written by hand on the same rows.

Run: make bench ARGS="--only growth"
"""

import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import asked
from peers.asking import CHECKPOINTS, Numbers, made, walked
from peers.told import told
from result import Chart, Result, Sheet

import peekproof

ROWS = 10_000
ABOUT = (
    "Each session is asked again and again, and the time of a question after 1, 10, 100, … others "
    "is told over that of NumPy by hand; flat is good. A session that did not get that far in its "
    "time has no entry there. Peekproof is asked new questions throughout, answers with intervals, "
    "and keeps its ledger in memory or on disk."
)


def asking(x: Numbers, y: Numbers, ledger: Path | None, witness: Path) -> Callable[[], object]:
    os.environ["PEEKPROOF_WITNESS"] = str(witness)  # the same rows again, with another ledger
    session = peekproof.open({"x": x, "y": y}, questions=2 * CHECKPOINTS[-1], ledger=ledger)
    numbers = itertools.count(1)
    return lambda: session.ask(f"x > 0.5 and y < {next(numbers) * 1e-6!r}")


def main() -> None:
    run = asked(__doc__)
    patience = 2.0 if run.quick else 45.0
    x, y = made(ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contenders = {
            "Peekproof": asking(x, y, None, folder / "first"),
            "Peekproof, on disk": asking(x, y, folder / "growth.peekproof", folder / "second"),
        }
        ours = {each: walked(ask, x, y, patience=patience) for each, ask in contenders.items()}
    others = told("growth", str(ROWS), str(patience))
    heads = [f"{count:,}" for count in CHECKPOINTS]
    rows = {
        each: {head: found.get(head) for head in heads}
        for each, found in (ours | others.found).items()
    }
    run.keep(
        Result(
            name="growth",
            title="The next question after many",
            about=ABOUT,
            sheets=(Sheet.of(f"Over NumPy by hand, {ROWS:,} rows, after so many questions", rows),),
            charts=(
                Chart(
                    "lines",
                    "What the next question takes",
                    "over NumPy by hand",
                    across="questions before it",
                ),
            ),
            missing=others.missing,
            versions=others.versions,
        )
    )


if __name__ == "__main__":
    main()

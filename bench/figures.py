"""Every figure of the README and of docs, drawn again by one command.

Each has the command that its own caption names. A new figure is one more line of `FIGURES`.

Run: python bench/figures.py [NAME ...] (all of them take about eight minutes)
"""

import argparse
import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = Path("docs/figures")


@dataclass(frozen=True)
class Figure:
    """A command, the words after `python -m`, and the files that it writes into the folder.

    In the words FILE stands for the first of the files, and FOLDER for where they go.
    """

    words: tuple[str, ...]
    files: tuple[str, ...]
    needs: tuple[str, ...] = ()  # packages and programs that not everyone has

    def command(self) -> list[str]:
        places = {"FILE": str(FOLDER / self.files[0]), "FOLDER": str(FOLDER)}
        return [sys.executable, "-m", *(places.get(word, word) for word in self.words)]


def _drawn(module: str, *words: str, file: str, needs: tuple[str, ...] = ()) -> tuple[str, Figure]:
    """A figure of a module that draws itself."""
    return Path(file).stem, Figure((module, "FILE", *words), (file,), needs)


def _plotted(*words: str, file: str) -> tuple[str, Figure]:
    """A figure that a command of the program draws with --plot."""
    return Path(file).stem, Figure(("peekproof", *words, "--plot", "FILE"), (file,))


def _there(needed: str) -> bool:
    return importlib.util.find_spec(needed) is not None or shutil.which(needed) is not None


BROWSER = ("playwright", "chromium")
_LOSSES = ("laplace(1)", "gaussian(1)", "pure(epsilon=1)")

FIGURES: dict[str, Figure] = dict(
    [
        (
            "peekproof-demo",
            Figure(
                ("peekproof", "demo", "--seed", "1", "--out", "FOLDER"),
                ("peekproof-demo.png", "peekproof-demo.svg"),
            ),
        ),
        _plotted("plan", "--rows", "100000", "--compare", file="routes.png"),
        _plotted("plan", "--chains", file="chains.png"),
        _plotted("account", "growth", "laplace(scale=100)", file="composition.png"),
        _plotted("account", "loss", *_LOSSES, file="loss.png"),
        _drawn("lab.figures.mechanisms", file="mechanisms.png"),
        _drawn("lab.figures.guessing", file="guessing.png"),
        _drawn("lab.figures.tightness", "bench/results/tightness.json", file="tightness.png"),
        _plotted("attack", "all", file="attacks.png"),
        _drawn("peekproof.audit.figures.monitor", file="monitor.png"),
        _drawn("lab.figures.reusable_holdout", file="reusable-holdout.png"),
        _drawn("lab.figures.freedman", file="freedman.png"),
        _drawn("lab.figures.flights", file="flights.png"),
        _drawn("lab.examples.search_figure", file="search.png"),
        _drawn("lab.examples.selection_figure", file="selection.png"),
        _drawn("lab.examples.agent_figure", file="agent.png"),
        _drawn("lab.figures.page", file="page.png", needs=BROWSER),
        _drawn("lab.figures.board", file="board.png", needs=BROWSER),
    ]
)


def draw(names: Sequence[str]) -> None:
    for name in names:
        start = time.perf_counter()
        figure = FIGURES[name]
        missing = [each for each in figure.needs if not _there(each)]
        if missing:
            print(f"{figure.files[0]} was not drawn: {missing[0]} is not installed", flush=True)
            continue
        subprocess.run(figure.command(), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        written = ", ".join(str(FOLDER / file) for file in figure.files)
        print(f"{written}  ({time.perf_counter() - start:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    # No choices here: argparse would hold an empty list against them.
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(FIGURES)}")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}")
    draw(given.names or list(FIGURES))


if __name__ == "__main__":
    main()

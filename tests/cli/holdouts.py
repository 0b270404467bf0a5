"""Files of labels and of predictions, and the commands about them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from cli.running import Run

ROWS = 1_000
Flags = npt.NDArray[np.int64]


def labels() -> Flags:
    return np.random.default_rng(3).integers(0, 2, ROWS)


def predicted(accuracy: float, seed: int = 1) -> Flags:
    """Predictions of which about so many are right."""
    right, found = np.random.default_rng(seed).random(ROWS) < accuracy, labels()
    return np.where(right, found, 1 - found)


def ids() -> list[str]:
    """Such that they neither are numbers nor in order."""
    return [f"{(number * 7) % ROWS:04d}" for number in range(ROWS)]


def write_labels(path: Path) -> Path:
    region = ["south" if number % 4 == 0 else "north" for number in range(ROWS)]
    columns = {"id": ids(), "y": labels(), "region": region}
    pl.DataFrame(columns).write_csv(path)
    return path


def write_predictions(path: Path, values: Flags) -> Path:
    pl.DataFrame({"id": ids(), "prediction": values}).write_csv(path)
    return path


def create(run: Run, name: str, path: Path, *more: str) -> Any:
    """The holdout of a file that has ids, as JSON."""
    words = ("--label", "y", "--id", "id", "--group", "region")
    done = run("holdout", "create", name, str(path), *words, *more, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def score(run: Run, path: Path | str, name: str, *more: str) -> Any:
    done = run("score", str(path), "--holdout", name, *more, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def shown(run: Run, name: str) -> Any:
    done = run("holdout", "show", name, "--json")
    assert done.code == 0, done
    return json.loads(done.out)

"""Made-up labels for gateways to hold, and predictions for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.server.settings import Dataset
from server.gateways import Running, Said

ROWS = 3000


@dataclass(frozen=True)
class Labelled:
    """Labels in a file, and what is in it."""

    path: Path
    labels: npt.NDArray[np.float64]
    regions: list[str]

    def right(self, share: float, *, seed: int = 0) -> list[float]:
        """Predictions of which about this share is right."""
        hits = np.random.default_rng([seed, 7]).random(len(self.labels)) < share
        found: list[float] = np.where(hits, self.labels, 1 - self.labels).tolist()
        return found

    def score(self, predictions: list[float]) -> float:
        return float(np.mean(self.labels == np.asarray(predictions)))


def labelled(folder: Path, *, rows: int = ROWS, seed: int = 1) -> Labelled:
    """Labels 0 and 1, with ids and two regions."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rows).astype(np.float64)
    regions = rng.choice(["north", "south"], rows).tolist()
    path = folder / "labels.csv"
    columns = {
        "id": ids(rows),
        "y": labels.astype(int),
        "region": regions,
        "feature": rng.random(rows),
    }
    pl.DataFrame(columns).write_csv(path)
    return Labelled(path, labels, regions)


def ids(rows: int = ROWS) -> list[str]:
    return [f"row-{number}" for number in range(rows)]


def holdout(found: Labelled, **given: Any) -> Dataset:
    """The labels as a data set to be served."""
    said = {"name": "labels", "source": str(found.path), "label": "y", "questions": 200}
    return Dataset(**{**said, "id": "id", "groups": ("region",), **given})


def send_score(
    gateway: Running,
    predictions: object,
    guess: float = 0.5,
    *,
    dataset: str = "labels",
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Said:
    body = {"predictions": predictions, "guess": guess, **more}
    path = f"/v1/datasets/{dataset}/score"
    return gateway.send("POST", path, body, token=token, headers=headers)


def send_best(
    gateway: Running, candidates: object, *, dataset: str = "labels", **more: object
) -> Said:
    body = {"candidates": candidates, **more}
    return gateway.send("POST", f"/v1/datasets/{dataset}/best-score", body)

"""Boards of fair coins for gateways to serve, and predictions for them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from peekproof.learn.board.board import Board
from peekproof.server.settings import ServedBoard
from server.gateways import Running, Said
from server.guests import token

ROWS = 2000


@dataclass(frozen=True)
class Contest:
    """A board in a folder, of which the labels are known here."""

    folder: Path
    name: str
    labels: npt.NDArray[np.int64]
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _made: list[int] = field(default_factory=list)

    @property
    def served(self) -> ServedBoard:
        return ServedBoard(name=self.name, folder=str(self.folder))

    @property
    def ids(self) -> list[str]:
        return [f"r{number}" for number in range(len(self.labels))]

    def right(self, share: float) -> dict[str, Any]:
        """New predictions of which about this share is right."""
        with self._turn:
            self._made.append(len(self._made))
            hits = np.random.default_rng([7, self._made[-1]]).random(len(self.labels)) < share
        return {"ids": self.ids, "values": np.where(hits, self.labels, 1 - self.labels).tolist()}

    def path(self, rest: str = "") -> str:
        return f"/v1/boards/{self.name}{rest}"


def contest(folder: Path, name: str = "coins", *, rows: int = ROWS, **given: Any) -> Contest:
    """A new board. Half of its rows are for the final, the same ones every time."""
    labels = np.random.default_rng([*name.encode(), rows]).integers(0, 2, rows)
    table = pl.DataFrame({"id": [f"r{number}" for number in range(rows)], "label": labels})
    said = {"labels": table[: rows // 2], "final": table[rows // 2 :], "submissions": 100, **given}
    place = folder / f"{name}.board"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / f"witness-of-{name}"))
        Board.create(place, **said).release()
    return Contest(place, name, labels)


@dataclass(frozen=True)
class Team:
    """Someone with a token who hands in predictions."""

    gateway: Running
    contest: Contest
    shown: str

    def send(self, method: str, rest: str = "", body: object = None, **more: Any) -> Said:
        return self.gateway.send(method, self.contest.path(rest), body, token=self.shown, **more)

    def submit(self, predictions: dict[str, Any], **more: Any) -> Said:
        return self.send("POST", "/entries", {**predictions, **more})

    def choose(self, number: int) -> Said:
        return self.send("PUT", "/choice", {"entry": number})

    @property
    def sees(self) -> Any:
        return self.send("GET").json


def team(gateway: Running, found: Contest, name: str = "ann", **given: Any) -> Team:
    """A team with a token of its own."""
    return Team(gateway, found, token(gateway, analyst=name, **given))


def organiser(gateway: Running, found: Contest) -> Team:
    return Team(gateway, found, gateway.custodian)

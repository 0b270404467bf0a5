"""What kept conversations can use besides Python: labels, models, gateways and commands.

All of it is the same in every process: numbers come from `random`, whose streams never change.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final
from unittest import mock

import numpy as np
import numpy.typing as npt

import peekproof
from cli.running import TERMINAL_VARIABLES
from peekproof.cli.main import main
from peekproof.noise.entropy import Entropy
from peekproof.server import dataset
from peekproof.server.settings import Dataset, Limits, ServedBoard
from server.gateways import Running, running

Array = npt.NDArray[Any]

# Chained over entries that have the time in them, or made anew for a board.
_CHAINED = re.compile(r"\b[0-9a-f]{64}\b")
_LONG = re.compile(r"(?<![\w.])\d+\.\d{12,}(?:e-?\d+)?\b")


def equipment(closing: ExitStack) -> dict[str, Any]:
    """The names, by what they stand for; what is started is ended by `closing`."""
    return {
        "Chances": Chances,
        "Cut": Cut,
        "cells": cells,
        "chances": chances,
        "coins": coins,
        "gateway": functools.partial(gateway, closing),
        "points": points,
        "right": right,
        "run": run,
        "without": without,
        "written": written,
    }


def coins(count: int, *, seed: int, share: float = 0.5) -> Array:
    """Labels 0 and 1."""
    chance = random.Random(seed)
    return np.array([int(chance.random() < share) for _ in range(count)])


def right(labels: Array, share: float, *, seed: int) -> Array:
    """Predictions for labels 0 and 1, of which about this share is right."""
    chance = random.Random(f"right {seed}")
    return np.array([each if chance.random() < share else 1 - each for each in labels.tolist()])


def chances(labels: Array, *, seed: int) -> Array:
    """Probabilities of label 1 that know something of it."""
    chance = random.Random(f"chances {seed}")
    return np.array([round((chance.random() + each) / 2, 3) for each in labels.tolist()])


def points(count: int, *, seed: int) -> tuple[Array, Array]:
    """Features and labels: the sign of the first feature, in four rows of five."""
    chance = random.Random(f"points {seed}")
    features = [[round(chance.uniform(-1, 1), 6) for _ in range(2)] for _ in range(count)]
    labels = [int((first > 0) == (chance.random() < 0.8)) for first, _ in features]
    return np.array(features), np.array(labels)


@final
@dataclass(frozen=True)
class Cut:
    """A model that predicts by where the first feature is."""

    at: float = 0.0

    def predict(self, features: Array) -> Array:
        return (np.asarray(features)[:, 0] > self.at).astype(np.int64)


@final
@dataclass(frozen=True)
class Chances:
    """A model that says how likely label 1 is, by the first feature."""

    steep: float = 0.6
    classes_ = (0, 1)

    def predict(self, features: Array) -> Array:
        return (self.predict_proba(features)[:, 1] > 0.5).astype(np.int64)

    def predict_proba(self, features: Array) -> Array:
        found = np.clip(0.5 + self.steep * np.asarray(features)[:, 0], 0.05, 0.95)
        return np.column_stack([1 - found, found])


def written(file: str, **columns: Any) -> str:
    """The name of a CSV file with these columns."""
    rows = zip(*(np.asarray(each).tolist() for each in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def cells(found: Mapping[Any, Any]) -> list[str]:
    """What is derived for each of some values, a line each."""
    return [f"{value}: {each}" for value, each in found.items()]


def without(found: Any, *left_out: str) -> Any:
    """The same, also inside, without fields of these names."""
    if isinstance(found, list):
        return [without(each, *left_out) for each in found]
    if not isinstance(found, Mapping):
        return found
    return {name: without(each, *left_out) for name, each in found.items() if name not in left_out}


def run(line: str, *, typed: str = "", **variables: str) -> str:
    """What a command prints, and how it ended if that is not well; `!` is standard error."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    kept = {name: value for name, value in os.environ.items() if name not in TERMINAL_VARIABLES}
    with (
        mock.patch.dict(os.environ, {**kept, "COLUMNS": "80", **variables}, clear=True),
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode()))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main(shlex.split(line))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    said = out.getvalue() + "".join(f"! {each}\n" for each in err.getvalue().splitlines())
    said = _LONG.sub(lambda found: f"{float(found[0]):.12g}", said)  # the last are of a machine
    return _CHAINED.sub("…", said + (f"exit code {code}" if code else "")).rstrip("\n")


@final
@dataclass(frozen=True)
class Gate:
    """A gateway that runs, and raw requests to it; by default of the analyst ann."""

    running: Running

    @property
    def address(self) -> str:
        return self.running.address

    @property
    def ann(self) -> str:
        return self.running.analyst

    @property
    def custodian(self) -> str:
        return self.running.custodian

    def token(self, analyst: str, **given: Any) -> str:
        """A token that the custodian makes."""
        said = {"analyst": analyst, **given}
        return str(self.send("POST", "/v1/tokens", said, token=self.custodian)["body"]["token"])

    def get(self, path: str, **how: Any) -> dict[str, Any]:
        return self.send("GET", path, **how)

    def post(self, path: str, body: object = None, **how: Any) -> dict[str, Any]:
        return self.send("POST", path, body, **how)

    def put(self, path: str, body: object = None, **how: Any) -> dict[str, Any]:
        return self.send("PUT", path, body, **how)

    def delete(self, path: str, **how: Any) -> dict[str, Any]:
        return self.send("DELETE", path, **how)

    def send(self, method: str, path: str, body: object = None, **how: Any) -> dict[str, Any]:
        """The status of a reply, and its body: JSON, or text if it is none."""
        said = self.running.send(method, path, body, **how)
        try:
            return {"status": said.status, "body": said.json}
        except ValueError:
            return {"status": said.status, "text": said.body.decode()}

    def header(
        self, name: str, method: str, path: str, body: object = None, **how: Any
    ) -> str | None:
        """One header of a reply."""
        return self.running.send(method, path, body, **how).headers.get(name)


def gateway(
    closing: ExitStack,
    *,
    boards: Mapping[str, str] | None = None,
    entropy: Entropy | None = None,
    limits: Mapping[str, Any] | None = None,
    **datasets: Mapping[str, Any],
) -> Gate:
    """A gateway on loopback for these data sets and boards, until the conversation ends."""
    wanted = [Dataset(**{"name": name, **said}) for name, said in datasets.items()]
    contests = [ServedBoard(name=name, folder=folder) for name, folder in (boards or {}).items()]
    with _noise_from(entropy):
        started = running(
            Path.cwd(),
            *wanted,
            boards=tuple(contests),
            limits=Limits(**{"rate": 0, **(limits or {})}),
        )
        return Gate(closing.enter_context(started))


@contextlib.contextmanager
def _noise_from(entropy: Entropy | None) -> Iterator[None]:
    """What a gateway opens meanwhile draws its noise from there."""
    if entropy is None:
        yield
        return
    opened: Callable[..., Any] = functools.partial(peekproof.open, entropy=entropy)
    with mock.patch.object(dataset, "open_session", opened):
        yield

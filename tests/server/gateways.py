"""Gateways for tests: a real server in a thread, on a port of its own."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import uvicorn

from peekproof.server.app import application
from peekproof.server.gateway import Gateway
from peekproof.server.runner import config, listen
from peekproof.server.settings import Dataset, Limits, Settings
from peekproof.server.store import Scope, Store

CARRIERS = ["AA", "DL", "UA"]


def flights(folder: Path, *, rows: int = 20_000, seed: int = 1) -> Path:
    """A small table of made-up flights, as a Parquet file."""
    rng = np.random.default_rng(seed)
    path = folder / "flights.parquet"
    pl.DataFrame(
        {
            "delay": rng.normal(5, 30, rows).round(1),
            "distance": rng.integers(100, 3000, rows),
            "carrier": rng.choice(CARRIERS, rows),
            "night": rng.random(rows) < 0.2,
        }
    ).write_parquet(path)
    return path


def held(folder: Path, **given: Any) -> Dataset:
    """The made-up flights as a data set, by Gaussian noise unless told otherwise."""
    said: dict[str, Any] = {
        "name": "flights",
        "source": str(flights(folder)),
        "questions": 200,
        "mechanism": "gaussian",
        "categories": {"carrier": CARRIERS},
    }
    return Dataset(**{**said, **given})


@dataclass(frozen=True)
class Said:
    """A response, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """A gateway that runs, with a custodian's and an analyst's token."""

    gateway: Gateway
    port: int
    custodian: str
    analyst: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Said:
        """One request; by default the analyst's."""
        shown = self.analyst if token is None else token
        said = {"Authorization": f"Bearer {shown}"} if shown else {}
        text = None if body is None else body if isinstance(body, bytes) else json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=text, headers={**said, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Said(response.status, found, response.read())
        finally:
            connection.close()

    def ask(self, question: str, *, token: str | None = None, **more: object) -> Said:
        said = {"question": question, **more}
        return self.send("POST", "/v1/datasets/flights/ask", said, token=token)


@contextmanager
def running(folder: Path, *datasets: Dataset, **given: Any) -> Iterator[Running]:
    """A gateway for these data sets, or for the made-up flights if there are no boards either."""
    given = {"limits": Limits(rate=0), "port": 0, "threads": 8, **given}
    store = folder / "gateway.tokens"
    if not datasets and not given.get("boards"):
        datasets = (held(folder),)
    settings = Settings(datasets=datasets, store=store, **given)
    gateway = Gateway.open(settings)
    with_tokens = Store(store)
    custodian = with_tokens.create_token(analyst="custodian", scope=Scope.CUSTODIAN)
    analyst = with_tokens.create_token(analyst="ann", scope=Scope.ANALYST)
    with_tokens.close()
    listening = listen(settings)
    server = uvicorn.Server(config(settings, application(gateway)))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the gateway did not start")
            time.sleep(0.005)
        yield Running(gateway, listening.getsockname()[1], custodian, analyst)
    finally:
        server.should_exit = True
        thread.join(timeout=60)
        listening.close()

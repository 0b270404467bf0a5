"""A gateway that serves a data set by every mechanism, for all tests of the client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import peekproof
from client.served import SERVED
from peekproof.client import http
from peekproof.server.settings import Dataset
from server.gateways import CARRIERS, Running, flights, running


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("everything")
    datasets = []
    for seed, (name, said) in enumerate(SERVED.items(), start=1):
        own = folder / str(seed)
        own.mkdir()
        source = str(flights(own, rows=6000, seed=seed))
        categories = {"carrier": CARRIERS}
        datasets.append(
            Dataset(name=name, source=source, categories=categories, **{"mechanism": name, **said})
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder, *datasets) as found:
            yield found


@pytest.fixture
def remote(everything: Running) -> Iterator[peekproof.Session]:
    with peekproof.connect(everything.address, everything.analyst, dataset="gaussian") as found:
        yield found


@pytest.fixture
def local(everything: Running) -> peekproof.Session:
    """What the gateway itself has, for the same analyst."""
    return everything.gateway.served["gaussian"].as_analyst("ann")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long between tries."""
    monkeypatch.setattr(http, "_FIRST", 0.001)
    monkeypatch.setattr(http, "_LONGEST_WAIT", 0.01)

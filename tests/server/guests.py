"""Guests of a gateway: tokens of every kind, browsers with cookies, and bare sockets."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from peekproof.server.endpoint import Endpoint
from peekproof.server.settings import Dataset
from peekproof.server.store import Scope, Store
from server.gateways import Running, Said, flights, held, running


@contextmanager
def guarded(
    factory: pytest.TempPathFactory, *datasets: Dataset, **given: Any
) -> Iterator[tuple[Running, Path]]:
    """A gateway in a folder and with a witness of its own."""
    folder = factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder, *datasets, **given) as found:
            yield found, folder


def two(folder: Path) -> tuple[Dataset, ...]:
    return several(folder, "flights", "surveys")


def several(folder: Path, *names: str) -> tuple[Dataset, ...]:
    """Data sets of other rows each."""
    found = []
    for seed, name in enumerate(names):
        own = folder / name
        own.mkdir()
        found.append(held(own, name=name))
        flights(own, seed=seed)
    return tuple(found)


def token(gateway: Running, **given: Any) -> str:
    """A new token, an analyst's unless told otherwise."""
    store = Store(gateway.gateway.settings.store)
    try:
        return store.create_token(**{"analyst": "bob", "scope": Scope.ANALYST, **given})
    finally:
        store.close()


@dataclass(frozen=True)
class Browser:
    """A browser that visits: it sends its cookie, and the page's key if told to."""

    gateway: Running
    cookie: str
    key: str

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Said:
        shown = {"Cookie": self.cookie, **({"X-Peekproof-Page": key} if key else {})}
        return self.gateway.send(method, path, body, token="", headers={**shown, **(headers or {})})


def visit(gateway: Running, shown: str, headers: Mapping[str, str] | None = None) -> Said:
    return gateway.send("POST", "/v1/visit", {"token": shown}, token="", headers=headers)


def browser(gateway: Running, shown: str) -> Browser:
    said = visit(gateway, shown)
    assert said.status == 200
    cookie = said.headers["set-cookie"].partition(";")[0]
    return Browser(gateway, cookie, said.json["page_key"])


def exchange(port: int, *parts: bytes, wait: float = 30) -> bytes:
    """All that a server says to these bytes before it ends the connection."""
    heard = b""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as wire:
        try:
            for part in parts:
                wire.sendall(part)
            while found := wire.recv(1 << 16):
                heard += found
        except (ConnectionResetError, BrokenPipeError):
            return heard
    return heard


def request(
    path: str,
    body: bytes = b"",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """A request after which the connection ends."""
    said = {"Host": "127.0.0.1", "Connection": "close", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def status_of(said: bytes) -> int:
    return int(said.split(b" ", 2)[1])


def problem_in(said: bytes) -> str:
    """The name of the problem in a raw response."""
    return str(json.loads(said.partition(b"\r\n\r\n")[2])["type"]).removeprefix("/v1/problems/")


def address(endpoint: Endpoint, dataset: str = "flights", board: str = "coins") -> str:
    """Of a data set or a board, and else of things that are not there."""
    path = endpoint.path.replace("{dataset}", dataset).replace("{board}", board)
    return re.sub(r"\{\w+\}", "nothing", path)


def named(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"

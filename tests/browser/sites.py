"""Gateways to be visited: in a thread of the tests, or in processes that can be killed."""

from __future__ import annotations

import http.client
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ledger.postgres_server import Database
from peekproof.server.settings import Dataset, Limits, Settings
from peekproof.server.store import Scope, Store
from server.gateways import Said, flights, held, running

POSTGRES = os.environ.get("PEEKPROOF_BROWSER_GATEWAY") == "postgres"
WORKERS = 4 if POSTGRES else 1
PATIENCE = 60  # seconds, only so that a gateway that does not start fails the tests
_numbers = count()  # of data and of ledgers

PROGRAM = Path(__file__).with_name("serve_settings.py")


@dataclass(frozen=True)
class Site:
    """A gateway that runs, and the file of its tokens."""

    address: str
    store: Path

    def token(self, analyst: str = "ann", *, scope: Scope = Scope.ANALYST) -> str:
        """A new token."""
        store = Store(self.store)
        try:
            return store.create_token(analyst=analyst, scope=scope)
        finally:
            store.close()

    def custodian(self) -> str:
        return self.token("custodian", scope=Scope.CUSTODIAN)

    def link(self, token: str) -> str:
        return f"{self.address}/#token={token}"

    def send(self, method: str, path: str, body: object = None, *, token: str) -> Said:
        """One request without a browser."""
        host = self.address.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Said(response.status, found, response.read())
        finally:
            connection.close()

    def ask(self, question: str, *, token: str, dataset: str = "flights") -> Said:
        path = f"/v1/datasets/{dataset}/ask"
        return self.send("POST", path, {"question": question}, token=token)

    def asked(self, *, token: str, dataset: str = "flights") -> int:
        """How many questions were paid for."""
        said = self.send("GET", f"/v1/datasets/{dataset}/budget", token=token)
        return int(said.json["asked"])


@dataclass
class Process:
    """A gateway in a process of its own, with its workers; started again, it keeps its port."""

    folder: Path
    settings: Settings
    _program: subprocess.Popen[str] | None = None

    def start(self) -> Site:
        written = self.folder / "settings.pickle"
        written.write_bytes(pickle.dumps(self.settings))
        given = {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PEEKPROOF_WITNESS": str(self.folder / "witness"),
        }
        with (self.folder / "log").open("a") as log:
            self._program = subprocess.Popen(
                [sys.executable, str(PROGRAM), str(written)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **given},
                start_new_session=True,
            )
        assert self._program.stdout is not None
        address = self._program.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"no start: {(self.folder / 'log').read_text()[-2000:]}")
        self.settings = replace(self.settings, port=int(address.rpartition(":")[2]))
        site = Site(address, self.settings.store)
        token, deadline = site.token("waiting"), time.monotonic() + PATIENCE
        while not _answers(site, token):
            if time.monotonic() > deadline:
                raise RuntimeError(f"no reply: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)
        return site

    def kill(self) -> None:
        """End it at once, with all its workers, in the middle of whatever it does."""
        if self._program is not None and self._program.stdout is not None:
            os.killpg(self._program.pid, signal.SIGKILL)
            self._program.stdout.close()
            self._program.wait(timeout=PATIENCE)
            self._program = None


def _answers(site: Site, token: str) -> bool:
    try:
        return site.send("GET", "/v1/datasets", token=token).status == 200
    except OSError:
        return False


@dataclass
class Sites:
    """Starts gateways; all that still run are ended with it."""

    folders: pytest.TempPathFactory
    database: Database | None = None
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def for_one_test(self) -> Sites:
        return Sites(self.folders, self.database)

    def folder(self) -> Path:
        return self.folders.mktemp("site")

    def flights(self, folder: Path, **given: Any) -> Dataset:
        """Made-up flights that nobody else holds: a database has one ledger for the same rows."""
        own = folder / "rows"
        own.mkdir()
        return held(folder, source=str(flights(own, seed=next(_numbers))), **given)

    def start(self, folder: Path, *datasets: Dataset, **given: Any) -> Site:
        """A gateway that stays until the end; in a thread, if there is to be one worker."""
        if WORKERS > 1:
            return self.process(folder, *datasets, **given).start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
            found = self._stack.enter_context(running(folder, *datasets, **given))
        return Site(found.address, folder / "gateway.tokens")

    def process(self, folder: Path, *datasets: Dataset, **given: Any) -> Process:
        """A gateway that can be killed; it is not started yet."""
        said: dict[str, Any] = {"limits": Limits(rate=0), "port": 0, "workers": WORKERS, **given}
        placed = tuple(self._placed(each) for each in datasets)
        store = folder / "gateway.tokens"
        process = Process(folder, Settings(datasets=placed, store=store, **said))
        self._stack.callback(process.kill)
        return process

    def _placed(self, dataset: Dataset) -> Dataset:
        if self.database is None:
            return dataset
        return replace(dataset, ledger=self.database.place(f"browser{next(_numbers)}"))

"""The command `peekproof serve` in a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60  # seconds, only so that a hanging gateway fails the tests instead of the run


@dataclass
class Serving:
    """A gateway that said it is ready, and what it said."""

    process: subprocess.Popen[str]
    said: Any

    @property
    def address(self) -> str:
        return str(self.said["address"])

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        trusted: str | None = None,
    ) -> tuple[int, Any]:
        """Status and JSON of one request, on a connection of its own."""
        place = urlsplit(self.address)
        connection: http.client.HTTPConnection
        if place.scheme == "https":
            context = ssl.create_default_context(cafile=trusted)
            connection = http.client.HTTPSConnection(
                place.netloc, timeout=PATIENCE, context=context
            )
        else:
            connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {token or self.said['token']}"}
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, body=text, headers=headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or "null")
        finally:
            connection.close()

    def stop(self, by: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """The exit code, and what it printed after it was ready."""
        if by is signal.SIGINT:
            os.killpg(self.process.pid, by)  # as a terminal does: workers get it, too
        else:
            self.process.send_signal(by)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextmanager
def serving(*arguments: str) -> Iterator[Serving]:
    """The command with these arguments on a free port of this machine."""
    given = arguments if "--address" in arguments else (*arguments, "--address", "127.0.0.1:0")
    process = subprocess.Popen(
        [sys.executable, "-m", "peekproof", "serve", *given, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line == "}\n":
                break
        if process.poll() is not None or not lines:
            raise RuntimeError(f"the gateway did not start: {process.communicate()}")
        yield Serving(process, json.loads("".join(lines)))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)  # a supervisor takes its workers with it
            process.communicate(timeout=PATIENCE)

"""Stands between a client and a PostgreSQL server, and breaks the connection when it is told to."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

SOCKET = ".s.PGSQL.5432"


READY = b"Z\x00\x00\x00\x05"  # how the server says that it is done


@dataclass
class Fault:
    """The nth request with a word in it is lost, or all of its answer is."""

    what: Literal["request", "answer"]
    word: bytes
    nth: int
    armed: bool = False
    done: bool = False

    def meets(self, request: bytes) -> bool:
        self.nth -= self.word in request
        self.armed = not self.nth
        return self.armed and self.what == "request"


@dataclass
class Proxy:
    """Listens in `folder`; what it is connected to, and the fault to come."""

    folder: Path
    server: Path
    fault: Fault | None = None
    _open: list[socket.socket] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.server))
            self._open += [client, server]
            for pump in (self._requests, self._answers):
                threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                if self.fault and not self.fault.armed and self.fault.meets(data):
                    self.fault.done = True
                    break
                server.sendall(data)
        self._hang_up(client, server)

    def _answers(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                if self.fault and self.fault.armed and not self.fault.done:
                    if READY in data:
                        self.fault.done = True
                        break
                else:
                    client.sendall(data)
        self._hang_up(client, server)

    def _hang_up(self, *ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for each in self._open:
            each.close()


@contextmanager
def proxy(server: Path) -> Iterator[Proxy]:
    """A proxy for the server whose socket is in the folder `server`."""
    folder = Path(tempfile.mkdtemp(prefix="peekproof-px-"))
    made = Proxy(folder, server / SOCKET)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / SOCKET))
    listener.listen()
    accepting = threading.Thread(target=made.serve, args=(listener,), daemon=True)
    accepting.start()
    try:
        yield made
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        made.close()
        shutil.rmtree(folder)

"""Servers for tests that say what they are told to, and one that loses what a gateway says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = {"Content-Type": "application/json"}


@dataclass
class Script:
    """Responses in their order, the last one for ever, and the requests that they were for."""

    responses: list[tuple[int, Mapping[str, str], bytes]]
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    address: str = ""

    def keys(self) -> set[str]:
        return {headers["idempotency-key"] for _, _, headers, _ in self.requests}


def problem(name: str, status: int, **fields: object) -> tuple[int, Mapping[str, str], bytes]:
    said = {"type": f"/v1/problems/{name}", "detail": f"it is {name}", "fields": fields}
    return status, {"Content-Type": "application/problem+json"}, json.dumps(said).encode()


def reply(said: object, status: int = 200) -> tuple[int, Mapping[str, str], bytes]:
    return status, JSON, json.dumps(said).encode()


@contextmanager
def scripted(*responses: tuple[int, Mapping[str, str], bytes]) -> Iterator[Script]:
    """A server that follows a script."""
    script = Script(list(responses))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            size = int(self.headers.get("Content-Length", "0"))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.requests.append((self.command, self.path, headers, self.rfile.read(size)))
            status, said, body = script.responses[0]
            if len(script.responses) > 1:
                script.responses.pop(0)
            self.send_response(status)
            for name, value in said.items():
                self.send_header(name, value)
            if "Transfer-Encoding" not in said:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer  # noqa: N815 (names of the standard library)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    script.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Losing:
    """A way to a gateway on which so many responses get lost, after the gateway has sent them."""

    port: int
    lose: int = 0
    connections: int = 0
    after_each: bool = False  # close every connection after one response, without saying so

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def losing(target: int) -> Iterator[Losing]:
    """A way to the gateway on this port."""
    listening = socket.create_server(("127.0.0.1", 0))
    way = Losing(listening.getsockname()[1])
    threads: list[threading.Thread] = []

    def carry(near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", target)) as far:
            near.settimeout(30)
            far.settimeout(30)
            while request := _message(near):
                far.sendall(request)
                response = _message(far)
                if way.lose > 0:
                    way.lose -= 1
                    return
                near.sendall(response)
                if way.after_each:
                    return

    def accept() -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            way.connections += 1
            thread = threading.Thread(target=carry, args=(near,), daemon=True)
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield way
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join()


def _message(near: socket.socket) -> bytes:
    """One request or response with a length, or nothing if there is no more."""
    data = b""
    while b"\r\n\r\n" not in data:
        try:
            more = near.recv(65536)
        except OSError:
            return b""
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    size = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    while len(body) < size:
        body += near.recv(65536)
    return head + b"\r\n\r\n" + body

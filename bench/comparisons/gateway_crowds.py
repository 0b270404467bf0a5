"""Who asks a gateway: one client and crowds, over HTTP and in process, and of whom beside it."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from load.serving import Serving

CLIENTS = 64
QUESTION = "delay > {number}e-5 and distance < 1500"
BARE = """
import socket, sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def nothing(request):
    await request.body()
    return Response(b"{}", media_type="application/json")

app = Starlette(routes=[Route("/{path:path}", nothing, methods=["POST"])])
config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, log_level="warning")
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""


@contextmanager
def bare() -> Iterator[int]:
    """The port of an application that does nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        fd = listening.fileno()
        server = subprocess.Popen([sys.executable, "-c", BARE, str(fd)], pass_fds=[fd])
        try:
            yield listening.getsockname()[1]
        finally:
            server.terminate()
            server.wait()


@dataclass(frozen=True)
class Crowded:
    """Asks a second of a crowd, and the processor seconds of each."""

    rate: float
    work: float


def crowd_in_process(ask: Callable[[], object], *, seconds: float) -> Crowded:
    start, used, end = time.perf_counter(), time.process_time(), time.perf_counter() + seconds
    done = [0] * CLIENTS

    def run(which: int) -> None:
        while time.perf_counter() < end:
            ask()
            done[which] += 1

    threads = [threading.Thread(target=run, args=(which,)) for which in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count = sum(done)
    rate = count / (time.perf_counter() - start)
    return Crowded(rate, (time.process_time() - used) / count)


def crowd_over_http(
    gateway: Serving, *, seconds: float, first: int, analysts: int = 1, port: int | None = None
) -> Crowded:
    """By so many analysts: questions of one that wait together are answered together."""
    used = gateway.processor_seconds()
    report = gateway.asked_by(
        port=port or gateway.port,
        clients=CLIENTS,
        tokens=gateway.tokens[:analysts],
        seconds=seconds,
        first=first,
        question=QUESTION,
        keys=False,
    )
    if any(status != 200 for _, status, _ in report.answers):
        raise RuntimeError("a question was not answered")
    work = (gateway.processor_seconds() - used) / len(report.answers)
    return Crowded(report.rate, work)


def asking_over_http(
    gateway: Serving, numbers: Iterator[int], *, port: int | None = None
) -> Callable[[], object]:
    """By a bare socket: what a client's library takes is not the gateway's."""
    line = socket.create_connection(("127.0.0.1", port or gateway.port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = (
        f"POST /v1/datasets/flights/ask HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n"
        f"Authorization: Bearer {gateway.tokens[0]}\r\nContent-Length: "
    )

    def ask() -> object:
        body = json.dumps({"question": QUESTION.format(number=next(numbers))})
        line.sendall(f"{head}{len(body)}\r\n\r\n{body}".encode())
        got = line.recv(1 << 16)
        if not got.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(got)
        while not got.endswith(b"}"):  # headers and body may come apart
            got += line.recv(1 << 16)
        return got

    return ask

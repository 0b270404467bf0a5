"""What the gateway adds to an ask, alone and with 64 clients at once.

Beside it, by turns in one run: 64 threads of one process that call `session.ask` on the same rows
and the same kind of ledger, and a bare Starlette application under the same uvicorn that does
nothing. All ask different questions, none of them twice. The clients are another process, and
talk through bare sockets.

Run: make bench, or PYTHONPATH=tests python bench/gateway_speed.py
"""

import argparse
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from measure import record, side_by_side

import holdfast
from holdfast.data.load import load
from holdfast.server.settings import Dataset
from holdfast.session.session import Session
from load.serving import Serving, serving

CLIENTS = 64
ROWS = 1_000_000
QUESTIONS = 500_000
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


def flights(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    path = folder / "flights.parquet"
    pl.DataFrame(
        {"delay": rng.normal(5, 30, ROWS), "distance": rng.integers(100, 3000, ROWS)}
    ).write_parquet(path)
    return path


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


def crowd_in_process(ask: Callable[[], object], *, seconds: float) -> tuple[float, float]:
    """Asks a second of 64 threads, and processor seconds for each."""
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
    return count / (time.perf_counter() - start), (time.process_time() - used) / count


def crowd_over_http(
    gateway: Serving, *, seconds: float, first: int, analysts: int = 1, port: int | None = None
) -> tuple[float, float]:
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
    return report.rate, (gateway.processor_seconds() - used) / len(report.answers)


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


def measured(gateway: Serving, session: Session, *, quick: bool) -> dict[str, object]:
    rounds, seconds, singles = (3, 1.5, 150) if quick else (7, 4.0, 600)
    inside, outside = itertools.count(), itertools.count()

    def ask() -> object:
        return session.ask(QUESTION.format(number=next(inside)))

    over_http = asking_over_http(gateway, outside)
    with bare() as port:
        nothing_asked = asking_over_http(gateway, outside, port=port)
        contenders = {"in process": ask, "HTTP": over_http, "bare": nothing_asked}
        for _ in range(20):
            ask()
            over_http()
        single = side_by_side(contenders, rounds=singles)
        turns = []
        for turn in range(rounds):
            first = 100_000 + 50_000 * turn
            turns.append(
                (
                    crowd_in_process(ask, seconds=seconds),
                    crowd_over_http(gateway, seconds=seconds, first=first),
                    crowd_over_http(
                        gateway, seconds=seconds, first=first + 25_000, analysts=CLIENTS
                    ),
                    crowd_over_http(gateway, seconds=seconds / 2, first=0, port=port),
                )
            )
    rate = statistics.median(over[0] for _, over, *_ in turns)
    return {
        "one_client_http_ms": 1e3 * single["HTTP"],
        "one_client_in_process_ms": 1e3 * single["in process"],
        "one_client_bare_starlette_ms": 1e3 * single["bare"],
        "one_client_overhead_ms": 1e3 * (single["HTTP"] - single["in process"]),
        f"{CLIENTS}_clients_asks_a_second": rate,
        f"{CLIENTS}_clients_over_threads_in_process": statistics.median(
            over[0] / threads[0] for threads, over, *_ in turns
        ),
        f"{CLIENTS}_analysts_over_threads_in_process": statistics.median(
            each[0] / threads[0] for threads, _, each, _ in turns
        ),
        f"{CLIENTS}_clients_processor_time_over_threads_in_process": statistics.median(
            over[1] / threads[1] for threads, over, *_ in turns
        ),
        f"{CLIENTS}_clients_over_bare_starlette": statistics.median(
            over[0] / nothing[0] for _, over, _, nothing in turns
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = flights(folder)
        # The same data twice, with ledgers that are thrown away.
        os.environ["HOLDFAST_WITNESS"] = f"{folder}/witness-inside"
        session = holdfast.open(
            load(source),
            questions=QUESTIONS,
            mechanisms=[holdfast.Gaussian],
            ledger=folder / "inside.holdfast",
        )
        os.environ["HOLDFAST_WITNESS"] = f"{folder}/witness-outside"
        held = Dataset(
            name="flights",
            source=str(source),
            questions=QUESTIONS,
            mechanism="gaussian",
            ledger=str(folder / "outside.holdfast"),
        )
        analysts = tuple(f"analyst {each}" for each in range(CLIENTS))
        with session, serving(folder, held, analysts=analysts) as gateway:
            results = measured(gateway, session, quick=quick)
    record("gateway_speed", {f"{ROWS:,} rows": results, "script": Path(__file__).name})


if __name__ == "__main__":
    main()

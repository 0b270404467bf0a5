"""A crowd of clients in a process of its own: bare sockets, so that it takes little of a machine.

Each client asks one question after another, all different, and sends one again, under the same
key, if its connection broke or the gateway could not answer just then. What each question got is
a line of the report.

Run: python -m load.crowd FILE, with the description of a crowd as JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import uvloop

_BROKEN = (0, b"")
_END = b"\r\n\r\n"


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Who asks what: `{number}` in the question and the path is another one each time."""

    port: int
    tokens: list[str]  # client i shows token i modulo their number
    clients: int = 64
    question: str = "delay > {number}"
    path: str = "/v1/datasets/flights/ask"
    first: int = 0
    count: int | None = None  # questions in all
    seconds: float | None = None
    until: str | None = None  # a file: when it is there, nothing more is asked
    broken: str | None = None  # a file: there as soon as somebody has had to ask again
    keys: bool = True
    pause: float = 0.02  # before a question is sent again
    patience: float = 30.0  # seconds without any reply after which a client gives up


@dataclass
class Report:
    """What came of it."""

    seconds: float = 0.0
    retries: int = 0
    refused: int = 0  # connections
    waits: list[float] = field(default_factory=list)  # seconds from question to reply
    answers: list[tuple[str, int, str]] = field(default_factory=list)  # question, status, body
    unanswered: list[str] = field(default_factory=list)  # when the gateway was gone for good

    @property
    def rate(self) -> float:
        return len(self.answers) / self.seconds


class _Line(asyncio.Protocol):
    """One connection, with one request at a time on it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._got = b""
        self._reply: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def send(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        self._reply = asyncio.get_running_loop().create_future()
        if self.transport is None:
            self._reply.set_result(_BROKEN)
        else:
            self.transport.write(request)
        return self._reply

    def data_received(self, data: bytes) -> None:
        self._got += data
        end = self._got.find(_END)
        if end < 0:
            return
        head = self._got[:end].lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at:].split(b"\r\n", 1)[0])
        if len(self._got) < end + 4 + length:
            return
        body, self._got = self._got[end + 4 : end + 4 + length], self._got[end + 4 + length :]
        if self._reply is not None and not self._reply.done():
            self._reply.set_result((int(head[9:12]), body))

    def connection_lost(self, _: Exception | None) -> None:
        self.transport = None
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(_BROKEN)


async def _client(crowd: Crowd, token: str, numbers: Iterator[int], report: Report) -> None:
    line = _Line()
    for number in numbers:
        question = crowd.question.format(number=number)
        body = json.dumps({"question": question}).encode()
        key = f"Idempotency-Key: q-{number}\r\n" if crowd.keys else ""
        head = (
            f"POST {crowd.path} HTTP/1.1\r\nHost: 127.0.0.1:{crowd.port}\r\n"
            f"Authorization: Bearer {token}\r\n{key}Content-Length: {len(body)}\r\n\r\n"
        )
        request, start = head.encode() + body, time.perf_counter()
        while True:
            connected = await _connected(crowd, line, report, since=start)
            if connected is None:
                report.unanswered.append(question)
                return
            line = connected
            status, reply = await line.send(request)
            if status == 200:
                break
            if time.perf_counter() - start > crowd.patience:
                break
            if status and not _passing(status, reply):
                break
            report.retries += 1
            if crowd.broken is not None:
                Path(crowd.broken).touch()
            await asyncio.sleep(crowd.pause)
        report.waits.append(time.perf_counter() - start)
        report.answers.append((question, status, reply.decode()))
    if line.transport is not None:
        line.transport.close()


def _passing(status: int, reply: bytes) -> bool:
    """Whether it is worth asking again: busy, or the key's first request is still at work."""
    return status == 503 or (status == 409 and b"/key-in-use" in reply)


async def _connected(crowd: Crowd, line: _Line, report: Report, *, since: float) -> _Line | None:
    while line.transport is None or line.transport.is_closing():
        try:
            _, line = await asyncio.get_running_loop().create_connection(
                _Line, "127.0.0.1", crowd.port
            )
        except OSError:
            report.refused += 1
            if time.perf_counter() - since > crowd.patience:
                return None
            await asyncio.sleep(crowd.pause)
    return line


def _until(numbers: Iterator[int], crowd: Crowd) -> Iterator[int]:
    end = None if crowd.seconds is None else time.perf_counter() + crowd.seconds
    for number in numbers:
        if crowd.count is not None and number >= crowd.first + crowd.count:
            return
        if end is not None and time.perf_counter() >= end:
            return
        if crowd.until is not None and Path(crowd.until).exists():
            return
        yield number


async def asked(crowd: Crowd) -> Report:
    """Have the crowd ask until it has asked all, or its time is over."""
    report, numbers = Report(), itertools.count(crowd.first)
    tokens = itertools.cycle(crowd.tokens)
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for token in itertools.islice(tokens, crowd.clients):
            group.create_task(_client(crowd, token, _until(numbers, crowd), report))
    report.seconds = time.perf_counter() - start
    return report


def main() -> None:
    said: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    report = uvloop.run(asked(Crowd(**said)))
    Path(sys.argv[1]).with_suffix(".report").write_text(json.dumps(asdict(report)))


if __name__ == "__main__":
    main()

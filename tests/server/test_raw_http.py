"""Bytes that no client would send: refused or dropped, never a failure, never waited for.

PEEKPROOF_FUZZ=N sends N mutated requests instead of a few hundred.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import monotonic, sleep

import pytest

from peekproof.server.connections import Guarded, Strays
from peekproof.server.settings import Limits
from server.contests import contest
from server.gateways import Running, held
from server.guests import exchange, guarded, problem_in, request, status_of

MUTATIONS = int(os.environ.get("PEEKPROOF_FUZZ", "0")) or 400
TOGETHER = 40
BOUND = 60  # seconds: only a hang takes as long, for the gateway itself waits a fraction of one
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Guarded, "patience", 0.2)
        patch.setattr(Guarded, "linger", 0.2)
        patch.setattr(Strays, "interval", 0.5)
        folder, limits = tmp_path_factory.mktemp("data"), Limits(rate=0, patience=0.2)
        boards = (contest(folder, rows=100, submissions=5).served,)
        with guarded(tmp_path_factory, held(folder), limits=limits, boards=boards) as (found, _):
            yield found


def whole(said: bytes) -> bool:
    """Whether the first response has arrived to its end."""
    head, found, body = said.partition(b"\r\n\r\n")
    if not found:
        return False
    if b"transfer-encoding: chunked" in head.lower():
        return body.endswith(b"0\r\n\r\n")
    size = re.search(rb"content-length: (\d+)", head.lower())
    return size is None or len(body) >= int(size[1])


async def heard(port: int, parts: Sequence[bytes]) -> bytes:
    """What the gateway says until it ends the connection or one response is whole."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = b""
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        while not whole(said) and (found := await reader.read(1 << 16)):
            said += found
    except ConnectionError:
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return said


def all_heard(port: int, sent: Sequence[Sequence[bytes]]) -> list[bytes]:
    async def run() -> list[bytes]:
        turn = asyncio.Semaphore(TOGETHER)

        async def one(parts: Sequence[bytes]) -> bytes:
            async with turn:
                return await asyncio.wait_for(heard(port, parts), BOUND)

        return await asyncio.gather(*(one(parts) for parts in sent))

    return asyncio.run(run())


def check(gateway: Running, sent: Sequence[Sequence[bytes]]) -> list[bytes]:
    said = all_heard(gateway.port, sent)
    failed = [
        (b"".join(parts)[:300], each[:200])
        for parts, each in zip(sent, said, strict=True)
        if any(int(status) >= 500 for status in STATUS.findall(each))
    ]
    assert failed == []
    assert gateway.send("GET", "/v1/health").status == 200
    return said


# Tricks that are known ---------------------------------------------------------------------------

H = b"Host: 127.0.0.1\r\n"
G = b"GET /v1/health HTTP/1.1\r\n" + H
P = b"POST /v1/visit HTTP/1.1\r\n" + H
C = P + b"Transfer-Encoding: chunked\r\n\r\n"
TRICKS: dict[str, list[bytes]] = {
    "no bytes": [b""],
    "blank lines": [b"\r\n" * 50 + G + b"\r\n"],
    "HTTP/0.9": [b"GET /v1/health\r\n\r\n"],
    "HTTP/1.0": [b"GET /v1/health HTTP/1.0\r\n" + H + b"\r\n"],
    "HTTP/1.0 without host": [b"GET /v1/health HTTP/1.0\r\n\r\n"],
    "HTTP/2": [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    "HTTP/9.9": [b"GET /v1/health HTTP/9.9\r\n" + H + b"\r\n"],
    "TLS": [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)],
    "an absolute address": [b"GET http://evil.example/v1/health HTTP/1.1\r\n" + H + b"\r\n"],
    "a proxy's address": [b"CONNECT evil.example:443 HTTP/1.1\r\n" + H + b"\r\n"],
    "an asterisk": [b"OPTIONS * HTTP/1.1\r\n" + H + b"\r\n"],
    "a fragment": [b"GET /v1/health#x HTTP/1.1\r\n" + H + b"\r\n"],
    "spaces": [b"GET  /v1/health  HTTP/1.1\r\n" + H + b"\r\n"],
    "tabs": [b"GET\t/v1/health\tHTTP/1.1\r\n" + H + b"\r\n"],
    "a bare line feed": [b"GET /v1/health HTTP/1.1\n" + H + b"\n"],
    "an upgrade": [
        G + b"Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
    ],
    "an upgrade to h2c": [
        P + b"Connection: upgrade, http2-settings"
        b"\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}" + bytes(50)
    ],
    "two lengths": [P + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "],
    "a length and chunks": [
        P + b"Content-Length: 2\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
    ],
    "an unknown encoding": [P + b"Transfer-Encoding: x\r\n\r\n{}"],
    "a hidden encoding": [P + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"],
    "a negative length": [P + b"Content-Length: -1\r\n\r\n{}"],
    "a huge length": [P + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"],
    "a length in Latin-1": [P + b"Content-Length: \xb2\r\n\r\n{}"],
    "a bad chunk": [C + b"zz\r\n{}\r\n0\r\n\r\n"],
    "a huge chunk": [C + b"ffffffffffffffff\r\n{}"],
    "a negative chunk": [C + b"-1\r\n{}\r\n0\r\n\r\n"],
    "a chunk that does not end": [C + b"5\r\n{}"],
    "trailers": [C + b"2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nHost: evil.example\r\n\r\n"],
    "an expectation": [P + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", b"{}"],
    "a folded header": [G + b"X: a\r\n b\r\n\r\n"],
    "a header without a name": [G + b": x\r\n\r\n"],
    "a header without a colon": [G + b"x\r\n\r\n"],
    "NUL in a header": [G + b"X: a\x00b\r\n\r\n"],
    "two hosts": [G + b"Host: evil.example\r\n\r\n"],
    "a token that is not ASCII": [
        b"GET /v1/datasets HTTP/1.1\r\n" + H + b"Authorization: Bearer pp_\xff_\xfe\r\n\r\n"
    ],
    "a cookie that is not ASCII": [
        b"GET /v1/datasets HTTP/1.1\r\n" + H + b"Cookie: peekproof_visit=\xff\xfe; ;;=;\r\n\r\n"
    ],
    "a page key that is not ASCII": [
        b"DELETE /v1/visit HTTP/1.1\r\n"
        + H
        + b"Cookie: peekproof_visit=x\r\nX-Peekproof-Page: \xff\r\n\r\n"
    ],
    "a pipeline": [(G + b"\r\n") * 200],
    "a pipeline and rubbish": [(G + b"\r\n") * 3 + b"\x00\x01\r\n\r\n"],
    "a request in two halves": [b"GET /v1/health HT", b"TP/1.1\r\n" + H, b"\r\n"],
}

PATHS = [
    "/v1/datasets/../..",
    "/v1/datasets/%2e%2e/%2e%2e",
    "/v1/datasets/..%2f..",
    "/v1/datasets/%00",
    "//assets/..%2f",
    "/assets/../../../etc/passwd",
    "/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/assets/%2e%2e/%2e%2e/app.py",
    "/assets/....//app.py",
    "/assets/..%5capp.py",
    "/assets//etc/passwd",
    "/assets/%2fetc%2fpasswd",
    "/assets/~root",
    "/assets/.",
    "/assets/index.html%00.png",
    "/assets/index.html/",
    "/assets/%ff%fe",
    "/assets/%c0%ae%c0%ae/app.py",
    "/assets/%u002e",
    "/%",
    "/v1/datasets/a%0d%0aSet-Cookie:%20x=y",
    "/v1/problems/a%0d%0aX:%20y",
    "/v1/datasets/flights%2fask",
    "/v1/datasets/flights;x",
    "/v1/datasets/fl%69ghts",
    "/v1/datasets/%F0%9F%98%80",
    "/" + "a" * 9000,
    "/v1/datasets/flights/answers?after=%00",
    "/v1/datasets/flights/answers?after=1&after=x",
    "/v1/datasets/flights/answers?" + "&" * 5000,
    "/?" + "a=b&" * 2000,
    "/v1/datasets/flights/answers/%00",
    "/v1//health",
    "/v1/health/",
    "/boards/..%2f..%2fetc%2fpasswd",
    "/boards/%00",
    "/boards/../assets/board.html",
    "/v1/boards/..%2f..",
    "/v1/boards/coins%2fclose",
    "/v1/boards/%F0%9F%98%80/ids",
    "/V1/health",
    "/./v1/health",
    "/v1/./health",
    "\\..\\..",
]


@pytest.mark.parametrize("about", TRICKS)
def test_a_trick_is_refused_or_dropped(about: str, gateway: Running) -> None:
    check(gateway, [TRICKS[about]])


def test_paths_lead_to_nothing_but_what_is_served(gateway: Running) -> None:
    headers = {"Authorization": f"Bearer {gateway.custodian}"}
    sent = [[request(path, headers=headers)] for path in PATHS]
    for path, said in zip(PATHS, check(gateway, sent), strict=True):
        head, _, body = said.partition(b"\r\n\r\n")
        assert b"root:" not in body, path
        assert b"def " not in body, path
        names = [line.partition(b":")[0] for line in head.lower().split(b"\r\n")[1:]]
        assert b"set-cookie" not in names, path
        assert b"x" not in names, path
        assert b"location" not in names, path


def test_trailers_are_no_headers(gateway: Running) -> None:
    """A token that comes after the body opens nothing."""
    body = b"2\r\n{}\r\n0\r\nAuthorization: Bearer " + gateway.custodian.encode() + b"\r\n\r\n"
    sent = request("/v1/tokens", body, method="POST", headers={"Transfer-Encoding": "chunked"})
    assert status_of(exchange(gateway.port, sent)) == 401


def test_a_smuggled_request_is_not_answered(gateway: Running) -> None:
    inner = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    sent = (
        b"POST /v1/visit HTTP/1.1\r\n" + H + b"Content-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner
    )
    said = exchange(gateway.port, sent)
    assert [int(each) for each in STATUS.findall(said)] == [400]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Host", "127.0.0.1"),
        ("hOST", "evil.example"),
        ("Authorization", "Bearer {analyst}"),
        ("AUTHORIZATION", "Bearer pp_a_b"),
        ("authorization", ""),
        ("cookie", "a=b"),
        ("idempotency-key", "b"),
        ("x-peekproof-page", "b"),
        ("Origin", "http://evil.example"),
        ("sec-fetch-site", "same-origin"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_what_decides_stands_once(name: str, other: str, first: bool, gateway: Running) -> None:
    """Which of two counts differs from program to program: a proxy may have checked the other."""
    own = {
        "host": "127.0.0.1",
        "authorization": f"Bearer {gateway.analyst}",
        "cookie": "c=d",
        "idempotency-key": "a",
        "x-peekproof-page": "a",
        "origin": "http://127.0.0.1",
        "sec-fetch-site": "none",
    }
    sent = [f"{each}: {value}" for each, value in own.items()]
    once = "\r\n".join(["GET /v1/datasets HTTP/1.1", *sent, "connection: close", "", ""])
    assert status_of(exchange(gateway.port, once.encode())) == 200
    sent.insert(0 if first else len(sent), f"{name}: {other.format(analyst=gateway.analyst)}")
    twice = "\r\n".join(["GET /v1/datasets HTTP/1.1", *sent, "connection: close", "", ""])
    said = exchange(gateway.port, twice.encode())
    assert (status_of(said), problem_in(said)) == (400, "malformed")
    assert name.lower().encode() in said
    assert gateway.analyst.encode() not in said


def test_a_refused_header_ends_no_other_request(gateway: Running) -> None:
    """In a pipeline, each has its own response, in the order of requests."""
    twice = G + b"Host: 127.0.0.1\r\n\r\n"
    said = exchange(gateway.port, G + b"\r\n" + twice + G + b"Connection: close\r\n\r\n")
    assert [int(each) for each in STATUS.findall(said)] == [200, 400, 200]


# Slow and endless senders ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent", [b"", b"GET", b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "], ids=repr
)
def test_headers_that_do_not_end_are_not_waited_for(sent: bytes, gateway: Running) -> None:
    assert exchange(gateway.port, sent, wait=BOUND) == b""


def test_a_second_request_is_not_waited_for_either(gateway: Running) -> None:
    first = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    said = exchange(gateway.port, first + b"GET /v1/he", wait=BOUND)
    assert [int(each) for each in STATUS.findall(said)] == [200]


def test_a_body_that_nobody_reads_is_not_waited_for(gateway: Running) -> None:
    sent = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx"
    said = exchange(gateway.port, sent, wait=BOUND)
    assert [int(each) for each in STATUS.findall(said)] == [200]


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /",
        b"GET /v1/health HTTP/1.1\r\nX: ",
        b"GET /v1/health HTTP/1.1\r\n",
        b"POST /v1/visit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
        b"POST /v1/visit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n2;",
    ],
    ids=["line", "header", "headers", "trailer", "extension"],
)
def test_what_never_ends_is_cut(begun: bytes, gateway: Running) -> None:
    more = b"Y: z\r\n" * 5000 if begun.endswith(b"1.1\r\n") else b"a" * 30_000
    said = exchange(gateway.port, begun, *([more] * 400), wait=BOUND)  # 12 MB, if it were taken
    statuses = [int(each) for each in STATUS.findall(said)]
    assert statuses in ([], [400], [408], [422], [431])  # none if the end came before it was read


def test_long_headers_are_a_problem(gateway: Running) -> None:
    sent = request("/v1/health", headers={"X": "a" * (Guarded.silent - 1000)})
    assert status_of(exchange(gateway.port, sent)) == 200
    parts = [b"GET /v1/health HTTP/1.1\r\nX: ", *([b"a" * 1000] * 70)]
    said = exchange(gateway.port, *parts)
    assert said == b"" or (status_of(said), problem_in(said)) == (431, "malformed")


def test_more_connections_than_files_are_closed_at_once(
    gateway: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guarded, "most", 0)
    assert exchange(gateway.port, request("/v1/health")) == b""
    monkeypatch.undo()
    assert gateway.send("GET", "/v1/health").status == 200


def test_what_is_no_request_has_one_line_for_many(
    gateway: Running, caplog: pytest.LogCaptureFixture
) -> None:
    sleep(2 * Strays.interval)  # what other tests have sent is told
    caplog.clear()
    upgrade = request("/v1/health", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    said = all_heard(gateway.port, [[b"no request\r\n\r\n"]] * 200 + [[upgrade]] * 100)
    # A reply may be lost where the other side ends the connection.
    assert {status_of(each) for each in said[:200] if each} == {400}
    sleep(2 * Strays.interval)
    told = [each.getMessage() for each in caplog.records]
    assert all("requests in the last 0.5 seconds were not HTTP" in each for each in told)
    assert sum(int(each.split()[0]) for each in told) == 300
    assert len(told) < 30  # a machine may be slow


# Mutations ---------------------------------------------------------------------------------------

SPICES = [
    b"\r\n",
    b"\r",
    b"\n",
    b"\0",
    b" ",
    b"\t",
    b":",
    b"%00",
    b"%",
    b"..",
    b"/",
    b"\xff",
    b"\xc0\xaf",
    b"HTTP/1.1",
    b"HTTP/1.0",
    b"Content-Length: 5\r\n",
    b"Content-Length: 0\r\n",
    b"GET ",
    b"{",
    b'"',
    b"Transfer-Encoding: chunked\r\n",
    b"Expect: 100-continue\r\n",
    b"Connection: close\r\n",
    b"Connection: upgrade\r\nUpgrade: websocket\r\n",
    b"Accept: application/x-ndjson\r\n",
    b"\\u0000",
    b"Idempotency-Key: a\r\n",
    b"0\r\n\r\n",
    b"ffffffff\r\n",
    b"[" * 500,
    b"9" * 400,
    b"\xed\xa0\x80",
]


def seeds(gateway: Running) -> list[bytes]:
    """Requests as they should be."""
    who = {"Authorization": f"Bearer {gateway.analyst}"}
    base = "/v1/datasets/flights"

    def post(path: str, body: object) -> bytes:
        sent = json.dumps(body).encode()
        headers = {**who, "Content-Length": str(len(sent))}
        return request(path, sent, method="POST", headers=headers)

    def handed_in(share: int) -> dict[str, object]:
        ids = [f"r{number}" for number in range(100)]
        return {"ids": ids, "values": [share] * 100, "declared": 0.5, "name": "forest"}

    chunks = {**who, "Transfer-Encoding": "chunked"}
    body = (
        b'b\r\n{"question\r\nf\r\n": "night given\r\n11\r\n delay > 1.5"   \r\n1\r\n}\r\n0\r\n\r\n'
    )
    return [
        request("/v1/health"), request("/"), request("/v1/datasets", headers=who),
        request(f"{base}/answers?after=1&limit=2", headers=who),
        post(f"{base}/ask", {"question": "delay > 10", "radius": 0.2}),
        post(f"{base}/batch", {"questions": ["night", "carrier = 'AA'"]}),
        post(f"{base}/price", {"questions": ["mean(delay, 0, 10)"]}),
        post("/v1/visit", {"token": gateway.analyst}),
        request("/boards/coins"), request("/v1/boards", headers=who),
        request("/v1/boards/coins", headers=who),
        post("/v1/boards/coins/entries", handed_in(0)),
        post("/v1/boards/coins/entries", handed_in(1)),
        post("/v1/boards/coins/close", {"confirm": "coins"}),
        request(f"{base}/ask", body, method="POST", headers=chunks),
    ]  # fmt: skip


def mutated(rng: random.Random, known: Sequence[bytes]) -> list[bytes]:
    """A request after a few accidents, in one piece or in several."""
    data = bytearray(rng.choice(known))
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data) + 1)
        upto = min(len(data), at + rng.randrange(1, 20))
        kind = rng.randrange(7)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at:upto]
        elif kind == 2:
            data[at:at] = rng.choice(SPICES)
        elif kind == 3:
            data[at:at] = data[at:upto] * rng.randrange(1, 30)
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            data += rng.choice(known)
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
    cut = rng.randrange(len(data) + 1) if rng.random() < 0.3 else len(data)
    return [bytes(data[:cut]), bytes(data[cut:])]


def connections() -> int:
    gc.collect()
    return sum(isinstance(each, Guarded) for each in gc.get_objects())


def test_mutated_requests_neither_fail_nor_hang(gateway: Running) -> None:
    rng, known = random.Random(1), seeds(gateway)
    for start in range(0, MUTATIONS, 1000):
        count = min(1000, MUTATIONS - start)
        said = check(gateway, [mutated(rng, known) for _ in range(count)])
        statuses = {int(each[9:12]) for each in said if each}
        assert statuses >= {200, 400, 401, 422}  # they do get everywhere
    assert gateway.send("GET", "/v1/datasets").status == 200
    ends = monotonic() + BOUND
    while connections() and monotonic() < ends:
        sleep(0.05)
    assert connections() == 0  # nothing is left of any of them

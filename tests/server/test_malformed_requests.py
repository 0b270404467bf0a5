"""Requests that are too long, too slow, too deep or no messages at all are refused, and free."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from peekproof.server.app import ENDPOINTS
from peekproof.server.settings import Limits
from server.contests import contest
from server.gateways import Running, held
from server.guests import address, exchange, guarded, problem_in, request, status_of

ASK = "/v1/datasets/flights/ask"
LIMIT = 30_000


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder, limits = tmp_path_factory.mktemp("data"), Limits(rate=0, body=LIMIT, patience=0.1)
    boards = (contest(folder, rows=100).served,)
    with guarded(tmp_path_factory, held(folder), limits=limits, boards=boards) as (found, _):
        yield found


@pytest.fixture(autouse=True)
def _nothing_is_charged(gateway: Running) -> Iterator[None]:
    def draws() -> tuple[int, int]:
        asked = gateway.gateway.served["flights"].session.ledger.look().draws
        return asked, gateway.gateway.boards["coins"].left()

    before = draws()
    yield
    assert draws() == before


def shown(gateway: Running, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {gateway.analyst}", **more}


def test_a_body_that_says_it_is_too_long_is_not_read(gateway: Running) -> None:
    headers = shown(gateway, **{"Content-Length": str(LIMIT + 1)})
    said = exchange(gateway.port, request(ASK, method="POST", headers=headers))
    assert (status_of(said), problem_in(said)) == (413, "too-large")


def test_a_body_in_chunks_is_too_long_as_soon_as_it_is(gateway: Running) -> None:
    headers = shown(gateway, **{"Transfer-Encoding": "chunked"})
    chunk = b"1000\r\n" + b" " * 0x1000 + b"\r\n"
    begun = request(ASK, method="POST", headers=headers)
    said = exchange(gateway.port, begun, *([chunk] * (LIMIT // 0x1000 + 1)))
    assert (status_of(said), problem_in(said)) == (413, "too-large")


def test_a_body_as_long_as_allowed_is_read(gateway: Running) -> None:
    body = json.dumps({"question": "delay >"}).encode().ljust(LIMIT)
    assert gateway.send("POST", ASK, body).json["type"] == "/v1/problems/question-error"


@pytest.mark.parametrize("sent", [b"", b'{"question": "delay > 1'])
def test_a_body_that_does_not_arrive_is_not_waited_for(sent: bytes, gateway: Running) -> None:
    headers = shown(gateway, **{"Content-Length": "40"})
    said = exchange(gateway.port, request(ASK, sent, method="POST", headers=headers))
    assert (status_of(said), problem_in(said)) == (408, "too-slow")


def test_a_token_is_checked_before_a_body_is_waited_for(gateway: Running) -> None:
    headers = {"Content-Length": "40"}
    said = exchange(gateway.port, request(ASK, method="POST", headers=headers))
    assert status_of(said) == 401


DEEP = b"[" * 10_000 + b"]" * 10_000

BODIES = {
    "lists in lists": b'{"question": ' + DEEP + b"}",
    "lists in lists that never end": b'{"question": ' + b"[" * 20_000,
    "less deep lists": b'{"question": ' + b"[" * 900 + b"]" * 900 + b"}",
    "objects in objects": b'{"question": [' + b'{"a":' * 3000 + b"1" + b"}" * 3000 + b"]}",
    "depth in an unknown field": b'{"unknown": ' + DEEP + b"}",
    "depth behind a question": b'{"question": "delay > 1", "unknown": ' + DEEP + b"}",
    "an unknown field": b'{"question": "delay > 1", "radios": 1}',
    "a name of another case": b'{"Question": "delay > 1"}',
    "a name twice": b'{"question": "delay > 1", "question": "delay > 2"}',
    "a name twice, once escaped": b'{"question": "delay > 1", "\\u0071uestion": "delay > 2"}',
    "a name twice, deep inside": b'{"question": ["share", {"a": 1, "a": 2}]}',
    "NaN": b'{"question": "delay > 1", "radius": NaN}',
    "infinity": b'{"question": "delay > 1", "radius": Infinity}',
    "minus infinity": b'{"question": "delay > 1", "radius": -Infinity}',
    "a number beyond doubles": b'{"question": "delay > 1", "radius": 1e999}',
    "a whole number beyond doubles": b'{"question": "delay > 1", "radius": ' + b"9" * 400 + b"}",
    "a huge number": b'{"question": ["share", [">", ["column", "delay"], ' + b"9" * 400 + b"]]}",
    "a huger number": b'{"question": ["share", [">", ["column", "delay"], ' + b"9" * 9000 + b"]]}",
    "no radius": b'{"question": "delay > 1", "radius": 0}',
    "a negative radius": b'{"question": "delay > 1", "radius": -0.1}',
    "a truth for a number": b'{"question": "delay > 1", "radius": true}',
    "a number for a question": b'{"question": 1}',
    "half a character": b'{"question": "\\ud800 > 1"}',
    "half a character as text": b"{\"question\": \"carrier = '\\udfff'\"}",
    "NUL in a name": b'{"question": "delay\\u0000 > 1"}',
    "NUL as it is": b'{"question": "delay\x00 > 1"}',
    "overlong UTF-8": b'{"question": "delay \xc0\xbe 1"}',
    "a surrogate in UTF-8": b'{"question": "delay \xed\xa0\x80 1"}',
    "Latin-1": b'{"question": "d\xe9lay > 1"}',
    "UTF-16": json.dumps({"question": "delay > 1"}).encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + b'{"question": "delay > 1"}',
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "half a message": b'{"question": "delay > 1"',
    "more than a message": b'{"question": "delay > 1"} {}',
    "a comment": b'{"question": "delay > 1"} // free',
    "a form": b"question=delay+%3E+1",
}  # fmt: skip


@pytest.mark.parametrize("about", BODIES)
def test_what_is_no_message_is_refused(about: str, gateway: Running) -> None:
    said = gateway.send("POST", ASK, BODIES[about])
    assert said.status == 422, said.body
    assert said.headers["content-type"] == "application/problem+json"
    assert len(said.body) < 5000 or "question" in said.json["type"]


@pytest.mark.parametrize("about", ["lists in lists", "a name twice", "NaN", "half a character"])
def test_what_is_no_message_is_refused_at_every_address(about: str, gateway: Running) -> None:
    for endpoint in ENDPOINTS:
        if endpoint.takes:
            said = gateway.send(
                endpoint.method, address(endpoint), BODIES[about], token=gateway.custodian
            )
            assert said.status == 422, endpoint.path


def test_a_body_where_none_is_expected_is_not_read(gateway: Running) -> None:
    said = gateway.send("GET", "/v1/datasets", b"x" * (LIMIT * 10))
    assert said.status == 200


@pytest.mark.parametrize(
    "number", ["-1", "1.5", "x", "", "١", "1e3", "0x10", "+1", " 1", "1" * 5000]
)
def test_numbers_of_addresses_are_whole_numbers(number: str, gateway: Running) -> None:
    said = gateway.send("GET", f"/v1/datasets/flights/answers?after={quote(number)}")
    assert said.status == (200 if number.isascii() and number.isdigit() else 422)

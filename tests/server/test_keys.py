"""Idempotency keys: a request that is sent again gets its reply, and is charged once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from peekproof.server import keys
from peekproof.server.store import now
from server.gateways import Running, Said
from server.guests import guarded, token


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with guarded(tmp_path_factory) as (found, _):
        yield found


def draws(gateway: Running) -> int:
    return gateway.gateway.served["flights"].session.ledger.look().draws


def keyed(
    gateway: Running,
    question: str,
    key: str,
    *,
    token: str | None = None,
    route: str = "ask",
    headers: Mapping[str, str] | None = None,
) -> Said:
    body = {"questions": [question]} if route == "batch" else {"question": question}
    shown = {"Idempotency-Key": key, **(headers or {})}
    return gateway.send("POST", f"/v1/datasets/flights/{route}", body, token=token, headers=shown)


def test_a_request_sent_again_gets_the_reply_it_got(gateway: Running) -> None:
    first, again = (keyed(gateway, "delay > 1", "again") for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert again.body == first.body
    assert not again.json["replayed"]  # as the first said, which cost something
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"


def test_a_key_stands_for_one_request(gateway: Running) -> None:
    assert keyed(gateway, "delay > 2", "one").status == 200
    before = draws(gateway)
    for route, question in (("ask", "delay > 3"), ("batch", "delay > 2"), ("histogram", "delay")):
        said = keyed(gateway, question, "one", route=route)
        assert (said.status, said.json["type"]) == (409, "/v1/problems/key-in-use")
    assert draws(gateway) == before


def test_requests_at_the_same_time_are_charged_once(gateway: Running) -> None:
    before, together = draws(gateway), Barrier(8)

    def send(_: int) -> Said:
        together.wait()
        return keyed(gateway, "delay > 4", "together")

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(send, range(8)))
    answered = {each.body for each in said if each.status == 200}
    assert {each.status for each in said} <= {200, 409}
    assert len(answered) == 1
    assert draws(gateway) == before + 1


def test_the_same_key_of_another_token_is_another_key(gateway: Running) -> None:
    assert keyed(gateway, "delay > 5", "mine").status == 200
    said = keyed(gateway, "delay > 6", "mine", token=token(gateway))
    assert said.status == 200
    assert "idempotency-replayed" not in said.headers
    assert said.json["question"] == "delay > 6"


def test_a_stream_under_its_key_is_charged_once_and_told_again(gateway: Running) -> None:
    before = draws(gateway)
    accept = {"Accept": "text/html, application/x-ndjson;q=0.9"}
    first, again = (
        keyed(gateway, "delay > 7", "stream", route="batch", headers=accept) for _ in range(2)
    )
    assert (first.status, again.status) == (200, 200)
    assert draws(gateway) == before + 1
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["content-type"] == first.headers["content-type"] == "application/x-ndjson"
    told = [line for line in first.body.splitlines() if b'"progress"' not in line]
    assert again.body.splitlines() == told
    other = keyed(gateway, "delay > 7", "stream", route="batch")  # wants no lines
    assert other.json["type"] == "/v1/problems/key-in-use"


def test_a_refused_request_does_not_use_up_its_key(gateway: Running) -> None:
    assert keyed(gateway, "delay >", "mended").status == 422
    assert keyed(gateway, "delay > 8", "mended").status == 200


@pytest.mark.parametrize("key", ["", "x" * 201, "é", "a\tb", "\x7f"])
def test_a_key_is_short_and_printable(key: str, gateway: Running) -> None:
    before = draws(gateway)
    assert keyed(gateway, "delay > 9", key).status in (400, 422)
    assert draws(gateway) == before


def test_replies_are_kept_for_a_day(gateway: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keyed(gateway, "delay > 10", "old").status == 200
    monkeypatch.setattr(keys, "now", lambda: now() + keys._KEPT + 1)
    said = keyed(gateway, "delay > 10", "old")
    assert "idempotency-replayed" not in said.headers
    assert said.json["replayed"]  # free without a key as well


@pytest.mark.parametrize(("limit", "most"), [("_MOST", 2), ("_MOST_BYTES", 1250)])
def test_a_token_keeps_so_many_replies_and_no_more(
    limit: str, most: int, gateway: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, limit, most)
    assert keyed(gateway, "delay > 11", "bystander").status == 200
    shown = token(gateway)
    names = [f"key {number}" for number in range(4)]
    for name in names:
        assert len(keyed(gateway, "delay > 11", name, token=shown).body) in range(420, 600)
    kept = [
        "idempotency-replayed" in keyed(gateway, "delay > 11", name, token=shown).headers
        for name in reversed(names)
    ]
    assert kept == [True, True, False, False]
    assert "idempotency-replayed" in keyed(gateway, "delay > 11", "bystander").headers

"""What went wrong once: small requests that were too much, and charges that were lost."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from peekproof.core.errors import KeyInUse
from peekproof.server import keys
from peekproof.server.app import ENDPOINTS
from peekproof.server.gateway import Gateway
from peekproof.server.journal import Journal
from peekproof.server.settings import Limits, Settings
from peekproof.server.store import Scope
from peekproof.session.session import Session
from server.gateways import Running, held, running
from server.guests import request

WIDE = "histogram(delay, bins(0, 100, 9998))"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("faults")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder) as found:
            yield found


@pytest.mark.parametrize("route", ["price", "batch"])
def test_a_small_request_cannot_ask_for_millions_of_numbers(gateway: Running, route: str) -> None:
    before = gateway.gateway.served["flights"].session.ledger.draws()
    said = gateway.send("POST", f"/v1/datasets/flights/{route}", {"questions": [WIDE] * 1000})
    assert (said.status, said.json["type"]) == (422, "/v1/problems/invalid-input")
    assert "at most 100,000 numbers" in said.json["detail"]
    assert gateway.gateway.served["flights"].session.ledger.draws() == before


def test_a_refusal_of_long_questions_leaves_no_entry(gateway: Running) -> None:
    ledger = gateway.gateway.served["flights"].session.ledger
    long = [f"carrier = '{'x' * 90_000}{number}'" for number in range(9)]
    shares: dict[str, object] = {"shares": {"ann": "0"}}
    path = "/v1/datasets/flights"
    assert gateway.send("PUT", f"{path}/shares", shares, token=gateway.custodian).status == 200
    before = ledger.entries()
    said = gateway.send("POST", f"{path}/batch", {"questions": long})
    assert ledger.entries() == before
    gateway.send("PUT", f"{path}/shares", {"shares": {}}, token=gateway.custodian)
    assert said.json["type"] == "/v1/problems/share-exhausted"


def test_shares_that_cannot_be_added_up_are_not_set_aside(gateway: Running) -> None:
    shares = {f"analyst {number}": f"1/{10**30 + number}" for number in range(200)}
    path, ledger = "/v1/datasets/flights", gateway.gateway.served["flights"].session.ledger
    before = dict(ledger.look().accounts.shares)
    said = gateway.send("PUT", f"{path}/shares", {"shares": shares}, token=gateway.custodian)
    assert (said.status, said.json["type"]) == (422, "/v1/problems/invalid-input")
    assert ledger.look().accounts.shares == before
    assert gateway.send("GET", f"{path}/budget").status == 200


def test_what_is_paid_for_goes_out_though_the_reply_cannot_be_kept(gateway: Running) -> None:
    store = gateway.gateway.store
    names = ", ".join(f"'{number:04}'" for number in range(3000))
    body = {"question": f"carrier in ({names})"}
    with store.reading() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages + 1}")
    try:
        said = gateway.send(
            "POST", "/v1/datasets/flights/ask", body, headers={"Idempotency-Key": "full"}
        )
    finally:
        with store.reading() as db:
            db.execute("PRAGMA max_page_count = 1000000")
    assert (said.status, said.json["replayed"]) == (200, False)
    again = gateway.send(
        "POST", "/v1/datasets/flights/ask", body, headers={"Idempotency-Key": "full"}
    )
    assert (again.status, again.json["replayed"]) == (200, True)


@contextmanager
def held_up(patch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Sessions that say when they are asked, and answer when they are told to."""
    begun, free = threading.Event(), threading.Event()
    respond: Callable[..., Any] = Session.respond

    def later(self: Session, *given: Any, **named: Any) -> Any:
        begun.set()
        free.wait(30)
        return respond(self, *given, **named)

    with patch.context() as within:
        within.setattr(Session, "respond", later)
        try:
            yield begun, free
        finally:
            free.set()


def test_a_stream_that_its_client_leaves_is_in_the_log_with_what_it_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "audit"
    with running(tmp_path, audit_log=log) as found, held_up(monkeypatch) as (begun, free):
        body = json.dumps({"questions": ["delay > 1", "delay > 2"]}).encode()
        headers = {
            "Authorization": f"Bearer {found.analyst}",
            "Accept": "application/x-ndjson",
            "Content-Length": str(len(body)),
        }
        sent = request("/v1/datasets/flights/batch", body, method="POST", headers=headers)
        with socket.create_connection(("127.0.0.1", found.port), timeout=30) as wire:
            wire.sendall(sent)
            assert wire.recv(1 << 16).startswith(b"HTTP/1.1 200")
            assert begun.wait(30)
        while not log.read_text():
            time.sleep(0.01)
        free.set()
        (line,) = [json.loads(each) for each in log.read_text().splitlines()]
        assert line["whole"] is False
        assert len(line["digests"]) == 2


def test_no_answer_of_a_stream_goes_out_without_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "full")

    with running(tmp_path, audit_log=tmp_path / "audit") as found:
        monkeypatch.setattr(Journal, "write", full)
        with pytest.raises(IncompleteRead) as cut:
            found.send(
                "POST",
                "/v1/datasets/flights/batch",
                {"questions": ["night"]},
                headers={"Accept": "application/x-ndjson"},
            )
        assert b'"answer"' not in cut.value.partial


def test_a_key_is_not_free_while_what_was_cancelled_is_still_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(
        datasets=(held(tmp_path),), store=tmp_path / "tokens", limits=Limits(rate=0)
    )
    gateway = Gateway.open(settings)
    shown = gateway.store.create_token(analyst="ann", scope=Scope.ANALYST)
    (ask,) = [each for each in ENDPOINTS if each.path.endswith("/ask")]
    body = json.dumps({"question": "delay > 1"}).encode()
    path = "/v1/datasets/flights/ask"
    headers = {"authorization": f"Bearer {shown}", keys.HEADER: "mine"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "path_params": {"dataset": "flights"},
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def cancelled(begun: threading.Event) -> None:
        asked = asyncio.ensure_future(ask.respond(gateway, Request(scope, receive)))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        (token,) = gateway.store.tokens()
        sent = b"\0".join([path.encode(), b"", body])
        with pytest.raises(KeyInUse, match="still at work"):
            keys.begin(gateway.store, token, "mine", request=sent)

    with held_up(monkeypatch) as (begun, free):
        asyncio.run(cancelled(begun))
        free.set()
        gateway.close()

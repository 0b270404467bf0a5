"""The audit log and the counts: who asked for what, and nothing that comes from rows."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peekproof.server.journal import Journal, Sender, Tally
from peekproof.server.settings import Limits
from server.gateways import Running
from server.guests import browser, guarded, visit

KNOWN = {
    "at", "request", "token", "analyst", "method", "route", "dataset", "status", "problem",
    "digests", "new",
}  # fmt: skip


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    log = tmp_path_factory.mktemp("log") / "audit"
    with guarded(tmp_path_factory, audit_log=log) as (found, _):
        yield found, log


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_every_request_with_a_token_has_one_line_without_values(
    gateway: tuple[Running, Path],
) -> None:
    running, log = gateway
    before, said = len(lines(log)), [running.ask("delay > 1"), running.ask("delay >")]
    guest = browser(running, running.analyst)
    said += [guest.send("GET", "/v1/datasets"), running.send("GET", "/v1/datasets", token="no")]
    said += [running.send("POST", "/v1/datasets/flights/batch", {"questions": ["night", "night"]})]
    said += [running.send("GET", "/v1/datasets/flights/ledger", token=running.custodian)]
    said += [visit(running, "pp_a_b")]
    found = lines(log)[before:]
    listed = [(each["method"], each["route"], each["status"], each["analyst"]) for each in found]
    about = "/v1/datasets/{dataset}"
    assert listed == [
        ("POST", f"{about}/ask", 200, "ann"),
        ("POST", f"{about}/ask", 422, "ann"),
        ("POST", "/v1/visit", 200, "ann"),
        ("GET", "/v1/datasets", 200, "ann"),
        ("POST", f"{about}/batch", 200, "ann"),
        ("GET", f"{about}/ledger", 200, "custodian"),
    ]
    assert [set(each) - KNOWN for each in found] == [set()] * len(found)
    assert found[1]["problem"] == "question-error"
    assert found[0]["digests"] == [each["digest"] for each in said[0].json["records"]]
    text = "\n".join(log.read_text().splitlines()[before:])
    values = [repr(said[0].json[name]) for name in ("value", "low", "high", "radius")]
    secrets = [running.analyst.split("_", 2)[2], guest.cookie.partition("=")[2], guest.key]
    for hidden in (*values, *secrets, "delay", str(log.parent)):
        assert hidden not in text
    assert all(re.fullmatch(r"[-0-9]{10}T[:0-9]{8}\+00:00", each["at"]) for each in found)


def flooded(running: Running, count: int, path: str = "/v1/datasets", **shown: str) -> list[int]:
    """The statuses of so many requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    found = []
    try:
        for _ in range(count):
            connection.request("GET", path, headers=shown)
            response = connection.getresponse()
            response.read()
            found.append(response.status)
    finally:
        connection.close()
    return found


def test_requests_without_a_token_are_counted_and_have_one_line(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tally, "interval", 0.5)
    log = tmp_path_factory.mktemp("log") / "audit"
    with guarded(tmp_path_factory, audit_log=log) as (running, _):
        assert set(flooded(running, 300)) == {401}
        assert set(flooded(running, 300, Authorization="Bearer pp_a_b")) == {401}
        assert set(flooded(running, 300, Authorization="Basic x")) == {401}
        assert visit(running, "pp_a_b").status == 401
        assert running.send("POST", "/v1/visit", "no message", token="").status == 422
        assert flooded(running, 10, "/v1/health") == [200] * 10
        assert running.ask("delay > 1").status == 200
        until = time.monotonic() + 30
        while sum(each.get("requests", 0) for each in lines(log)) < 902:
            assert time.monotonic() < until
            time.sleep(0.05)
    counted = [each for each in lines(log) if "requests" in each]
    (asked,) = (each for each in lines(log) if "requests" not in each)
    assert asked["analyst"] == "ann"
    assert sum(each["requests"] for each in counted) == 902
    assert {name for each in counted for name in each["statuses"]} == {"401", "422"}
    assert {each["peer"] for each in counted} == {"127.0.0.1"}
    first = counted[0]
    words = f"{first['requests']} requests without a valid token from 127.0.0.1"
    assert first["summary"] == f"{words} in the last 0.5 seconds"
    assert log.stat().st_size < 20 * 300  # and not nine hundred lines


def test_what_was_counted_is_written_when_the_gateway_ends(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("log") / "audit"
    with guarded(tmp_path_factory, audit_log=log) as (running, _):
        flooded(running, 7)
        assert lines(log) == []
    (line,) = lines(log)
    assert (line["requests"], line["statuses"], line["token"]) == (7, {"401": 7}, None)


def test_a_token_that_comes_too_often_has_one_line_for_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("log") / "audit"
    limits = Limits(rate=0.001, burst=5)
    with guarded(tmp_path_factory, audit_log=log, limits=limits) as (running, _):
        found = flooded(running, 50, Authorization=f"Bearer {running.analyst}")
        assert found == [200] * 5 + [429] * 45
    *single, last = lines(log)
    assert [each["status"] for each in single] == [200] * 5
    assert (last["requests"], last["analyst"], last["peer"]) == (45, "ann", None)
    assert last["token"] == single[0]["token"]
    assert running.analyst.split("_", 2)[2] not in log.read_text()


def test_senders_without_number_take_a_bounded_number_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tally, "most", 20)

    async def counted() -> None:
        journal = Journal(tmp_path / "audit")
        tally = Tally(journal)
        for number in range(1000):
            tally.count(Sender(peer=f"10.0.{number // 250}.{number % 250}"), 401)
        assert len(tally._counts) == 21
        tally.write()
        tally.count(Sender(peer="10.0.0.1"), 429)
        tally.write()
        tally.write()
        journal.close()

    asyncio.run(counted())
    found = lines(tmp_path / "audit")
    assert [each["requests"] for each in found] == [1] * 20 + [980, 1]
    assert found[20]["peer"] == "other addresses"


def test_a_stream_has_its_line_when_all_is_known(gateway: tuple[Running, Path]) -> None:
    running, log = gateway
    before = len(lines(log))
    body, accept = {"questions": ["delay > 21", "delay > 22"]}, {"Accept": "application/x-ndjson"}
    said = running.send("POST", "/v1/datasets/flights/batch", body, headers=accept)
    assert said.status == 200
    (line,) = lines(log)[before:]
    assert (line["status"], line["new"], len(line["digests"])) == (200, 2, 2)
    assert set(line) <= KNOWN


def test_names_cannot_break_a_line(tmp_path: Path) -> None:
    log = Journal(tmp_path / "audit")
    log.write({"analyst": 'a"\n{"status": 200}\u2028\r\x00é\U0001f600'})
    log.close()
    (line,) = (tmp_path / "audit").read_bytes().split(b"\n")[:-1]
    assert line.isascii()
    assert json.loads(line)["analyst"].startswith('a"\n')


WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from peekproof.server.journal import Journal

log, who = Journal(Path(sys.argv[1])), sys.argv[2]
def write(count):
    log.write({"who": who, "count": count, "x": "y" * 500})

with ThreadPoolExecutor(4) as pool:
    list(pool.map(write, range(200)))
log.close()
"""


def test_lines_of_several_workers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    command = [sys.executable, "-c", WRITER, str(path)]
    workers = [subprocess.Popen([*command, str(who)]) for who in range(3)]
    assert [each.wait() for each in workers] == [0, 0, 0]
    found = {(each["who"], each["count"]) for each in lines(path)}
    assert len(lines(path)) == len(found) == 600


def test_nothing_is_answered_without_its_line(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path_factory.mktemp("log") / "audit"
    with guarded(tmp_path_factory, audit_log=log) as (running, _):
        assert running.ask("delay > 1").status == 200
        monkeypatch.setattr(os, "write", lambda file, data: len(data) // 2)
        said = running.ask("delay > 1")
        monkeypatch.undo()
        assert (said.status, said.json["type"]) == (503, "/v1/problems/gateway-unavailable")
        assert b"value" not in said.body
        assert str(log) not in said.json["detail"]
        assert running.ask("delay > 1").status == 200


def test_counts_have_no_durations_and_are_for_custodians(gateway: tuple[Running, Path]) -> None:
    running, _ = gateway
    asked = running.ask("delay > 31")
    assert running.send("GET", "/metrics").status == 403
    assert running.send("GET", "/metrics", token="").status == 401
    said = running.send("GET", "/metrics", token=running.custodian)
    text = said.body.decode()
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert samples
    for name, value in samples.items():
        assert not re.search(r"second|duration|time|latency|bucket|quantile|_sum", name)
        if "ratio" not in name:
            assert float(value) == int(float(value))
    assert repr(asked.json["value"]) not in samples.values()
    route = 'method="POST",route="/v1/datasets/{dataset}/ask",status="200"'
    assert float(samples[f"peekproof_requests_total{{{route}}}"]) >= 1

"""The audit log and the counts: who asked for what, and nothing that comes from rows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peekproof.server.journal import Journal
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


def test_every_request_has_one_line_without_values(gateway: tuple[Running, Path]) -> None:
    running, log = gateway
    before, said = len(lines(log)), [running.ask("delay > 1"), running.ask("delay >")]
    guest = browser(running, running.analyst)
    said += [guest.send("GET", "/v1/datasets"), running.send("GET", "/v1/datasets", token="no")]
    said += [running.send("POST", "/v1/datasets/flights/batch", {"questions": ["night", "night"]})]
    said += [running.send("GET", "/v1/datasets/flights/ledger", token=running.custodian)]
    said += [visit(running, "hf_a_b")]
    found = lines(log)[before:]
    listed = [(each["method"], each["route"], each["status"], each["analyst"]) for each in found]
    about = "/v1/datasets/{dataset}"
    assert listed == [
        ("POST", f"{about}/ask", 200, "ann"),
        ("POST", f"{about}/ask", 422, "ann"),
        ("POST", "/v1/visit", 200, "ann"),
        ("GET", "/v1/datasets", 200, "ann"),
        ("GET", "/v1/datasets", 401, None),
        ("POST", f"{about}/batch", 200, "ann"),
        ("GET", f"{about}/ledger", 200, "custodian"),
        ("POST", "/v1/visit", 401, None),
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

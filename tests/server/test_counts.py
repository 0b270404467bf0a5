"""Counts that workers share: none is lost, and none goes back."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from load.serving import serving
from peekproof.core.errors import problems
from peekproof.server import metrics as counting
from peekproof.server.app import ENDPOINTS
from peekproof.server.metrics import LONGEST, RECORDS, Counts, Metrics
from peekproof.server.store import Scope, Store
from server.gateways import held

ADDING = """
import sys
from pathlib import Path
from peekproof.server.metrics import Counts
counts = Counts(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(int(sys.argv[2])):
    counts.add(b"name %d" % (number % 40))
"""


def adding(path: Path, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ADDING, str(path), str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_come_upon_the_same_names_count_together(tmp_path: Path) -> None:
    path, times = tmp_path / "counts", 20_000
    workers = [adding(path, times) for _ in range(3)]
    for each in workers:
        each.communicate(timeout=60)
    with closing(Counts(path)) as counts:
        assert counts.all() == {b"name %d" % n: 3 * times // 40 for n in range(40)}


def test_a_worker_that_is_killed_holds_nobody_up_and_takes_nothing_with_it(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    with closing(Counts(path)) as counts:
        before = 0
        for _ in range(5):
            worker = adding(path, 10**9)
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
            time.sleep(0.02)
            worker.kill()
            worker.communicate()
            counts.add(b"ours")
            now = sum(counts.all().values())
            assert now > before
            before = now
        assert counts.all()[b"ours"] == 5


def test_what_was_half_written_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    with closing(Counts(path)) as counts:
        counts.add(b"whole")
    with path.open("r+b") as file:
        file.seek(counting._RECORD + counting._NAME_AT)
        file.write(b"torn by a ki")  # its length would have come last
    with closing(Counts(path)) as counts:
        assert counts.all() == {b"whole": 1}
        counts.add(b"next")
        assert counts.all() == {b"whole": 1, b"next": 1}


def test_more_names_than_there_is_room_for_are_not_counted(tmp_path: Path) -> None:
    with closing(Counts(tmp_path / "counts")) as counts:
        counts.add(b"x" * (LONGEST + 1))
        for number in range(RECORDS + 10):
            counts.add(b"%d" % number)
        counts.add(b"0")
        assert len(counts.all()) == RECORDS
        assert counts.all()[b"0"] == 2
    assert (tmp_path / "counts").stat().st_blocks * 512 >= counting._SIZE


def test_there_is_room_for_all_that_a_gateway_counts(tmp_path: Path) -> None:
    with closing(Metrics(Counts(tmp_path / "counts"))) as metrics:
        for each in ENDPOINTS:
            for status in ("200", *(str(number) for number in range(400, 418)), "503"):
                metrics.count(
                    "peekproof_requests_total", route=each.path, method=each.method, status=status
                )
        for name in (*problems(), "unforeseen"):
            metrics.count("peekproof_refusals_total", problem=name)
        samples = metrics.samples()
    assert len(samples) == 20 * len(ENDPOINTS) + len(problems()) + 1
    assert {value for _, _, value in samples} == {1}


KILLED_AT = (40, 80)  # scrapes


def scraped(port: int, token: str) -> dict[str, float] | None:
    """All counters, by a new connection, which any worker may get."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        text = connection.getresponse().read().decode()
    except (HTTPException, OSError):  # its worker was killed
        return None
    finally:
        connection.close()
    lines = re.findall(r"^(\w+_total\{.*\}) (\S+)$", text, re.M)
    return {name: float(value) for name, value in lines}


@pytest.mark.skipif(sys.platform != "linux", reason="workers are found by /proc")
def test_no_count_goes_back_whichever_worker_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    with closing(Store(tmp_path / "gateway.tokens")) as store:
        token = store.create_token(analyst="head", scope=Scope.CUSTODIAN)
    with serving(tmp_path, held(tmp_path), workers=2) as gateway:
        last: dict[str, float] = {}
        answered = 0
        for number in range(120):
            if number in KILLED_AT:
                os.kill(gateway.workers()[0], signal.SIGKILL)
            found = scraped(gateway.port, token)
            if found is None:
                continue
            assert {name: last[name] for name in last if found.get(name, 0) < last[name]} == {}
            last, answered = found, answered + 1
        # A request is counted soon after it is answered, unless its worker is killed in between.
        for _ in range(100):
            found = scraped(gateway.port, token)
            assert found is not None
            (scrapes,) = (value for name, value in found.items() if "/metrics" in name)
            if scrapes >= answered - len(KILLED_AT):
                break
            answered += 1
            time.sleep(0.1)
        assert answered - len(KILLED_AT) <= scrapes <= 120 + 100

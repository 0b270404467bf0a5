"""Streams tell how far the default engine is, while it works."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from peekproof.data.totals import Told
from peekproof.server import stream
from peekproof.server.endpoint import LINES
from server.gateways import flights, held, running

ROWS = 100_000
QUESTIONS = 2_000


def test_a_batch_on_rows_in_memory_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    monkeypatch.setattr(stream, "_TICK", 0.005)
    told_of = Told.done

    def slowly(self: Told, rows: int, *, of: int) -> None:
        told_of(self, rows, of=of)
        time.sleep(0.05)  # ten ticks: whoever listens hears of it, however busy the machine is

    monkeypatch.setattr(Told, "done", slowly)
    served = held(tmp_path, questions=QUESTIONS)
    flights(tmp_path, rows=ROWS)
    with running(tmp_path, served) as gateway:
        asked = {"questions": [f"delay > {n / 7:.3f}" for n in range(QUESTIONS)]}
        said = gateway.send("POST", "/v1/datasets/flights/batch", asked, headers={"Accept": LINES})
    lines = [json.loads(line) for line in said.body.splitlines()]
    told = [(each["done"], each["of"]) for each in lines if each["event"] == "progress"]
    done = [each for each, total in told if total]
    assert {total for _, total in told} <= {0, ROWS}  # 0 before the rows are read
    assert done == sorted(done)
    assert [each for each in done if 0 < each < ROWS]
    assert len(lines) - len(told) == QUESTIONS + 1

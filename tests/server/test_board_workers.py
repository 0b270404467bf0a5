"""One board, several processes: `peekproof serve --config`, with nothing but a board to serve."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from server.contests import Contest, contest

PATIENCE = 60  # seconds, only so that what never comes fails


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Contest]]:
    """What the command said, and the board it serves by two workers."""
    folder = tmp_path_factory.mktemp("workers")
    witness = {"PEEKPROOF_WITNESS": str(folder / "witness")}
    found = contest(folder, rows=400, submissions=40)
    (folder / "gateway.toml").write_text('[boards.coins]\nfolder = "coins.board"\n')
    words = ["serve", "--config", "gateway.toml", "--address", "127.0.0.1:0", "--json"]
    serving = subprocess.Popen(
        [sys.executable, "-m", "peekproof", *words, "--workers", "2", "--rate", "0"],
        cwd=folder,
        env={**os.environ, **witness, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert serving.stdout is not None
    try:
        lines = []
        for line in serving.stdout:
            lines.append(line)
            if line == "}\n":
                break
        yield json.loads("".join(lines)), found
    finally:
        serving.terminate()
        serving.wait(timeout=PATIENCE)
        serving.stdout.close()


def send(said: dict[str, Any], method: str, path: str, body: object = None, token: str = "") -> Any:
    """One request on a connection of its own, so that either worker may get it."""
    wire = http.client.HTTPConnection(urlsplit(said["address"]).netloc, timeout=PATIENCE)
    try:
        headers = {"Authorization": f"Bearer {token or said['token']}"}
        wire.request(method, path, None if body is None else json.dumps(body), headers)
        response = wire.getresponse()
        text = response.read()
        assert response.status < 300, text
        return json.loads(text)
    finally:
        wire.close()


def test_two_processes_keep_one_board(served: tuple[dict[str, Any], Contest]) -> None:
    said, found = served
    assert said["datasets"] == []
    assert [each["name"] for each in said["boards"]] == ["coins"]
    assert said["boards"][0]["page"] == f"{said['address']}/boards/coins"
    teams = {
        name: send(said, "POST", "/v1/tokens", {"analyst": name, "datasets": ["coins"]})["token"]
        for name in ("ann", "bob", "cid")
    }
    sent = [
        (token, {**found.right(0.7), "declared": 0.7}) for token in teams.values() for _ in range(6)
    ]
    with ThreadPoolExecutor(8) as together:
        entries = list(
            together.map(
                lambda each: send(said, "POST", found.path("/entries"), each[1], each[0]), sent * 2
            )
        )
    assert {each["number"] for each in entries} == set(range(1, 19))
    for name, token in teams.items():
        look = partial(send, said, "GET", found.path(), token=token)
        with ThreadPoolExecutor(4) as together:  # whichever process is asked
            seen = [each.result() for each in [together.submit(look) for _ in range(6)]]
        assert {each["left"] for each in seen} == {22}
        assert {len(each["yours"]["entries"]) for each in seen} == {6}
        assert {each["yours"]["team"] for each in seen} == {name}
    close = partial(send, said, "POST", found.path("/close"), {"confirm": "coins"})
    with ThreadPoolExecutor(4) as together:
        finals = [each.result() for each in [together.submit(close) for _ in range(4)]]
    assert all(each == finals[0] for each in finals)
    assert sorted(each["team"] for each in finals[0]["finalists"]) == sorted(teams)

"""Attacks on a copy of the configuration: the control breaks, and the mechanism holds."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.core.certificate import Target
from peekproof.core.errors import GatewayUnavailable, InvalidInput
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan
from peekproof.server.attacks import MOST_QUESTIONS, MOST_ROWS, Copy, run
from peekproof.server.routes import attack
from server.gateways import Running, running

STREAM = {"Accept": "application/x-ndjson"}
PATH = "/v1/datasets/flights/attacks"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder) as found:
            yield found


def silent(done: int, total: int) -> None:
    """Tells nobody."""


def small(attack: str = "correlation", mechanism: str = "gaussian") -> Copy:
    return Copy(
        attack=attack,
        mechanism=mechanism,
        rows=2_000,
        questions=60,
        confidence=Fraction(19, 20),
        seed=1,
    )


def test_every_attack_is_listed_with_one_sentence(gateway: Running) -> None:
    said = gateway.send("GET", "/v1/attacks", token=gateway.custodian).json
    assert [each["name"] for each in said] == list(ANALYSTS)
    for each in said:
        assert each["does"].endswith(".")
        assert "\n" not in each["does"]
        assert each["forces"]
        assert each["after"]


def test_an_attack_breaks_the_control_and_the_copy_holds(gateway: Running) -> None:
    ledger = gateway.gateway.dataset("flights").session.ledger
    before = ledger.look().last
    body = {"attack": "correlation", "seed": 1}
    said = gateway.send("POST", PATH, body, token=gateway.custodian, headers=STREAM)
    lines = [json.loads(line) for line in said.body.splitlines()]
    assert said.status == 200
    assert {each["event"] for each in lines[:-1]} <= {"progress"}
    assert lines[-1]["event"] == "end"
    found = lines[-1]["attacked"]
    sizes = [found[key] for key in ("asks", "rows", "questions", "held_rows")]
    assert sizes == [200, 20_000, 200, 20_000]
    assert found["held_questions"] == 200
    plain, ours = found["plain"], found["ours"]
    assert (plain["mechanism"], plain["certified"]) == ("plain", False)
    assert (ours["mechanism"], ours["certified"]) == ("gaussian", True)
    claim = plain["claim"]
    assert not claim["holds"]
    assert not claim["low"] <= claim["truth"] <= claim["high"]
    assert claim["error"] == pytest.approx(abs(claim["value"] - claim["truth"]))
    assert ours["claim"]["holds"]
    assert ours["missed"] == 0
    assert ours["answered"] == ours["asked"] == 200
    assert found["predicted"] > 0
    assert ledger.look().last == before


def test_an_unknown_attack_is_a_problem_that_names_all(gateway: Running) -> None:
    said = gateway.send("POST", PATH, {"attack": "charm"}, token=gateway.custodian)
    assert said.status == 422
    assert said.json["type"] == "/v1/problems/invalid-input"
    assert all(name in said.json["detail"] for name in ANALYSTS)


def test_attacks_are_for_custodians(gateway: Running) -> None:
    assert gateway.send("GET", "/v1/attacks").status == 403
    assert gateway.send("POST", PATH, {"attack": "correlation"}).status == 403


@pytest.mark.parametrize("headers", [{}, STREAM])
def test_a_second_attack_is_told_to_wait(gateway: Running, headers: dict[str, str]) -> None:
    body = {"attack": "correlation"}
    with attack._turn:
        said = gateway.send("POST", PATH, body, token=gateway.custodian, headers=headers)
    assert said.status == 503
    assert said.json["type"] == "/v1/problems/gateway-unavailable"
    assert "another attack is running" in said.json["detail"]


def test_a_turn_ends_with_its_attack_however_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise GatewayUnavailable(problem="it broke")

    monkeypatch.setattr(attack, "run", fails)
    assert attack._turn.acquire(blocking=False)
    with pytest.raises(GatewayUnavailable, match="it broke"):
        attack._then_next(small(), silent)
    assert not attack._turn.locked()


def test_a_copy_is_cut_to_sizes_that_take_seconds() -> None:
    target = Target(confidence=Fraction(9, 10), questions=5_000)
    large = plan(rows=10**6, target=target, mechanisms=[Gaussian])
    copy = Copy.of(large, attack="digits", seed=7)
    assert (copy.rows, copy.questions) == (MOST_ROWS, MOST_QUESTIONS)
    assert (copy.confidence, copy.mechanism, copy.seed) == (Fraction(9, 10), "gaussian", 7)
    with pytest.raises(InvalidInput, match="correlation"):
        Copy.of(large, attack="Digits", seed=7)


def test_a_copy_that_is_too_small_for_an_attack_says_what_it_needs() -> None:
    tiny = plan(rows=1_000, target=Target(confidence=Fraction(19, 20), questions=1))
    with pytest.raises(InvalidInput, match="at least"):
        _ = Copy.of(tiny, attack="boosting", seed=1).analyst


def test_an_attack_that_takes_too_long_is_ended_with_its_process() -> None:
    with pytest.raises(GatewayUnavailable, match="took too long"):
        run(small(), silent, patience=0.0)
    assert multiprocessing.active_children() == []


def test_an_error_of_the_attack_travels_back() -> None:
    with pytest.raises(InvalidInput, match="at least"):
        run(
            Copy(
                attack="boosting",
                mechanism="gaussian",
                rows=1_000,
                questions=1,
                confidence=Fraction(19, 20),
                seed=1,
            ),
            silent,
        )


ORPHAN = """
import multiprocessing, threading, time
from fractions import Fraction
from peekproof.server.attacks import Copy, run

if __name__ == "__main__":
    copy = Copy(attack="digits", mechanism="gaussian", rows=20_000, questions=500,
                confidence=Fraction(19, 20), seed=1)
    threading.Thread(target=run, args=(copy, lambda *_: None), daemon=True).start()
    while not multiprocessing.active_children():
        time.sleep(0.01)
    print(multiprocessing.active_children()[0].pid, flush=True)
    time.sleep(600)
"""


def test_a_killed_gateway_leaves_no_attack_behind(tmp_path: Path) -> None:
    script = tmp_path / "gateway.py"
    script.write_text(ORPHAN)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as parent:
        try:
            assert parent.stdout is not None
            child = int(parent.stdout.readline())
        finally:
            parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 60  # far longer than it takes to notice
    while _lives(child):
        assert time.monotonic() < deadline, "the attack outlives its gateway"
        time.sleep(0.02)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
